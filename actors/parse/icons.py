"""The pictures by which a site is recognised: its icon and its logo."""

import re
from collections.abc import Iterator
from typing import Any

from selectolax.lexbor import LexborNode

from actors.parse.html import Document
from actors.parse.urls import LONGEST_URL, parse_url

_SIZE = re.compile(r"([0-9]{1,4})x[0-9]{1,4}", re.IGNORECASE)
_SMALLEST, _TOUCH, _SCALABLE = 16, 180, 512
_LOGO = re.compile(
    r"(?<![a-z])(?:site|custom|header|navbar|nav|brand|company|main|top|my)?[-_ ]?logo(?!ut|n(?![a-z])|p[aäe])"
)
_MOST_PICTURES = 200
_FIRST_PICTURES = 5


def favicon(document: Document, url: str) -> str | None:
    """The largest icon that the page names; the first of equals."""
    best: tuple[int, str] | None = None
    for node in document.select("link[rel][href]")[:_MOST_PICTURES]:
        size = _icon_size(node)
        address = _absolute(node.attributes.get("href"), document, url) if size else None
        if size and address and (best is None or size > best[0]):
            best = (size, address)
    return best[1] if best else None


def logo(document: Document, url: str) -> str | None:
    """What the organisation's own data names; else the picture in the head of the page that is called a logo."""
    for address in _stated_logos(document):
        if found := _absolute(address, document, url):
            return found
    for node in document.select("header img, [role='banner'] img, nav img")[:_MOST_PICTURES]:
        if _is_called_logo(node, levels=3) and (found := _picture(node, document, url)):
            return found
    # Further down the logos of partners begin, so the picture must say itself that it is one, and say it early.
    for node in document.select("img")[:_FIRST_PICTURES]:
        if _is_called_logo(node, levels=1) and (found := _picture(node, document, url)):
            return found
    return None


def _icon_size(node: LexborNode) -> int | None:
    """How large an icon claims to be; None for a link that is no icon."""
    rel = (node.attributes.get("rel") or "").lower().split()
    is_touch = "apple-touch-icon" in rel or "apple-touch-icon-precomposed" in rel
    if not is_touch and "icon" not in rel:
        return None
    sizes = (node.attributes.get("sizes") or "").lower()
    if sizes == "any" or (node.attributes.get("type") or "").lower() == "image/svg+xml":
        return _SCALABLE
    known = [int(size) for size in _SIZE.findall(sizes[:200])]
    return max(known, default=_TOUCH if is_touch else _SMALLEST) or _SMALLEST


def _stated_logos(document: Document) -> Iterator[str | None]:
    for thing in document.json_ld:
        for stated in _as_list(thing.get("logo")):
            found = stated.get("url") or stated.get("contentUrl") if isinstance(stated, dict) else stated
            yield found if isinstance(found, str) else None
    for node in document.select("img[itemprop~='logo'], [itemprop~='logo'] img")[:_MOST_PICTURES]:
        yield node.attributes.get("src")
    yield document.meta("og:logo")


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_called_logo(node: LexborNode, *, levels: int) -> bool:
    """By its own words, or by those of the elements around it."""
    words = [node.attributes.get(name) or "" for name in ("alt", "src", "data-src")]
    around: LexborNode | None = node
    for _ in range(levels):
        if around is not None:
            words += [around.attributes.get("class") or "", around.attributes.get("id") or ""]
            around = around.parent
    # A picture written into the page itself is megabytes of letters, among which anything may stand.
    return any(_LOGO.search(word[:300].lower()) for word in words if not word.startswith("data:"))


def _picture(node: LexborNode, document: Document, url: str) -> str | None:
    """Where the picture is: pages that load pictures late keep the address beside a stand-in."""
    addresses = (node.attributes.get(name) for name in ("src", "data-src", "data-lazy-src"))
    return next((found for address in addresses if (found := _absolute(address, document, url))), None)


def _absolute(address: str | None, document: Document, url: str) -> str | None:
    if not address or len(address) > LONGEST_URL:
        return None
    found = parse_url(address.strip(), document.origin(url))
    fits = found is not None and found.scheme in {"http", "https"} and len(found.href) <= LONGEST_URL
    return found.href if found and fits else None
