"""The visible text of a page, line by line, as a reader meets it: no scripts, no comments, no hidden filling.

A line ends where a block begins or ends; the cells of a table row share a line, a tab between them, so that a label
stays beside what it labels.
"""

import re
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from actors.parse.element_kinds import Kind, kind_of

# To ask an enumeration for a member takes longer than to compare it.
_TEXT, _UNREAD, _BLOCK, _APART = Kind.TEXT, Kind.UNREAD, Kind.BLOCK, Kind.APART
# More than any page that people read; what comes after is machine-made.
_MOST_NODES: Final = 400_000
_MOST_KNOWN: Final = 50_000
_MOST_MARKS_AROUND: Final = 16

INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\x00]")


class Line(NamedTuple):
    """`text` joins inline elements as a browser does; `spaced` has a blank wherever one ends or begins.

    The block is given by its memory id: a page of many thousand lines would keep as many nodes alive.
    """

    text: str
    spaced: str
    block: int
    tag: str


class Mark(NamedTuple):
    """An element of interest: the line it stands in, and which part of `spaced` is its own text."""

    node: LexborNode
    line: int
    start: int
    end: int


class Interest(NamedTuple):
    """What the walk does with certain elements, by their memory id."""

    marked: frozenset[int] = frozenset()
    dropped: frozenset[int] = frozenset()
    shown_as: dict[int, str] = {}  # noqa: RUF012 - a default that nobody changes


def read_lines(root: LexborNode | None, interest: Interest | None = None) -> tuple[list[Line], list[Mark]]:
    """One walk in document order, without recursion: a page may be nested as deeply as it likes."""
    walk = _Walk(interest or Interest())
    if root is not None:
        walk.through(root)
    return walk.lines, [Mark(mark.node, mark.line, mark.start, mark.end) for mark in walk.marks.values()]


@dataclass(slots=True)
class _OpenMark:
    node: LexborNode
    line: int
    start: int
    end: int


class _Around(NamedTuple):
    """What a text stands in: its block, the outermost element set apart in it, the marked elements from the inside."""

    block: LexborNode | None
    apart: int
    marked: tuple[int, ...]


_NOTHING_AROUND: Final = _Around(None, 0, ())


