"""Sitemaps of every kind, read as their bytes arrive.

Sitemap      iterate over it for its entries; afterwards it says what it was and how much of it was read
count_urls   how many URLs a file names
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from actors.parse.sitemap_bytes import MOST_BYTES, SitemapError, Unpacked, decoded
from actors.parse.sitemap_dates import feed_date, iso_date
from actors.parse.sitemap_feeds import FeedReader
from actors.parse.sitemap_kinds import BLANKS, kind_of
from actors.parse.sitemap_xml import LocationReader, read_locations
from actors.parse.urls import parse_url

__all__ = ["MOST_BYTES", "MOST_URLS", "Entry", "Sitemap", "SitemapError", "count_urls"]

# The protocol allows no more in one file.
MOST_URLS = 50_000

_HEAD = 64 * 1024
_LONGEST_LINE = 10_000
_BROKEN = "cut off or broken before its end"
_UNRENDERED = ("{{", "{%", "<%", "${", "<?")


class Entry(NamedTuple):
    url: str
    last_modified: str | None
    """ISO 8601, or None where the file says nothing that is a date."""


class Sitemap:
    """One file, to be iterated over once.

    An index's entries are sitemaps, all others' are pages. What follows is known after the iteration:
    kind (urlset, index, text, rss, atom; html, empty or unknown when it is no sitemap), the count of entries, how many
    were skipped (no web address) or unrendered (a template that nobody filled in), the size unpacked, and the problem,
    if any, for which it was not read to its end.
    """

    def __init__(
        self, chunks: Iterable[bytes], *, url: str, most_urls: int = MOST_URLS, most: int = MOST_BYTES
    ) -> None:
        self.kind = "empty"
        self.count = 0
        self.skipped = 0
        self.unrendered = 0
        self.has_lastmod = False
        self.has_priority = False
        self.has_changefreq = False
        self.extension: str | None = None
        self.head = ""
        self._url = url
        self._most_urls = most_urls
        self._bytes = Unpacked(chunks, most=most)
        self._problem: str | None = None

    @property
    def size(self) -> int:
        return self._bytes.size

    @property
    def problem(self) -> str | None:
        return self._bytes.problem or self._problem

    @property
    def is_sitemap(self) -> bool:
        return self.kind not in ("html", "empty", "unknown")

    @property
    def type(self) -> str:
        """The kind, or image, news or video when every entry has something of that sort."""
        return self.extension or self.kind

    def __iter__(self) -> Iterator[Entry]:
        for entry in self._entries():
            if self.count == self._most_urls:
                self._problem = f"more than {self._most_urls:,} URLs"
                return
            self.count += 1
            yield entry

    def _entries(self) -> Iterator[Entry]:
        pieces = decoded(self._bytes)
        self.head = _beginning(pieces)
        kind = kind_of(self.head)
        self.kind = kind.name
        text = chain([self.head[kind.begins_at :]], pieces)
        if kind.name in ("urlset", "index"):
            yield from self._xml_entries(text)
        elif kind.name in ("rss", "atom"):
            yield from self._feed_entries(text)
        elif kind.name == "text":
            yield from self._text_entries(text)

    def _xml_entries(self, text: Iterable[str]) -> Iterator[Entry]:
        reader = LocationReader()
        for loc, lastmod in read_locations(text, reader):
            yield from self._resolved(loc, iso_date(lastmod) if lastmod else None, base=self._url)
        self.has_lastmod, self.has_priority = reader.has_lastmod, reader.has_priority
        self.has_changefreq = reader.has_changefreq
        everywhere = (name for name, entries in reader.entries_with.items() if entries >= self.count > 0)
        self.extension = min(everywhere, default=None)
        if not reader.complete:
            self._problem = _BROKEN

    def _feed_entries(self, text: Iterable[str]) -> Iterator[Entry]:
        reader = FeedReader()
        for link, date in read_locations(text, reader):
            updated = feed_date(date) if date else None
            self.has_lastmod = self.has_lastmod or updated is not None
            yield from self._resolved(link, updated, base=self._url)
        if not reader.complete:
            self._problem = _BROKEN

    def _text_entries(self, text: Iterable[str]) -> Iterator[Entry]:
        for line in _lines(text):
            written = line.strip("\ufeff\x00 \t\r")
            if written and not written.startswith("#"):
                yield from self._resolved(written, None, base=None)

    def _resolved(self, written: str, last_modified: str | None, *, base: str | None) -> Iterator[Entry]:
        if any(mark in written for mark in _UNRENDERED):
            self.unrendered += 1
            return
        url = parse_url(written.replace("&amp;", "&"), base)
        if url is None or url.scheme not in ("http", "https"):
            self.skipped += 1
        else:
            yield Entry(url.href, last_modified)


def count_urls(body: bytes, url: str) -> int:
    """How many addresses the file names, each as often as it names it, also those where no browser could go."""
    sitemap = Sitemap([body], url=url)
    return sum(1 for _ in sitemap) + sitemap.skipped


def _beginning(pieces: Iterator[str]) -> str:
    """The first kilobytes that are not blank, together with what came in the same piece."""
    kept: list[str] = []
    length = 0
    for piece in pieces:
        if length == 0 and not piece.strip(BLANKS):
            continue
        kept.append(piece)
        length += len(piece)
        if length >= _HEAD:
            break
    return "".join(kept)


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """Line by line; the end of a line that is longer than any URL is dropped."""
    held = ""
    for piece in pieces:
        *lines, held = (held[:_LONGEST_LINE] + piece).replace("\r", "\n").split("\n")
        yield from lines
    yield held
