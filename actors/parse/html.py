"""An HTML page, parsed as browsers parse it: what it says of itself, its text, its links, its structured data."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from actors.parse.lines import Interest, Line, Mark, blocks_around, read_lines
from actors.parse.marks import DOMAIN_PARTS, icon_label, is_disguised, is_telling, undisguised
from actors.parse.nesting import harmless
from actors.parse.urls import LONGEST_URL, Url, parse_url
from actors.parse.visible_text import TextReader, collapsed

_LONGEST_VALUE: Final = 2_000
_MOST_ITEMS: Final = 2_000
_MOST_LINKS: Final = 20_000
_LONGEST_LINK_TEXT: Final = 200
_LONGEST_NOSCRIPT: Final = 20_000
# An icon has a few empty elements inside it, not more.
_MOST_NODES_OF_ICON: Final = 200
# One selector for each word to look for in a link would cost as much as the parsing.
_MAYBE_MARKED: Final = "[href], [itemprop], form[action], [data-mailto-token], [data-email], [onclick]"
_ICONS: Final = ", ".join(
    (
        *(f"{tag}[class*='{word}' i]" for tag in ("i", "span") for word in ("fax", "phone", "mobile")),
        *(f"img[alt*='{word}' i]" for word in ("fax", "phone", "tel", "@")),
        *(f"img[alt='{word}' i]" for word in ("at", "(at)", "[at]")),
        "i[class~='fa-at']",
    )
)
_MAYBE_DISGUISED: Final = ", ".join(
    (
        "[data-cfemail], [data-enc-email], joomla-hidden-mail[first][last]",
        *(f"[{domain}]" for domain in DOMAIN_PARTS),
    )
)
_BACKWARDS: Final = "[style*='bidi-override' i]"
# A page with less text than a sentence: what it has, it may show to readers without scripts only.
_ALMOST_NOTHING: Final = 100
_MOST_NOSCRIPTS: Final = 20
_MAYBE_HIDDEN: Final = "[hidden], [style*='none' i]"
# Inside a line these hide letters that only harvesters see. A hidden block is another matter: a tab, a window.
_MAY_FILL: Final = frozenset(("span", "b", "i", "em", "font", "small"))
_NOT_SHOWN = re.compile(r"display\s{0,5}:\s{0,5}none", re.IGNORECASE)
_LAST_COMMA = re.compile(r",\s{0,200}([}\]])")
_CDATA = re.compile(r"^\s{0,50}(?:<!--|//\s?<!\[CDATA\[|<!\[CDATA\[)|(?:-->|//\s?\]\]>|\]\]>)\s{0,50}$")


class Link(NamedTuple):
    target: Url
    text: str
    rel: str

    @property
    def url(self) -> str:
        return self.target.href


class Document:
    """Never raises, whatever the text; what is not there is None."""

    def __init__(self, text: str) -> None:
        # A lone surrogate cannot be encoded, and the parser works on bytes.
        self._tree = LexborHTMLParser(harmless(text).encode("utf-8", "replace"))
        self._reader = TextReader()
        self._links: dict[str, list[Link]] = {}

    @cached_property
    def title(self) -> str | None:
        return self._text_of("head title") or self._text_of("title")

    @cached_property
    def description(self) -> str | None:
        return self.meta("description") or self.meta("og:description")

    @cached_property
    def language(self) -> str | None:
        """As the page writes it: de, de-AT, pt_BR."""
        return self._attribute("html", "lang") or self._attribute("html", "xml:lang") or self.meta("content-language")

    @cached_property
    def h1(self) -> str | None:
        return self._text_of("h1")

    @cached_property
    def canonical(self) -> str | None:
        """The reference as written: resolve it against the page's own address."""
        return self._attribute("link[rel~='canonical' i]", "href")

    @cached_property
    def meta_robots(self) -> str | None:
        return self.meta("robots")

    @cached_property
    def base(self) -> str | None:
        return self._attribute("base[href]", "href")

    @cached_property
    def lines(self) -> list[Line]:
        """The visible text as a reader meets it, line by line."""
        return self._read[0]

    @cached_property
    def marks(self) -> list[Mark]:
        """The elements that carry an address or a number besides their text, with their place among the lines."""
        return self._read[1]

    def blocks_around(self, lines: Iterable[int]) -> dict[int, tuple[int, ...]]:
        """For each of these lines the blocks that it stands in, from the inside out, by numbers of no meaning."""
        blocks = {number: self.lines[number].block for number in lines if number < len(self.lines)}
        around = blocks_around(self._tree.body or self._tree.root, set(blocks.values()))
        return {number: around.get(block, ()) for number, block in blocks.items()}

    @cached_property
    def text(self) -> str:
        return " ".join(line.spaced.replace("\t", " ") for line in self.lines)

    @cached_property
    def json_ld(self) -> list[dict[str, Any]]:
        """Every object of every JSON-LD block, graphs and nested objects laid out flat."""
        return [item for block in self._json_blocks() for item in _objects(block)][:_MOST_ITEMS]

    def meta(self, name: str) -> str | None:
        """The content of a meta element called so by name, property, itemprop or http-equiv."""
        return self._metas.get(name.lower())

    def links(self, url: str) -> list[Link]:
        """Every http(s) link, absolute, in the order of the page; addresses that nothing stores are left out."""
        if url not in self._links:
            self._links = {url: list(self._links_from(self.origin(url)))}
        return self._links[url]

    def origin(self, url: str) -> str:
        """What the page's references are resolved against: its base, else the address that it was read at."""
        base = parse_url(self.base, url) if self.base else None
        return base.href if base else url

    def _links_from(self, origin: str) -> Iterator[Link]:
        for node in self.select("a[href], area[href]")[:_MOST_LINKS]:
            attributes = node.attributes
            reference = (attributes.get("href") or "").strip()
            url = parse_url(reference, origin) if len(reference) <= LONGEST_URL else None
            if url is not None and url.scheme in {"http", "https"} and url.host and len(url.href) <= LONGEST_URL:
                yield Link(url, self._reader.text(node, _LONGEST_LINK_TEXT), (attributes.get("rel") or "").lower())

    def select(self, css: str) -> list[LexborNode]:
        try:
            return self._tree.css(css)
        except SelectolaxError as error:
            raise ValueError(f"not a CSS selector: {css!r}") from error

    @cached_property
    def _read(self) -> tuple[list[Line], list[Mark]]:
        root, interest = self._tree.body or self._tree.root, self._interest()
        lines, marks = read_lines(root, interest)
        if sum(len(line.text) for line in lines) >= _ALMOST_NOTHING:
            return lines, marks
        nodes = self.select("noscript")[:_MOST_NOSCRIPTS]
        found = [(node.mem_id, self._reader.text(node, _LONGEST_NOSCRIPT)) for node in nodes]
        unscripted = {name: text for name, text in found if "@" in text}
        return read_lines(root, interest._replace(shown_as=interest.shown_as | unscripted))

    @cached_property
    def _metas(self) -> dict[str, str]:
        values: dict[str, str] = {}
        for node in self.select("meta[content]"):
            attributes = node.attributes
            content = collapsed(attributes.get("content") or "")[:_LONGEST_VALUE]
            for key in ("name", "property", "itemprop", "http-equiv"):
                if attributes.get(key) and content:
                    values.setdefault((attributes[key] or "").strip().lower(), content)
        return values

    def _attribute(self, css: str, name: str) -> str | None:
        for node in self.select(css):
            value = collapsed(node.attributes.get(name) or "")
            if value:
                return value[:_LONGEST_VALUE]
        return None

    def _text_of(self, css: str) -> str | None:
        for node in self.select(css):
            if text := self._reader.text(node, _LONGEST_VALUE):
                return text
        return None

    def _interest(self) -> Interest:
        """Which elements matter for contacts, which are hidden filling, and which are shown as something else."""
        telling = filter(is_telling, self.select(_MAYBE_MARKED))
        marked = frozenset(node.mem_id for node in islice(telling, _MOST_ITEMS))
        dropped = frozenset(node.mem_id for node in self.select(_MAYBE_HIDDEN) if _is_filling(node))
        icons = [node for node in self.select(_ICONS)[:_MOST_ITEMS] if self._reader.is_empty(node, _MOST_NODES_OF_ICON)]
        shown = {node.mem_id: icon_label(node.attributes) for node in icons}
        disguised = filter(is_disguised, self.select(_MAYBE_DISGUISED))
        shown |= {node.mem_id: plain for node in disguised if (plain := undisguised(node.attributes))}
        backwards = self.select(_BACKWARDS)[:_MOST_ITEMS]
        shown |= {node.mem_id: self._reader.text(node, _LONGEST_VALUE)[::-1] for node in backwards}
        return Interest(marked, dropped, shown)

    def _json_blocks(self) -> Iterator[Any]:
        for node in self.select("script[type*='ld+json' i]"):
            text = _CDATA.sub("", (node.text(deep=False) or "")).strip()
            try:
                yield json.loads(text, strict=False)
            except ValueError:
                yield from _leniently(text)
            except RecursionError:
                continue


def _leniently(text: str) -> Iterator[Any]:
    """A block whose only fault is a comma after the last entry, as people leave it who write it by hand."""
    mended = _LAST_COMMA.sub(r"\1", text)
    if mended != text:
        with suppress(ValueError, RecursionError):
            yield json.loads(mended, strict=False)


def _is_filling(node: LexborNode) -> bool:
    attributes = node.attributes
    is_hidden = (
        "hidden" in attributes or _NOT_SHOWN.search((attributes.get("style") or "")[:_LONGEST_VALUE]) is not None
    )
    return is_hidden and node.tag in _MAY_FILL


def _objects(block: Any) -> Iterator[dict[str, Any]]:
    waiting = [block]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item))
        elif isinstance(item, dict):
            yield item
            waiting.extend(value for value in reversed(item.values()) if isinstance(value, dict | list))
