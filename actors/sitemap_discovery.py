"""Domain -> sitemap files.

in    domains.domain, home_url
out   sitemap_files, one row per sitemap that is really there, selected for the import when AUTO_SELECT says so
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from actors._workflow import Found, Politeness, Words, Workflow
from actors.errors import Busy, Denied, FetchError, NotThere, Unusable
from actors.fetch.home_page import LedElsewhere, read_home_page
from actors.fetch.web import Web
from actors.parse.home_page import read_sitemap_links
from actors.parse.site_urls import LONGEST_STORED_URL, is_of_site
from actors.parse.sitemap_links import USUAL_PATHS
from actors.parse.sitemap_reading import survey_sitemap
from actors.parse.urls import parse_url
from actors.sandbox.reader import Reader
from actors.selection import AutoSelect
from db.models import Domain, SitemapFile

MOST_NAMED = 50
MOST_READ = 20
# Enough to see what a file is; the import reads the rest.
MOST_BYTES = 10 * 1024 * 1024
_FAILURES_TO_STOP_AT = 2
_METHODS = {"robots_txt": "robots.txt", "common_path": "a usual path", "html_link": "a link of the home page"}

sitemap_discovery = Workflow(
    table=Domain,
    status="sitemap_analysis_status",
    error="sitemap_analysis_error",
    result="sitemap_analysis_result",
    curation="sitemap_curation_status",
    words=Words("queued", "processing", "submitted", "failed"),
    feeds="sitemap_import",
    politeness=Politeness(column="id", group="host"),
    time_limit=timedelta(minutes=5),
)


class Site(NamedTuple):
    id: UUID
    domain: str
    home_url: str | None


class Search:
    """What was looked at, and what came of it."""

    def __init__(self, site: Site, web: Web, reader: Reader) -> None:
        self.found: dict[str, SitemapFile] = {}
        self.failures: list[FetchError] = []
        self.forbidden = 0
        self._seen: set[str] = set()
        self._site = site
        self._web = web
        self._reader = reader

    @property
    def is_in_trouble(self) -> bool:
        """Whether the site fails so often that it is better left alone."""
        return len(self.failures) >= _FAILURES_TO_STOP_AT

    def look(self, url: str, method: str, *, anywhere: bool = False) -> None:
        """Read a file and keep it if it is a sitemap; `anywhere` allows it to be with somebody else."""
        if url in self._seen or self.is_in_trouble:
            return
        self._seen.add(url)
        try:
            self._read(url, method, anywhere=anywhere)
        except Busy:
            raise
        except Denied as error:
            # Too slow to crawl holds for the whole site, and is told as what it is.
            if error.kind == "crawl_delay" and not anywhere:
                raise
            self.forbidden += 1
        except (NotThere, Unusable):
            return
        except FetchError as error:
            self.failures.append(error)

    def keep(self, file: SitemapFile) -> None:
        if file.url not in self.found and len(file.url) <= LONGEST_STORED_URL:
            self._seen.add(file.url)
            self.found[file.url] = file

    def _read(self, url: str, method: str, *, anywhere: bool) -> None:
        with self._web.stream(url, most=MOST_BYTES) as stream:
            sitemap = self._reader.stream(
                survey_sitemap, stream.wire, _nothing_on_the_way, headers=dict(stream.headers)
            )
        parsed = parse_url(stream.url)
        belongs = parsed is not None and (anywhere or is_of_site(parsed, self._site.domain))
        if not (sitemap.is_sitemap and belongs) or sitemap.attack:
            return
        is_whole = sitemap.problem is None and not sitemap.is_too_large
        self.keep(
            SitemapFile(
                domain_id=self._site.id,
                url=stream.url.partition("#")[0],
                discovery_method=method,
                sitemap_type=sitemap.type,
                generator=sitemap.generator,
                url_count=sitemap.count if is_whole else None,
                size_bytes=sitemap.size if is_whole else None,
                has_lastmod=sitemap.has_lastmod,
                has_priority=sitemap.has_priority,
                has_changefreq=sitemap.has_changefreq,
            )
        )


@sitemap_discovery.run
def discover_sitemaps(site: Site, web: Web, reader: Reader, auto_select: AutoSelect) -> Found:
    """Ask robots.txt, then the usual paths, then the home page; stop as soon as there is something."""
    home: str | None = site.home_url
    linked: Sequence[str] | None = None
    if home is None:
        page = read_home_page(web, reader, site.domain)
        if isinstance(page, LedElsewhere):
            return _nothing(f"no sitemap: {page.problem}")
        home, linked = page.url, page.reading.sitemaps
    base = parse_url("/", home)
    if base is None or not is_of_site(base, site.domain):
        return _nothing(f"no sitemap: the home page is at {base.host if base else home}, which is another domain")
    search = Search(site, web, reader)
    named = web.robots(base.href).sitemaps[:MOST_NAMED]
    for url in named[:MOST_READ]:
        search.look(url, "robots_txt", anywhere=True)
    tried = _try_usual_paths(search, base.href)
    if not search.found and not search.is_in_trouble:
        for url in _links(web, reader, home) if linked is None else linked:
            search.look(url, "html_link")
    if not search.found and search.failures:
        raise search.failures[0]
    for url in _unread(named, search):
        search.keep(SitemapFile(domain_id=site.id, url=url, discovery_method="robots_txt"))
    return _told(search, named, tried, auto_select.curation("sitemaps"))


def _try_usual_paths(search: Search, base: str) -> int:
    """One path only when robots.txt has named a sitemap, otherwise until one is found; returns how many were tried."""
    paths = USUAL_PATHS[:1] if search.found else USUAL_PATHS
    for tried, path in enumerate(paths, start=1):
        search.look(base.removesuffix("/") + path, "common_path")
        if search.found:
            return tried
    return len(paths)


def _links(web: Web, reader: Reader, home: str) -> tuple[str, ...]:
    """A home page that may not be read, or is no page, links to nothing."""
    try:
        return reader.read(read_sitemap_links, [web.get(home).wire], url=home)
    except (Denied, NotThere, Unusable):
        return ()


def _unread(named: Sequence[str], search: Search) -> Iterator[str]:
    """What robots.txt names and we did not get to see, because of the server or because there is so much."""
    failed = {error.url for error in search.failures}
    return (url for number, url in enumerate(named) if number >= MOST_READ or url in failed)


def _nothing_on_the_way(_: None) -> None:
    """A survey finds everything at its end."""


def _told(search: Search, named: Sequence[str], tried: int, curation: str) -> Found:
    files = list(search.found.values())
    if not files:
        robots = f"robots.txt names {len(named)} that are none" if named else "robots.txt names none"
        forbidden = f" ({search.forbidden} forbidden by robots.txt)" if search.forbidden else ""
        return _nothing(
            f"no sitemap: {robots}, {tried} usual paths are not there{forbidden}, the home page links to none"
        )
    for file in files:
        file.deep_scrape_curation_status = curation
    urls = sum(file.url_count or 0 for file in files if file.sitemap_type != "index")
    methods = Counter(_METHODS[file.discovery_method or ""] for file in files)
    where = ", ".join(f"{count} by {method}" for method, count in methods.items())
    count = "1 sitemap" if len(files) == 1 else f"{len(files)} sitemaps"
    failed = f"; {search.failures[0]}" if search.failures else ""
    return Found(
        rows=files,
        values={"total_sitemaps": len(files), "sitemap_urls": urls},
        reason=f"{count} ({where}), {urls:,} URLs{failed}",
    )


def _nothing(reason: str) -> Found:
    return Found(values={"total_sitemaps": 0, "sitemap_urls": 0}, reason=reason)
