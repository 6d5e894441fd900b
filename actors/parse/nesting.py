"""Markup that would keep an HTML5 parser busy for minutes, made harmless before it is parsed.

The standard's algorithm takes time by open elements for each tag, by attributes for each attribute of a tag, by options
for each option of a select, and multiplies formatting elements that nobody closes. Browsers stop at a depth of 512; so
do we, and at numbers that no honest page reaches. What stays within them passes unchanged.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from actors.parse.element_names import BREAKS_OUT, HOLDS_NO_ELEMENT, NEVER_OPEN, ROOTS
from actors.parse.markup import (
    ATTRIBUTES,
    MARKUP,
    TEXT_TO_PARSER,
    attribute_names,
    attributes,
    cdata_end,
    closes_itself,
    text_end,
)
from actors.parse.open_elements import OpenElements

DEEPEST: Final = 512
_MOST_FORMATTING: Final = 4
_MOST_ATTRIBUTES: Final = 256
_MOST_OPTIONS: Final = 1_000
# The parser looks names up in a table that does not grow with them. A smaller page has no room for that many.
_MOST_TAG_NAMES: Final = 2_000
_MOST_ATTRIBUTE_NAMES: Final = 5_000
_SMALL_PAGE: Final = 50_000
_TAGS_IN_BATCH: Final = 1_000
# The attributes of a repeated one are added to those of the first; framesets nest where nothing else is read.
_MOST_OF_NAME: Final = {"html": 10, "body": 10, "frameset": 20, "option": _MOST_OPTIONS}

_LONG_TAG: Final = 2 * _MOST_ATTRIBUTES
# Whether they are elements of HTML or of MathML depends on too much.
_NEVER_IN_HTML: Final = frozenset(("malignmark", "mglyph"))
_UNLIMITED: Final = frozenset(("col", "input", "select"))
_COUNTED: Final = frozenset((*_MOST_OF_NAME, *ROOTS, *_NEVER_IN_HTML, *_UNLIMITED))
_FONT: Final = frozenset(("color", "face", "size"))
_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")


class _Edit(NamedTuple):
    start: int
    end: int
    instead: str


@dataclass(frozen=True, slots=True)
class _Tag:
    """What is known of a tag by its name alone."""

    name: str
    is_end: bool
    has_room: bool
    """Whether its name is one of the first so many of the page."""

    is_inert: bool
    """Whether in HTML it neither opens an element nor ends one."""

    is_counted: bool
    """Whether there may be so many of it and no more, or the walk has another rule for it."""

    begins_text: bool


class _TooManyNames(Exception):
    """A page has more names of attributes than the parser's table is made for."""


def harmless(text: str, *, deepest: int = DEEPEST) -> str:
    """The same page, its surplus tags replaced by ones that hold nothing."""
    is_small = len(text) <= _SMALL_PAGE
    try:
        edits = _Walk(text, _AttributeNames(is_small=is_small), deepest).edits()
    except _TooManyNames:
        edits = _Walk(text, _AttributeNames(is_strict=True), deepest).edits()
    pieces, position = [], 0
    for edit in edits:
        pieces += [text[position : edit.start], edit.instead]
        position = edit.end
    return "".join([*pieces, text[position:]]) if pieces else text


class _AttributeNames:
    """How many there are on a page. To ask each tag is dear, so that is done only on a page that has too many."""

    def __init__(self, *, is_small: bool = False, is_strict: bool = False) -> None:
        self.shortest = _LONG_TAG if is_small else 1
        """How long the attributes of a tag are, at least, if they need a look."""

        self._is_small = is_small
        self._is_strict = is_strict
        self._batch: list[str] = []
        self._names: set[str] = set()

    def surplus(self, rest: str) -> int | None:
        """Where in a tag those attributes begin that are too many."""
        if not self._is_small and not self._have_room(rest):
            return 0
        if len(rest) < _LONG_TAG:
            return None
        further = islice(ATTRIBUTES.finditer(rest), _MOST_ATTRIBUTES, _MOST_ATTRIBUTES + 1)
        return next((attribute.start() for attribute in further), None)

    def _have_room(self, rest: str) -> bool:
        if self._is_strict:
            names = attribute_names(rest)
            if len(self._names) < _MOST_ATTRIBUTE_NAMES:
                self._names |= names
            return names <= self._names
        self._batch.append(rest)
        if len(self._batch) >= _TAGS_IN_BATCH:
            self.count()
        return True

    def count(self) -> None:
        self._names |= attribute_names(*dict.fromkeys(self._batch))
        self._batch.clear()
        if not self._is_strict and len(self._names) > _MOST_ATTRIBUTE_NAMES:
            raise _TooManyNames


