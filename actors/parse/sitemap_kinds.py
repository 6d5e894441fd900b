"""What a file is, by its beginning: a sitemap of one of five kinds, or something else in a sitemap's place."""

import re
from typing import NamedTuple

from actors.parse.sitemap_bytes import SitemapError
from actors.parse.urls import parse_url

BLANKS = "\ufeff \t\r\n"

ROOTS = {"urlset": "urlset", "sitemapindex": "index", "rss": "rss", "rdf": "rss", "feed": "atom"}

# Front matter and the warnings of a script may stand before the document.
_BEGINNING = re.compile(r"<\?xml\b|<(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex|rss|feed|rdf)[\s/>]", re.IGNORECASE)
_PROLOG = re.compile(r"\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>", re.IGNORECASE | re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]{1,40}:)?([\w.-]{1,40})")
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body|script|meta|div|p|br|h1)\b", re.IGNORECASE)
_ENTITY = re.compile(r"<!ENTITY", re.IGNORECASE)
_LONGEST_LINE = 4096


class Kind(NamedTuple):
    """The kind, and where in the text the document begins."""

    name: str
    begins_at: int = 0


def kind_of(head: str) -> Kind:
    """urlset, index, text, rss, atom; html, empty and unknown are no sitemaps."""
    if not head.strip(BLANKS):
        return Kind("empty")
    beginning = _BEGINNING.search(head)
    html = _HTML.search(head)
    if beginning is None:
        return Kind("html" if html else "text" if _first_line_is_a_url(head) else "unknown")
    if html and html.start() < beginning.start() and _is_whole_page(html[0]):
        return Kind("html")
    # No sitemap needs entities; whoever declares some wants them multiplied.
    if _ENTITY.search(head):
        raise SitemapError("an XML bomb: the document declares entities, which no sitemap does")
    return Kind(_root_kind(head, beginning.start()), beginning.start())


def _root_kind(head: str, position: int) -> str:
    while prolog := _PROLOG.match(head, position):
        position = prolog.end()
    root = _ROOT.match(head, position)
    name = root[1].lower() if root else ""
    return ROOTS.get(name, "html" if _HTML.match(f"<{name}") else "unknown")


def _is_whole_page(tag: str) -> bool:
    """Whether the tag begins a page, and not the warning of a script that went on to write a sitemap."""
    return tag.lower().lstrip("<").split()[0] in ("!doctype", "html", "head", "body")


def _first_line_is_a_url(head: str) -> bool:
    lines = (line.strip("\ufeff\x00 \t") for line in head.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if len(first) > _LONGEST_LINE or " " in first:
        return False
    url = parse_url(first)
    return url is not None and url.scheme in ("http", "https")
