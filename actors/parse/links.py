"""The links of a home page behind which contacts are to be expected."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from actors.parse.domains import registrable_domain
from actors.parse.html import Document
from actors.parse.page_keys import page_key
from actors.parse.pages import Category, categorise, honeybee, is_contact_like
from actors.parse.urls import parse_url

_MOST = 10
_MOST_LOOKED_AT = 2_000
# What the database stores of a URL, in bytes; and texts longer than this are no names of pages.
_LONGEST_URL = 2_048
_LONGEST_TEXT = 60


class PageLink(NamedTuple):
    url: str
    page_type: str
    depth: int
    priority: int
    judgement: dict[str, Any]


def home_link(url: str) -> list[PageLink]:
    """The page itself, whatever its address looks like; nothing when the address is too long to be stored."""
    parsed = parse_url(url)
    if parsed is None:
        return []
    key = page_key(parsed)
    category = categorise(key)._replace(page_type="home_root", matched="home page", decision="include", priority=2)
    return _stored([_link(key, category)])


def contact_links(pages: Sequence[tuple[str, Document]]) -> list[PageLink]:
    """The contact-like pages of the first page's owner to which these pages link, each once, the best first."""
    here = parse_url(pages[0][0])
    if here is None:
        return []
    owner, seen = registrable_domain(here.host), {page_key(here)}
    links: list[PageLink] = []
    for link in (link for url, document in pages for link in document.links(url)[:_MOST_LOOKED_AT]):
        if registrable_domain(link.target.host) != owner or (key := page_key(link.target)) in seen:
            continue
        category = categorise(key, link.text if len(link.text) <= _LONGEST_TEXT else "")
        if is_contact_like(category):
            seen.add(key)
            links.append(_link(key, category))
    return sorted(_stored(links), key=lambda link: link.priority)[:_MOST]


def _link(key: str, category: Category) -> PageLink:
    return PageLink(key, category.page_type, category.depth, category.priority, honeybee(category))


def _stored(links: list[PageLink]) -> list[PageLink]:
    return [link for link in links if len(link.url.encode()) <= _LONGEST_URL]
