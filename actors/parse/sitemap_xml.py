"""The XML of sitemaps, read as it arrives. No tree is built: a large file costs no more than a small one."""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from lxml import etree

# A reference or a tag may be torn apart where one piece of text ends and the next begins.
_LONGEST_REFERENCE = 12
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_NUMBERED = re.compile(r"&#(?:([0-9]{1,7})|[xX]([0-9a-fA-F]{1,6}));")
_BARE_BRACKET = re.compile(r"<(?![A-Za-z_/!?])")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_CORE_NAMESPACE = "/schemas/sitemap/"
_EXTENSION = re.compile(r"/schemas/sitemap-(image|news|video)/")
_ENTRY = ("url", "sitemap")
_KEPT = ("loc", "lastmod")
LONGEST_TEXT = 10_000


class Location(NamedTuple):
    """What one <loc> and its neighbours say, as written."""

    loc: str
    lastmod: str


class Reader(ABC):
    """A target of the parser, which keeps the text of one element at a time, up to a length."""

    def __init__(self) -> None:
        self.locations: list[Location] = []
        self.complete = False
        self._root = ""
        self._namespace = ""
        self._depth = 0
        self._collecting = ""
        self._text: list[str] = []
        self._length = 0
        self._found: dict[str, str] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        namespace, name = local_name(tag)
        if not self._root:
            self._root, self._namespace = name, namespace
        self._depth += 1
        self._collecting = ""
        self._open(namespace, name, attributes)

    def _collect(self, name: str) -> None:
        self._collecting, self._text, self._length = name, [], 0

    def data(self, text: str) -> None:
        if self._collecting and self._length < LONGEST_TEXT:
            self._text.append(text)
            self._length += len(text)

    def pi(self, _target: str, _data: str | None = None) -> None:
        # <?php echo … ?> in the middle of an address: kept as a sign that nobody ran the script.
        self.data("<?")

    def end(self, tag: str) -> None:
        name = local_name(tag)[1]
        self._depth -= 1
        if self._collecting:
            self._keep(self._collecting, "".join(self._text).strip())
            self._collecting = ""
        self._close(name)
        if name == self._root and self._depth <= 0:
            self.complete = True

    def close(self) -> None:
        self.flush()

    @abstractmethod
    def _open(self, namespace: str, name: str, attributes: dict[str, str]) -> None: ...

    @abstractmethod
    def _keep(self, name: str, text: str) -> None:
        """The text of an element that was to be collected."""

    @abstractmethod
    def _close(self, name: str) -> None: ...

    @abstractmethod
    def flush(self) -> None:
        """Let go of an entry, complete or not."""


class LocationReader(Reader):
    """Collects locations, and what kinds of tags there are."""

    def __init__(self) -> None:
        super().__init__()
        self.has_lastmod = False
        self.has_priority = False
        self.has_changefreq = False
        self.entries_with: dict[str, int] = {}
        self._extensions: set[str] = set()
        self._is_in_image = False

    def _open(self, namespace: str, name: str, _attributes: dict[str, str]) -> None:
        # Where its prefix was never declared, image:loc arrives as loc.
        self._is_in_image = self._is_in_image or name == "image"
        if self._is_in_image or not self._is_core(namespace):
            extension = _EXTENSION.search(namespace)
            if extension:
                self._extensions.add(extension[1])
        elif name in _KEPT:
            self._collect(name)
        elif name == "priority":
            self.has_priority = True
        elif name == "changefreq":
            self.has_changefreq = True

    def _close(self, name: str) -> None:
        if name == "image" or name in _ENTRY:
            self._is_in_image = False
        if name in _ENTRY:
            self.flush()
            self._extensions.clear()

    def flush(self) -> None:
        """Let go of a location; one whose end tag is missing was never kept, so none is half a URL."""
        if "loc" in self._found:
            self.locations.append(Location(self._found["loc"], self._found.get("lastmod", "")))
            for extension in self._extensions:
                self.entries_with[extension] = self.entries_with.get(extension, 0) + 1
        self._found.clear()

    def _keep(self, name: str, text: str) -> None:
        if name == "loc" and "loc" in self._found:
            self.flush()
        if text:
            self._found[name] = text
            self.has_lastmod = self.has_lastmod or name == "lastmod"

    def _is_core(self, namespace: str) -> bool:
        return namespace in ("", self._namespace) or _CORE_NAMESPACE in namespace


def read_locations(pieces: Iterable[str], reader: Reader) -> Iterator[Location]:
    """Each location as soon as it is complete. Broken XML is read as far as it makes sense."""
    parser: Any = etree.XMLParser(
        target=reader, encoding="utf-8", recover=True, resolve_entities=False, no_network=True, huge_tree=False
    )
    try:
        for piece in _mended(pieces):
            parser.feed(piece.encode("utf-8"))
            yield from reader.locations
            reader.locations.clear()
        parser.close()
    except etree.LxmlError:
        reader.flush()
    yield from reader.locations
    reader.locations.clear()


def _mended(pieces: Iterable[str]) -> Iterator[str]:
    """Escape what people forget to escape and drop what XML forbids: the parser would lose the rest of the file."""
    held = ""
    for piece in pieces:
        text = held + piece
        last = max(text.rfind("&"), text.rfind("<"))
        cut = last if last >= max(0, len(text) - _LONGEST_REFERENCE) else len(text)
        held = text[cut:]
        yield mend(text[:cut])
    yield mend(held)


def mend(text: str) -> str:
    """Escapes come first: what is dropped must not leave a reference or a tag behind that nobody wrote."""
    text = _BARE_BRACKET.sub("&lt;", _BARE_AMPERSAND.sub("&amp;", text))
    return _FORBIDDEN.sub("", _NUMBERED.sub(_reference, text))


def _reference(written: re.Match[str]) -> str:
    """One to half of a character (an emoji in two halves) or to none at all is nothing."""
    number = int(written[1]) if written[1] else int(written[2], 16)
    return f"&#{number};" if number <= sys.maxunicode and not _FORBIDDEN.match(chr(number)) else ""


@lru_cache(maxsize=256)
def local_name(tag: str) -> tuple[str, str]:
    namespace, _, name = tag.rpartition("}")
    return namespace[1:], name.lower()
