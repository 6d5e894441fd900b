"""Pages that send the reader on without a redirect: meta refresh and framesets."""

import re

from selectolax.lexbor import LexborNode

from actors.parse.html import Document
from actors.parse.urls import LONGEST_URL, parse_url

# A page that waits longer is meant to be read.
_LONGEST_WAIT = 10
_REFRESH = re.compile(
    r"\s{0,20}([0-9]{1,6})[0-9.]{0,10}\s{0,20}[;,]?\s{0,20}(?:url\s{0,20}=)?\s{0,20}(['\"]?)", re.IGNORECASE
)
_MOST_FRAMES = 10
_CONTENT_FRAMES = ("main", "content", "body", "haupt", "inhalt", "seite", "page", "contenu", "principal", "centre")


def forwarded_to(document: Document, url: str) -> str | None:
    """Where the page sends its reader at once, or the frame that holds its content."""
    refresh = _refresh(document)
    targets = _absolute([refresh], document, url) if refresh else frames(document, url)
    return targets[0] if targets else None


def frames(document: Document, url: str) -> list[str]:
    """The pages that a frameset shows: the one that is called the main one, else the last, for menus come first."""
    nodes = [node for node in document.select("frameset frame[src]")[:_MOST_FRAMES] if _source(node)]
    content = next((node for word in _CONTENT_FRAMES for node in nodes if word in _name(node)), None)
    sources = [_source(node) for node in reversed(nodes)]
    return _absolute([_source(content), *sources] if content else sources, document, url)


def _refresh(document: Document) -> str | None:
    content = document.meta("refresh")
    match = _REFRESH.match(content) if content else None
    if content is None or match is None or int(match.group(1)) > _LONGEST_WAIT:
        return None
    target = content[match.end() :]
    quote = match.group(2)
    return (target.partition(quote)[0] if quote else target).strip() or None


def _absolute(references: list[str], document: Document, url: str) -> list[str]:
    """The web addresses among them, each once, without the page itself."""
    origin = document.origin(url)
    found = (parse_url(text, origin) for text in references if len(text) <= LONGEST_URL)
    addresses = [target.href.partition("#")[0] for target in found if target and target.scheme in {"http", "https"}]
    return [address for address in dict.fromkeys(addresses) if address != url.partition("#")[0]]


def _name(node: LexborNode) -> str:
    return (node.attributes.get("name") or "").lower()


def _source(node: LexborNode) -> str:
    return (node.attributes.get("src") or "").strip()
