"""Sitemap -> pages; index -> further sitemaps.

in    sitemap_files.url, and what the server said of it when it was last read
out   pages, one row per URL of the site, categorised, contact-like ones selected; for an index sitemap_files, selected
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from actors._workflow import Alike, Found, Politeness, Words, Workflow
from actors.errors import GiveUp, Unusable
from actors.fetch.web import Stream, Web
from actors.parse.pages import Category, honeybee
from actors.parse.site_urls import SitePage, SitePages
from actors.parse.sitemap_bytes import MOST_BYTES
from actors.parse.sitemap_dates import http_date
from actors.parse.sitemap_reading import LeftOut, SitemapFacts, SiteSitemap, SiteUrls, read_site_urls
from actors.parse.sitemaps import MOST_URLS
from actors.sandbox.reader import Reader
from actors.selection import AutoSelect, MostSitemaps
from db.models import Page, SitemapFile

MOST_CONTACT_LIKE = 20
MOST_CHILDREN = 500
DEEPEST = 3

_NOT_MODIFIED = 304

sitemap_import = Workflow(
    table=SitemapFile,
    status="sitemap_import_status",
    error="sitemap_import_error",
    result="sitemap_import_result",
    curation="deep_scrape_curation_status",
    words=Words("Queued", "Processing", "Complete", "Error"),
    feeds="page_curation",
    borrowed={"domain": "domain_id"},
    counted={"neighbours": Alike("domain_id", parent="parent_id")},
    politeness=Politeness(column="domain_id", group="host"),
    time_limit=timedelta(minutes=10),
)


class File(NamedTuple):
    id: UUID
    domain_id: UUID
    url: str
    depth: int
    etag: str | None
    http_last_modified: str | None
    domain: str
    neighbours: int


class PageRows:
    """The rows of up to 50,000 pages, made anew whenever they are asked for: all at once they would fill the memory."""

    def __init__(self, file: File, pages: SitePages, chosen: frozenset[str], curation: str) -> None:
        self._file = file
        self._pages = pages
        self._chosen = chosen
        self._curation = curation

    def __iter__(self) -> Iterator[Page]:
        return (self._row(page, self._curation if page.url in self._chosen else "New") for page in self._pages)

    def _row(self, page: SitePage, curation: str) -> Page:
        row = Page(
            domain_id=self._file.domain_id,
            url=page.url,
            sitemap_file_id=self._file.id,
            lead_source="sitemap_import",
            page_type=page.category.page_type,
            honeybee_json=honeybee(page.category),
            priority_level=page.category.priority,
            path_depth=page.category.depth,
            page_curation_status=curation,
        )
        if page.last_modified is not None:
            row.last_modified = datetime.fromisoformat(page.last_modified)
        if page.category.decision == "skip":
            row.page_processing_status = "Filtered"
        return row


class Entries:
    """What a file names, collected as it comes: the site's pages, or the sitemaps of an index.

    A parser process is not to be trusted: there are at most as many of each as a file may have URLs.
    """

    def __init__(self, url: str) -> None:
        self.pages = SitePages()
        self.children: list[str] = []
        self.categories: list[Category] = []
        self._url = url

    def add(self, batch: SiteUrls) -> None:
        self.categories += batch.categories[: MOST_URLS - len(self.categories)]
        self.children += batch.sitemaps[: MOST_URLS - len(self.children)]
        for url, last_modified, number in batch.pages[: MOST_URLS - len(self.pages)]:
            if not 0 <= number < len(self.categories):
                message = f"{self._url}: its parser names a category {number}, and {len(self.categories):,} are known"
                raise Unusable(message, kind="parser_answer", url=self._url)
            self.pages.add(SitePage(url, last_modified, self.categories[number]))


@sitemap_import.run
def import_sitemap(file: File, web: Web, reader: Reader, auto_select: AutoSelect, most: MostSitemaps) -> Found:
    """Read the file as it arrives; what is there of a damaged or oversized one is kept, and called partial."""
    entries = Entries(file.url)
    with web.stream(file.url, most=MOST_BYTES, etag=file.etag, last_modified=file.http_last_modified) as stream:
        if stream.status == _NOT_MODIFIED:
            return Found(reason="not changed since it was last read")
        read = _read(reader, file, stream, entries)
    sitemap, problem = read.facts, _problem(read.facts)
    _refuse_what_is_no_sitemap(sitemap, file.url, problem)
    if sitemap.kind == "index":
        followed, crowd = _followed(file, entries.children, most)
        problem = "; ".join(filter(None, (problem, crowd))) or None
        told = [_children_told(file, len(entries.children), len(followed)), *_left_out(sitemap, read.left_out)]
        rows = [_child(file, url) for url in followed]
        return Found(rows, _values(sitemap, stream, is_whole=problem is None), _told(told, problem))
    curation, chosen = auto_select.curation("pages"), frozenset(read.chosen)
    pages = _pages_told(sitemap, len(entries.pages), len(chosen), curation)
    told = [pages, *_left_out(sitemap, read.left_out)]
    values = _values(sitemap, stream, is_whole=problem is None)
    return Found(PageRows(file, entries.pages, chosen, curation), values, _told(told, problem))


def _read(reader: Reader, file: File, stream: Stream, entries: Entries) -> SiteSitemap:
    read = reader.stream(
        read_site_urls,
        stream.wire,
        entries.add,
        headers=dict(stream.headers),
        domain=file.domain,
        asked_for=file.url,
        most_chosen=MOST_CONTACT_LIKE,
    )
    if read.facts.attack is not None:
        raise GiveUp(f"not a sitemap but {read.facts.attack}")
    if read.facts.is_too_large and read.facts.count == 0:
        raise Unusable(f"{stream.url}: more than {MOST_BYTES:,} bytes", kind="too_large", url=stream.url)
    return read


def _problem(sitemap: SitemapFacts) -> str | None:
    """Why the file was not read to its end, or None."""
    return f"cut off after {MOST_BYTES:,} bytes" if sitemap.is_too_large else sitemap.problem


def _refuse_what_is_no_sitemap(sitemap: SitemapFacts, url: str, problem: str | None) -> None:
    if sitemap.kind == "html":
        raise GiveUp(f"{url} is an HTML page, not a sitemap")
    if sitemap.kind == "unknown":
        raise GiveUp(f"{url} is no sitemap: it begins with {sitemap.beginning!r}")
    if sitemap.kind == "empty" and problem is not None:
        raise GiveUp(f"{url} cannot be read: {problem}")


def _values(sitemap: SitemapFacts, stream: Stream, *, is_whole: bool) -> dict[str, Any]:
    """What is known of the file now. The validators of a partial one are not kept: the next time it is read again."""
    headers = stream.headers
    values = {
        "sitemap_type": sitemap.type,
        "url_count": sitemap.count,
        "size_bytes": sitemap.size,
        "has_lastmod": sitemap.has_lastmod,
        "has_priority": sitemap.has_priority,
        "has_changefreq": sitemap.has_changefreq,
        "last_modified": http_date(headers.get("last-modified")),
        "etag": headers.get("etag") if is_whole else None,
        "http_last_modified": headers.get("last-modified") if is_whole else None,
    }
    return values if sitemap.generator is None else {**values, "generator": sitemap.generator}


def _followed(file: File, children: list[str], most: int) -> tuple[list[str], str | None]:
    """Those that the site has room for, where this file's own have theirs already; and why not all, if so."""
    near = children[:MOST_CHILDREN] if file.depth < DEEPEST else []
    followed = near[: max(0, most - file.neighbours)]
    if len(followed) == len(near):
        return followed, None
    return followed, f"besides these the site has {file.neighbours:,}, and {most:,} is the limit"


