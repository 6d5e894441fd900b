"""What a parser process runs on a document from the web, by the kind of the document.

Every reader of the product's registry is called here; a test compares ATTACKED with it.
"""

from collections.abc import Callable, Generator
from typing import Any, Final

from actors.parse import readers
from actors.parse.robots_reading import ask_robots, read_named_sitemaps, read_robots_text
from actors.parse.wire_body import WireBody, WireHead, WireStream

URL: Final = "https://clinic.example/"
SITEMAP_URL: Final = URL + "sitemap.xml"
AGENT: Final = "ScraperSky/1.0"
ATTACKED: Final = {
    *("home_page", "contact_page", "sitemap_links", "sitemap", "site_urls"),
    *("robots_text", "robots_rules", "robots_sitemaps"),
}
_MOST: Final = 50_000_000
# As a client hands a body over, piece by piece.
_CHUNK: Final = 65_536


def body_at(url: str, content: bytes) -> WireBody:
    return WireBody(WireHead(url, None, None, _MOST), content)


def read_home(content: bytes) -> Any:
    """As domain_metadata reads a page."""
    bodies = [body_at(URL, content)]
    return readers.READERS["home_page"](bodies, hops=[URL], headers={"server": "nginx"}, region="DE")


def read_contact_page(content: bytes) -> Any:
    """As page_curation reads it."""
    return readers.READERS["contact_page"]([body_at(URL, content)], region="DE")


def read_sitemap_links(content: bytes) -> Any:
    """As sitemap_discovery reads it."""
    return readers.READERS["sitemap_links"]([body_at(URL, content)], url=URL)


def stream_of(content: bytes) -> WireStream:
    chunks = (content[start : start + _CHUNK] for start in range(0, len(content), _CHUNK))
    return WireStream(WireHead(SITEMAP_URL, None, None, _MOST), chunks)


def survey_sitemap(content: bytes) -> Any:
    """As sitemap_discovery reads a sitemap."""
    return _answer(readers.STREAM_READERS["sitemap"](stream_of(content), headers={}))


def read_site_urls(content: bytes) -> Any:
    """As sitemap_import reads it."""
    site = {"domain": "clinic.example", "asked_for": SITEMAP_URL, "most_chosen": 20}
    return _answer(readers.STREAM_READERS["site_urls"](stream_of(content), headers={}, **site))


def _answer(batches: Generator[Any, None, Any]) -> Any:
    """The last word of a stream reader; its batches go on to the worker one by one."""
    while True:
        try:
            next(batches)
        except StopIteration as ended:
            return ended.value


def read_robots(content: bytes) -> tuple[Any, ...]:
    """A robots.txt as the fetcher reads it, asked about a page twice."""
    url = URL + "robots.txt"
    rules = [body_at(url, read_robots_text([body_at(url, content)]).encode())]
    asked = (URL, f"{URL}contact/{'a' * 1_500}?{'b=c&' * 50}")
    return (
        *(ask_robots(rules, target=target, agent=AGENT) for target in asked),
        read_named_sitemaps(rules, agent=AGENT)[:50],
    )


# A parser process has its limits for each of them anew.
READERS: Final[dict[str, tuple[Callable[[bytes], Any], ...]]] = {
    "page": (read_home, read_contact_page, read_sitemap_links),
    "sitemap": (survey_sitemap, read_site_urls),
    "robots": (read_robots,),
}