class _Walk:
    def __init__(self, interest: Interest) -> None:
        self.lines: list[Line] = []
        self.marks: dict[int, _OpenMark] = {}
        self._interest = interest
        self._of_interest = interest.marked | interest.dropped | interest.shown_as.keys()
        self._kinds: dict[int, Kind] = {}
        self._parts: list[str] = []
        self._joins: list[int] = []
        self._length = 0
        self._gap = ""
        self._known_around: dict[int, _Around] = {}
        self._block: LexborNode | None = None
        self._block_id = 0
        self._apart_id = 0

    def through(self, root: LexborNode) -> None:
        """The tree is walked by the parser's own code; where an element ends shows in what the next text stands in."""
        resume: int | None = None
        kinds, of_interest = self._kinds, self._of_interest
        for node in islice(root.traverse(include_text=True), _MOST_NODES):
            if resume is not None:
                if node.mem_id != resume:
                    continue
                resume = None
            kind = kinds.get(node.tag_id) or self._kind(node)
            if kind is _TEXT:
                self._read_text(node)
                continue
            # Between two lines there is nothing to end and nothing to set apart.
            if self._length:
                self._set_apart(kind)
            is_read = kind is not _UNREAD
            if of_interest and node.mem_id in of_interest:
                is_read = self._note(node) and is_read
            if not is_read and node.first_child is not None:
                following = _after(node, root)
                if following is None:
                    break
                resume = following.mem_id
        self._end_line()

    def _kind(self, node: LexborNode) -> Kind:
        # A name is decoded anew each time that it is asked for; its number is at hand.
        kind = self._kinds[node.tag_id] = kind_of(node.tag or "")
        return kind

    def _set_apart(self, kind: Kind) -> None:
        if kind is _BLOCK or kind is Kind.BREAK:
            self._end_line()
        else:
            self._separate("\t" if kind is Kind.CELL else " " if kind is _APART else "|")

    def _read_text(self, node: LexborNode) -> None:
        text = node.text_content or ""
        if not text.isspace():
            self._read(node.parent, text)
        elif self._length:
            self._separate(" ")

    def _note(self, node: LexborNode) -> bool:
        identity = node.mem_id
        if identity in self._interest.marked:
            self.marks[identity] = _OpenMark(node, len(self.lines), self._length, self._length)
        if identity in self._interest.shown_as:
            self._read(node, f" {self._interest.shown_as[identity]} ")
            return False
        return identity not in self._interest.dropped

    def _read(self, inside: LexborNode | None, text: str) -> None:
        if not text.isascii():
            text = INVISIBLE.sub("", text)
        words = text.split()
        if not words:
            if text and self._length:
                self._separate(" ")
            return
        marked = self._place(inside)
        self._add(text, words)
        for identity in marked:
            self._stretch(self.marks[identity])

    def _place(self, inside: LexborNode | None) -> tuple[int, ...]:
        """Find the block that a text stands in, which may end the line; and the marked elements around it."""
        around = self._around(inside)
        identity = around.block.mem_id if around.block is not None else 0
        if identity != self._block_id:
            self._settle(around.block, identity)
        elif around.apart != self._apart_id:
            self._separate(" ")
        self._apart_id = around.apart
        return around.marked

    def _around(self, inside: LexborNode | None) -> _Around:
        """Climbs no further than to an element that was climbed from before, or a page could be all ladders."""
        path: list[LexborNode] = []
        around = _NOTHING_AROUND
        node = inside
        while node is not None:
            known = self._known_around.get(node.mem_id)
            if known is not None:
                around = known
                break
            path.append(node)
            if (self._kinds.get(node.tag_id) or self._kind(node)) is _BLOCK:
                break
            node = node.parent
        if len(self._known_around) > _MOST_KNOWN:
            self._known_around.clear()
        for each in reversed(path):
            around = self._known_around[each.mem_id] = self._inside_of(around, each)
        return around

    def _inside_of(self, around: _Around, node: LexborNode) -> _Around:
        identity, kind = node.mem_id, self._kinds[node.tag_id]
        marked = (identity, *around.marked[: _MOST_MARKS_AROUND - 1]) if identity in self.marks else around.marked
        if kind is _BLOCK:
            return _Around(node, 0, marked)
        if kind is _APART and not around.apart:
            return _Around(around.block, identity, marked)
        return around if marked is around.marked else _Around(around.block, around.apart, marked)

    def _settle(self, block: LexborNode | None, identity: int) -> None:
        # A term goes on into its definition; every other line ends with its block.
        if self._length and not (self._gap == "\t" and self._is_term()):
            self._end_line()
        self._block, self._block_id = block, identity

    def _is_term(self) -> bool:
        return self._block is not None and self._block.tag == "dt"

    def _stretch(self, mark: _OpenMark) -> None:
        if mark.line != len(self.lines) and mark.end > mark.start:
            return  # its text runs over several lines: the first one has what matters, the label before it
        if mark.line != len(self.lines):
            mark.line, mark.start = len(self.lines), 0
        mark.end = self._length

    def _separate(self, gap: str) -> None:
        # A tab outranks a blank, and a blank outranks a mere boundary.
        if _RANK[gap] > _RANK[self._gap]:
            self._gap = gap

    def _add(self, text: str, words: list[str]) -> None:
        if self._length:
            gap = " " if text[0].isspace() and self._gap != "\t" else self._gap or "|"
            if gap == "|":
                self._joins.append(self._length)
            self._parts.append("\t" if gap == "\t" else " ")
            self._length += 1
        plain = " ".join(words)
        self._parts.append(plain)
        self._length += len(plain)
        self._gap = " " if text[-1].isspace() else ""

    def _end_line(self) -> None:
        if not self._length:
            return
        self._gap = ""
        spaced = "".join(self._parts)
        text = _joined(spaced, self._joins) if self._joins else spaced
        tag = (self._block.tag or "") if self._block is not None else ""
        self.lines.append(Line(text, spaced, self._block_id, tag))
        self._parts, self._joins, self._length = [], [], 0


def blocks_around(root: LexborNode | None, blocks: set[int]) -> dict[int, tuple[int, ...]]:
    """For each block the blocks that it stands in, itself first; numbered as they are met, so alike in every run."""
    numbers: dict[int, int] = {}
    found: dict[int, tuple[int, ...]] = {}
    for node in root.traverse() if root is not None and blocks else ():
        if node.mem_id in blocks:
            chain = []
            ancestor: LexborNode | None = node
            while ancestor is not None:
                chain.append(numbers.setdefault(ancestor.mem_id, len(numbers)))
                ancestor = ancestor.parent
            found[node.mem_id] = tuple(chain)
            if len(found) == len(blocks):
                break
    return found


def _after(node: LexborNode, root: LexborNode) -> LexborNode | None:
    """The next node in document order that is not inside this one."""
    current: LexborNode | None = node
    while current is not None and current.mem_id != root.mem_id:
        if current.next is not None:
            return current.next
        current = current.parent
    return None


_RANK: Final = {"": 0, "|": 1, " ": 2, "\t": 3}


def _joined(spaced: str, joins: list[int]) -> str:
    return spaced[: joins[0]] + "".join(spaced[start + 1 : end] for start, end in pairwise([*joins, len(spaced)]))
