"""The URLs of one site: each once, categorised, the best of them chosen, and nothing of anybody else's."""

import zlib
from collections.abc import Iterator
from hashlib import blake2b
from heapq import nsmallest
from typing import NamedTuple, Self

from actors.parse.page_keys import page_key
from actors.parse.pages import Category, is_contact_like, judge
from actors.parse.urls import Url, parse_url

# The index on an address takes no more.
LONGEST_STORED_URL = 2048

_CANDIDATES_PER_CHOICE = 50
_PAGES_IN_A_BLOCK = 1000


class OwnUrls:
    """Lets a URL of the site through once, and counts what it does not let through."""

    def __init__(self, *domains: str) -> None:
        self.off_site = 0
        self.duplicates = 0
        self.too_long = 0
        self._domains = domains
        # Fingerprints, because a second copy of 50,000 long URLs would be most of the memory.
        self._seen: set[bytes] = set()

    def take(self, url: str) -> Url | None:
        """The URL as it is stored, or None."""
        parsed = parse_url(url)
        if parsed is None or not any(is_of_site(parsed, domain) for domain in self._domains):
            self.off_site += 1
            return None
        key = page_key(parsed)
        if len(key) > LONGEST_STORED_URL:
            self.too_long += 1
            return None
        fingerprint = blake2b(key.encode(), digest_size=16).digest()
        if fingerprint in self._seen:
            self.duplicates += 1
            return None
        self._seen.add(fingerprint)
        return parsed if key == parsed.href else parse_url(key)


class SitePage(NamedTuple):
    url: str
    last_modified: str | None
    category: Category


class _Block(NamedTuple):
    """A thousand pages, their addresses compressed: they resemble each other, and 50,000 of them may be 50 MB."""

    urls: bytes
    last_modified: tuple[str | None, ...]
    categories: tuple[Category, ...]

    @classmethod
    def of(cls, pages: list[SitePage]) -> Self:
        urls = "\n".join(page.url for page in pages)
        dates, categories = (page.last_modified for page in pages), (page.category for page in pages)
        return cls(zlib.compress(urls.encode(), level=1), tuple(dates), tuple(categories))

    def pages(self) -> Iterator[SitePage]:
        urls = zlib.decompress(self.urls).decode().split("\n")
        return map(SitePage, urls, self.last_modified, self.categories)


class Choice:
    """Judges the pages of a site as they come, and knows the best of them."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._best: list[tuple[int, float, int, int, str]] = []

    @property
    def urls(self) -> frozenset[str]:
        """The contact-like pages to read first, so many at most."""
        return frozenset(candidate[-1] for candidate in nsmallest(self._most, self._best))

    def judge(self, url: Url, last_modified: str | None) -> SitePage:
        category = judge(url)
        if is_contact_like(category):
            self._best.append((category.priority, -category.confidence, category.depth, len(url.href), url.href))
            if len(self._best) > _CANDIDATES_PER_CHOICE * self._most:
                self._best = nsmallest(self._most, self._best)
        return SitePage(url.href, last_modified, category)


class SitePages:
    """Add pages as they come; iterate over them as often as needed."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._last: list[SitePage] = []

    def __len__(self) -> int:
        return len(self._blocks) * _PAGES_IN_A_BLOCK + len(self._last)

    def __iter__(self) -> Iterator[SitePage]:
        for block in self._blocks:
            yield from block.pages()
        yield from self._last

    def add(self, page: SitePage) -> None:
        self._last.append(page)
        if len(self._last) == _PAGES_IN_A_BLOCK:
            self._blocks.append(_Block.of(self._last))
            self._last = []


def is_of_site(url: Url, domain: str) -> bool:
    """Whether the URL's host is the domain or below it."""
    host = url.host.removesuffix(".")
    return host == domain or host.endswith(f".{domain}")