class _Walk:
    """One walk over the markup, in step with the parser: what it takes for text or a comment holds no tags."""

    def __init__(self, text: str, attributes: _AttributeNames, deepest: int) -> None:
        self._text = text
        self._attributes = attributes
        self._elements = OpenElements(deepest=deepest, most_formatting=_MOST_FORMATTING)
        self._tags: dict[str, _Tag] = {}
        self._names: set[str] = set()
        self._times = Counter[str]()
        self._edits: list[_Edit] = []

    def edits(self) -> list[_Edit]:
        position: int | None = 0
        while position is not None:
            position = self._from(position)
        self._attributes.count()
        return self._edits

    def _from(self, position: int) -> int | None:
        """Walk on up to an element whose content is text; where that ends is the next position."""
        elements, tags, shortest = self._elements, self._tags, self._attributes.shortest
        for markup in MARKUP.finditer(self._text, position):
            written, rest, is_cdata = markup.groups()
            if written is None:
                if is_cdata:
                    return cdata_end(self._text, markup.end(), is_foreign=elements.top.is_in_foreign)
                continue
            tag = tags.get(written) or self._tag(written)
            is_foreign = is_broken_out = False
            if elements.top.is_in_foreign or tag.is_counted or not tag.has_room:
                is_foreign = elements.top.is_foreign and not _breaks_out(tag.name, rest)
                is_broken_out = elements.top.is_foreign and not is_foreign and not tag.is_end
                is_taken = self._is_taken(tag, rest, is_foreign=is_foreign)
            elif tag.is_inert:
                is_taken = True
            elif tag.is_end:
                elements.end(tag.name)
                is_taken = True
            else:
                is_taken = elements.open(tag.name)
            if not is_taken:
                instead = _instead(tag, is_foreign=is_foreign, is_broken_out=is_broken_out)
                self._edits.append(_Edit(markup.start(), markup.end() + 1, instead))
                continue
            if len(rest) >= shortest and (surplus := self._attributes.surplus(rest)) is not None:
                start = markup.start("rest")
                self._edits.append(_Edit(start + surplus, start + len(rest), ""))
            if tag.begins_text and not is_foreign:
                return self._behind_text(tag.name, markup.start(), markup.end())
        return None

    def _behind_text(self, name: str, start: int, position: int) -> int:
        end = text_end(self._text, name, position)
        if self._may_be_ignored(name):
            self._edits.append(_Edit(start, end, ""))
        return end

    def _tag(self, written: str) -> _Tag:
        tag = _described(written)
        if len(self._names) < _MOST_TAG_NAMES:
            self._names.add(tag.name)
        if tag.name not in self._names:
            tag = replace(tag, has_room=False)
        self._tags[written] = tag
        return tag

    def _is_taken(self, tag: _Tag, rest: str, *, is_foreign: bool) -> bool:
        """Opens or ends an element; False for a start tag that has no room."""
        name, elements = tag.name, self._elements
        if elements.top.is_foreign and not is_foreign and not tag.is_end:
            elements.break_out()
        if not tag.has_room:
            return False
        if tag.is_end:
            elements.end(name)
            return True
        if is_foreign:
            return closes_itself(rest) or elements.open_foreign(name, holds_html=_holds_html(name, rest))
        if tag.is_inert:
            return True
        return elements.open(name) if not tag.is_counted else self._has_room(name, rest)

    def _has_room(self, name: str, rest: str) -> bool:
        """The same for a start tag in HTML of which there may be so many and no more."""
        elements, times = self._elements, self._times
        if name in ROOTS:
            return not self._may_be_ignored(name) and (closes_itself(rest) or elements.open_root(name))
        if name in _NEVER_IN_HTML or (name == "frameset" and elements.top.is_in_foreign):
            return False
        if name in _UNLIMITED:
            return self._is_unlimited_taken(name)
        times[name] += name != "option" or elements.has("select")
        return times[name] <= _MOST_OF_NAME[name] and (name in NEVER_OPEN or elements.open(name))

    def _is_unlimited_taken(self, name: str) -> bool:
        elements, times = self._elements, self._times
        if name == "col":
            times["col"] = times["col"] + 1 if elements.has("template") else 0
            return True
        is_ended = elements.end_select()
        if name == "input":
            return True
        times["option"] = 0
        return is_ended or elements.open(name)

    def _may_be_ignored(self, name: str) -> bool:
        """Whether the parser may read on as if this tag were not there: among frames or columns of a template."""
        is_among_frames = self._times["frameset"] > 0 and name != "noframes"
        return is_among_frames or (self._times["col"] > 0 and self._elements.has("template"))


@lru_cache(maxsize=1_024)
def _described(written: str) -> _Tag:
    name = written.lstrip("/").lower()
    is_end = written[0] == "/"
    is_inert = name in TEXT_TO_PARSER or (name in NEVER_OPEN and (is_end or name not in _COUNTED))
    return _Tag(
        name,
        is_end=is_end,
        has_room=True,
        is_inert=is_inert and (is_end or name not in HOLDS_NO_ELEMENT),
        is_counted=name in _COUNTED and not is_end,
        begins_text=name in TEXT_TO_PARSER and not is_end,
    )


def _instead(tag: _Tag, *, is_foreign: bool, is_broken_out: bool) -> str:
    """In SVG and MathML every tag holds something, so one without room goes altogether, unless it leaves them."""
    if is_foreign or tag.is_end:
        return ""
    return "<meta>" if is_broken_out else "<wbr/>"


def _breaks_out(name: str, rest: str) -> bool:
    return name in BREAKS_OUT or (name == "font" and not _FONT.isdisjoint(attributes(rest)))


def _holds_html(name: str, rest: str) -> bool:
    return name == "annotation-xml" and attributes(rest).get("encoding", "").lower() in _HTML_TYPES
