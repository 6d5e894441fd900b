"""What is asked of a sitemap as it arrives: what it is, and which pages and further sitemaps of a site it names."""

from collections import deque
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass

from actors.parse.pages import Category
from actors.parse.site_urls import Choice, OwnUrls, SitePage
from actors.parse.sitemap_bytes import SitemapError
from actors.parse.sitemap_generators import generator_of
from actors.parse.sitemaps import Entry, Sitemap
from actors.parse.urls import parse_url
from actors.parse.wire_body import TooLarge, WireStream, unpacked

_QUOTED = 60
_BATCH = 500


@dataclass(frozen=True, slots=True)
class SitemapFacts:
    """What is known of a file when it has been read, as far as that went."""

    kind: str
    type: str
    is_sitemap: bool
    count: int
    skipped: int
    unrendered: int
    size: int
    has_lastmod: bool
    has_priority: bool
    has_changefreq: bool
    generator: str | None
    beginning: str
    problem: str | None
    """Why it was not read to its end; what it names until there is good."""

    attack: str | None
    """What it is instead of a sitemap: a bomb."""

    is_too_large: bool
    """Whether it was given up at its limit."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    duplicates: int = 0
    off_site: int = 0
    too_long: int = 0


@dataclass(frozen=True, slots=True)
class SiteUrls:
    """Some of what a file names: pages of the site, or sitemaps of an index."""

    categories: tuple[Category, ...]
    """Those that are new in this batch; a page gives the number of its own, counted over all batches."""

    pages: tuple[tuple[str, str | None, int], ...]
    sitemaps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SiteSitemap:
    facts: SitemapFacts
    chosen: tuple[str, ...]
    """The contact-like pages to read first."""

    left_out: LeftOut


def survey_sitemap(stream: WireStream, *, headers: Mapping[str, str]) -> Generator[None, None, SitemapFacts]:
    """Read it to its end, for what it is and how much is in it."""
    sitemap = _sitemap(stream)
    attack, is_too_large = None, False
    try:
        deque(sitemap, maxlen=0)
    except SitemapError as error:
        attack = str(error)
    except TooLarge:
        is_too_large = True
    return _facts(sitemap, headers, attack, is_too_large=is_too_large)
    yield


def read_site_urls(
    stream: WireStream, *, headers: Mapping[str, str], domain: str, asked_for: str, most_chosen: int
) -> Generator[SiteUrls, None, SiteSitemap]:
    """Sort what it names as it comes: the pages of a domain, or an index's sitemaps there and beside the file."""
    sitemap = _sitemap(stream)
    entries = _Entries(domain, asked_for, most_chosen)
    attack, is_too_large = None, False
    try:
        for entry in sitemap:
            entries.add(entry, sitemap.kind)
            if entries.is_full:
                yield entries.batch()
    except SitemapError as error:
        attack = str(error)
    except TooLarge:
        is_too_large = True
    yield entries.batch()
    left_out = entries.near if sitemap.kind == "index" else entries.own
    return SiteSitemap(
        _facts(sitemap, headers, attack, is_too_large=is_too_large),
        tuple(sorted(entries.chosen)),
        LeftOut(left_out.duplicates, left_out.off_site, left_out.too_long),
    )


def _sitemap(stream: WireStream) -> Sitemap:
    head = stream.head
    return Sitemap(unpacked(stream.chunks, head.coding, head.most), url=head.url)


def _facts(sitemap: Sitemap, headers: Mapping[str, str], attack: str | None, *, is_too_large: bool) -> SitemapFacts:
    return SitemapFacts(
        kind=sitemap.kind,
        type=sitemap.type,
        is_sitemap=sitemap.is_sitemap,
        count=sitemap.count,
        skipped=sitemap.skipped,
        unrendered=sitemap.unrendered,
        size=sitemap.size,
        has_lastmod=sitemap.has_lastmod,
        has_priority=sitemap.has_priority,
        has_changefreq=sitemap.has_changefreq,
        generator=generator_of(sitemap.head, headers),
        beginning=sitemap.head.strip()[:_QUOTED],
        problem=sitemap.problem,
        attack=attack,
        is_too_large=is_too_large,
    )


class _Entries:
    """The entries of one file: sorted as they come, handed on in batches."""

    def __init__(self, domain: str, asked_for: str, most_chosen: int) -> None:
        self.own = OwnUrls(domain)
        # A file that robots.txt keeps with somebody else may name its neighbours there, but no pages.
        url = parse_url(asked_for)
        self.near = OwnUrls(domain, *([url.host] if url else []))
        self.near.take(asked_for)
        self._choice = Choice(most=most_chosen)
        self._numbers: dict[Category, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._known = len(self._numbers)
        self._pages: list[SitePage] = []
        self._sitemaps: list[str] = []

    @property
    def chosen(self) -> frozenset[str]:
        return self._choice.urls

    @property
    def is_full(self) -> bool:
        return len(self._pages) + len(self._sitemaps) >= _BATCH

    def add(self, entry: Entry, kind: str) -> None:
        if kind == "index":
            child = self.near.take(entry.url)
            if child is not None:
                self._sitemaps.append(child.href)
            return
        page = self.own.take(entry.url)
        if page is not None:
            self._pages.append(self._choice.judge(page, entry.last_modified))

    def batch(self) -> SiteUrls:
        pages = tuple(self._numbered())
        batch = SiteUrls(tuple(self._numbers)[self._known :], pages, tuple(self._sitemaps))
        self._begin()
        return batch

    def _numbered(self) -> Iterator[tuple[str, str | None, int]]:
        for page in self._pages:
            yield page.url, page.last_modified, self._numbers.setdefault(page.category, len(self._numbers))
