"""A domain's home page, wherever it answers: https before http, with and without www, behind a frame or a refresh."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from actors.errors import Busy, FetchError, ServerFault, TooSlow, Unreachable, Unusable
from actors.fetch.answer import Answer
from actors.fetch.web import Web
from actors.parse.domains import registrable_domain
from actors.parse.home import home_addresses
from actors.parse.home_page import HomeReading, read_home
from actors.parse.urls import parse_url
from actors.sandbox.reader import Reader

_SERVER_ERROR = 500
_MOST_MENUS = 2


@dataclass(frozen=True, slots=True)
class HomePage:
    url: str
    hops: tuple[str, ...]
    """Every URL on the way, the first to the last; the last is `url`."""

    reading: HomeReading
    tls_problem: str | None


@dataclass(frozen=True, slots=True)
class LedElsewhere:
    """The home page sends its readers to another domain, which we could not read."""

    hops: tuple[str, ...]
    problem: str


def read_home_page(web: Web, reader: Reader, domain: str, region: str | None = None) -> HomePage | LedElsewhere:
    """What stands at the first address that answers; when none does, the error that says most about the site."""
    answer = _first_answer(web, domain)
    if isinstance(answer, LedElsewhere):
        return answer
    page = _page(reader, answer, answer.hops, region)
    onward = page.reading.onward
    if onward is None or not _is_of(domain, page.url):
        return page
    try:
        further = web.get(onward)
        beside = [frame for frame in page.reading.frames if frame != onward and _is_of(domain, frame)]
        menus = list(_menus(web, beside[:_MOST_MENUS]))
        return _page(reader, further, (*page.hops, *further.hops), region, menus)
    except Busy:
        raise
    except FetchError as error:
        if _is_another_domain(domain, error.url):
            return LedElsewhere((*page.hops, error.url), str(error))
        return page  # better than nothing


def _menus(web: Web, addresses: list[str]) -> Iterator[Answer]:
    """The other frames beside the page. One that fails in whatever way is done without; the page itself is there."""
    for address in addresses:
        try:
            yield web.get(address)
        except Busy:
            raise
        except FetchError:
            continue


def _first_answer(web: Web, domain: str) -> Answer | LedElsewhere:
    failures: dict[str, list[FetchError]] = {}
    for address in home_addresses(domain):
        host = _host(address)
        if any(error.kind == "dns" for error in failures.get(host, ())):
            continue
        try:
            return web.get(address)
        except FetchError as error:
            if _is_another_domain(domain, error.url):
                return LedElsewhere((address, error.url), str(error))
            # Who is busy or slow, says no, or leads into a network, is not asked in other words.
            is_final = isinstance(error, Busy | TooSlow) or error.kind in {"robots", "crawl_delay"}
            if is_final or not _is_of(domain, error.url):
                raise
            failures.setdefault(host, []).append(error)
    raise _most_telling([_verdict(errors) for errors in failures.values()])


def _page(
    reader: Reader, answer: Answer, hops: tuple[str, ...], region: str | None, menus: Sequence[Answer] = ()
) -> HomePage:
    """Menus that are too much for a parser are done without; the page itself may be read all the same."""
    bodies = [answer.wire, *(menu.wire for menu in menus)]
    try:
        reading = reader.read(read_home, bodies, hops=hops, headers=dict(answer.headers), region=region)
    except Unusable as error:
        if not menus or not error.kind.startswith("parser_"):
            raise
        return _page(reader, answer, hops, region)
    if reading.unreadable is not None:
        message = f"{answer.url}: the home page is {reading.unreadable}, not a page to read"
        raise Unusable(message, kind="content_type", url=answer.url)
    return HomePage(answer.url, hops, reading, answer.tls_problem)


def _verdict(errors: list[FetchError]) -> FetchError:
    """What one host says: its own fault may heal; else what it answered counts more than a port that is closed."""
    faults = [error for error in errors if isinstance(error, ServerFault)]
    answered = [error for error in errors if isinstance(error, Unusable) or _has_answered(error)]
    return (faults or answered or errors)[0]


def _has_answered(error: FetchError) -> bool:
    return error.status is not None and error.status < _SERVER_ERROR


def _most_telling(verdicts: list[FetchError]) -> FetchError:
    may_heal = [error for error in verdicts if isinstance(error, ServerFault | TooSlow | Unreachable)]
    there_at_all = [error for error in verdicts if error.kind != "dns"]
    return (may_heal or there_at_all or verdicts)[0]


def _is_of(domain: str, url: str) -> bool:
    return registrable_domain(_host(url)) == registrable_domain(domain)


def _is_another_domain(domain: str, url: str) -> bool:
    """Not so an address without a name: that is nobody's domain."""
    return registrable_domain(_host(url)) is not None and not _is_of(domain, url)


def _host(url: str) -> str:
    parsed = parse_url(url)
    return parsed.host if parsed else ""
