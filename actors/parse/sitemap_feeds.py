"""RSS and Atom feeds that serve as sitemaps, read by feedparser."""

import io
from collections.abc import Iterable, Iterator
from time import struct_time
from typing import Any, NamedTuple

import feedparser

from actors.parse.sitemap_dates import iso_time
from actors.parse.sitemap_xml import mend

# feedparser takes its time over hostile input: some seconds for each of these two megabytes, and no more.
MOST_CHARACTERS = 2_000_000


class FeedItem(NamedTuple):
    link: str
    updated: str | None


def read_feed(pieces: Iterable[str]) -> tuple[Iterator[FeedItem], bool]:
    """The items that have a link, and whether the whole feed was read."""
    text, complete = _bounded(pieces)
    # Mended, because feedparser raises at a reference to no character.
    # A stream, because feedparser takes a string that looks like an address or a file name for one and goes there.
    feed = feedparser.parse(
        io.BytesIO(mend(text).encode("utf-8")),
        response_headers={"content-type": "application/xml; charset=utf-8"},
        resolve_relative_uris=False,
        sanitize_html=False,
    )
    linked = ((item, item.get("link")) for item in feed.entries)
    return (FeedItem(link, iso_time(_date(item))) for item, link in linked if isinstance(link, str) and link), complete


def _date(item: dict[str, Any]) -> struct_time | None:
    # By the dictionary's own get: feedparser's takes one date for another, and warns that it does.
    date = dict.get(item, "updated_parsed") or dict.get(item, "published_parsed")
    return date if isinstance(date, struct_time) else None


def _bounded(pieces: Iterable[str]) -> tuple[str, bool]:
    kept: list[str] = []
    room = MOST_CHARACTERS
    for piece in pieces:
        if len(piece) > room:
            return "".join([*kept, piece[:room]]), False
        kept.append(piece)
        room -= len(piece)
    return "".join(kept), True
