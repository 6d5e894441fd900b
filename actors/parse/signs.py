"""The signs by which a page gives away what made it, gathered in one walk."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from actors.parse.domains import registrable_domain
from actors.parse.html import Document
from actors.parse.urls import LONGEST_URL, parse_url

# Beyond the first few hundred, pictures tell nothing new, and each costs a look at its URL.
_MOST_PICTURES = 300
_LINKS_TO_ELSEWHERE = {"alternate", "canonical", "author", "me", "next", "prev", "license", "amphtml"}
_COOKIE_NAME = re.compile(r"(?:^|[,\n] ?)([^=;,\s]{1,80})=")


class Signs(NamedTuple):
    """Each sign is one text to be searched: words stand between blanks, URLs and the rest on lines, in lower case."""

    generators: tuple[str, ...]
    headers: Mapping[str, str]
    cookies: str
    sources: str
    sources_as_written: str
    classes: str
    ids: str
    scripts: str
    """As written: scripts tell capitals apart."""

    comments: str


def signs_of(document: Document, *, url: str, headers: Mapping[str, str]) -> Signs:
    answered = {name.lower(): value.lower() for name, value in headers.items()}
    sources = "\n".join(_sources(document, url))
    classes, ids, comments = _words(document)
    return Signs(
        generators=tuple(_generators(document)),
        headers=answered,
        cookies=" " + " ".join(_COOKIE_NAME.findall(answered.get("set-cookie", ""))),
        sources=sources.lower(),
        sources_as_written=sources,
        classes=f" {classes} ".lower(),
        ids=f" {ids} ".lower(),
        scripts="\n".join(node.text(deep=False) for node in document.select("script:not([src])")),
        comments="\n".join(comments).lower(),
    )


def _generators(document: Document) -> Iterator[str]:
    for node in document.select("meta[name='generator' i]"):
        yield " ".join((node.attributes.get("content") or "").lower().split())


def _sources(document: Document, url: str) -> Iterator[str]:
    for node in document.select("script[src], iframe[src], frame[src], embed[src]"):
        yield from _address(node, "src")
    for node in document.select("link[href]"):
        if not _LINKS_TO_ELSEWHERE & set((node.attributes.get("rel") or "").lower().split()):
            yield from _address(node, "href")
    # Pages that load late keep the address of a frame or script where only their own script finds it.
    for node in document.select("iframe[data-src], script[data-src]"):
        yield from _address(node, "data-src")
    yield from _own_pictures(document, url)


def _own_pictures(document: Document, url: str) -> Iterator[str]:
    home = _owner(url)
    for node in document.select("img[src]")[:_MOST_PICTURES]:
        for address in _address(node, "src"):
            picture = parse_url(address, url)
            if picture is not None and home is not None and registrable_domain(picture.host) == home:
                yield address


def _owner(url: str) -> str | None:
    parsed = parse_url(url)
    return None if parsed is None else registrable_domain(parsed.host)


def _address(node: LexborNode, attribute: str) -> Iterator[str]:
    address = (node.attributes.get(attribute) or "").strip()
    if address and len(address) <= LONGEST_URL and not address.startswith("data:"):
        yield address.replace("\n", "")


def _words(document: Document) -> tuple[str, str, list[str]]:
    classes: list[str] = []
    ids: list[str] = []
    comments: list[str] = []
    for root in document.select("html")[:1]:
        for node in root.traverse(include_text=True):
            if node.is_element_node:
                attributes = node.attributes
                classes.append(attributes.get("class") or "")
                ids.append(attributes.get("id") or "")
            elif node.is_comment_node:
                comments.append(node.comment_content or "")
    return _each_once(classes), _each_once(ids), comments


def _each_once(values: list[str]) -> str:
    return " ".join(dict.fromkeys(" ".join(values).split()))