def _child(file: File, url: str) -> SitemapFile:
    return SitemapFile(
        domain_id=file.domain_id,
        url=url,
        parent_id=file.id,
        depth=file.depth + 1,
        discovery_method="sitemap_index",
        deep_scrape_curation_status="Selected",
    )


def _children_told(file: File, children: int, followed: int) -> str:
    if not children:
        return "no sitemaps in this index"
    count = f"{children:,} {'sitemap' if children == 1 else 'sitemaps'}"
    if file.depth >= DEEPEST:
        return f"{count} not followed: {DEEPEST} indexes stand above them"
    if followed == children:
        return count
    return f"{count}, of which {f'the first {followed:,} are' if followed else 'none is'} followed"


def _pages_told(sitemap: SitemapFacts, pages: int, chosen: int, curation: str) -> str:
    if sitemap.count == 0:
        return "no URLs: the file is empty" if sitemap.kind == "empty" else "no URLs"
    selected = " selected" if curation == "Selected" else ""
    return f"{pages:,} {'page' if pages == 1 else 'pages'} ({chosen} contact-like{selected})"


def _left_out(sitemap: SitemapFacts, own: LeftOut) -> list[str]:
    counts = {
        "duplicates": own.duplicates,
        "of other sites": own.off_site,
        "too long": own.too_long,
        "not web addresses": sitemap.skipped,
        "unfilled templates": sitemap.unrendered,
    }
    return [f"{count:,} {what}" for what, count in counts.items() if count]


def _told(parts: list[str], problem: str | None) -> str:
    return ", ".join(parts) + (f"; {problem}: partial" if problem else "")
