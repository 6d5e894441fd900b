"""The visible text of a page, line by line, as a reader meets it: no scripts, no comments, no hidden filling.

A line ends where a block begins or ends; the cells of a table row share a line, a tab between them, so that a label
stays beside what it labels.
"""

from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice, pairwise
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

# More than any page that people read; what comes after is machine-made.
_MOST_NODES: Final = 400_000

_UNREAD_NAMES: Final = (
    "script style template noscript head title select textarea datalist iframe object embed svg math canvas audio "
    "video noframes input meta link"
)
_UNREAD: Final = frozenset(_UNREAD_NAMES.split())
_BLOCKS_NAMES: Final = (
    "address article aside blockquote body caption center details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table "
    "tbody thead tfoot tr ul"
)
_BLOCKS: Final = frozenset(_BLOCKS_NAMES.split())
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# Between these and their neighbours a reader sees a gap, even where the markup has none.
_APART: Final = frozenset(("a", "button", "label", "img", "i"))
INVISIBLE: Final = {
    ord(character): None
    for character in "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069"
    "\ufeff\x00"
}


class _Kind(Enum):
    """What an element does to the line that it stands in."""

    TEXT = auto()
    UNREAD = auto()
    BLOCK = auto()
    CELL = auto()
    BREAK = auto()
    APART = auto()
    INLINE = auto()


_ONE_OF_A_KIND: Final = {
    "-text": _Kind.TEXT,
    "br": _Kind.BREAK,
    "td": _Kind.CELL,
    "th": _Kind.CELL,
    "dd": _Kind.CELL,
}


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


class _Walk:
    def __init__(self, interest: Interest) -> None:
        self.lines: list[Line] = []
        self.marks: dict[int, _OpenMark] = {}
        self._interest = interest
        self._of_interest = interest.marked | interest.dropped | interest.shown_as.keys()
        self._kinds: dict[int, _Kind] = {}
        self._parts: list[str] = []
        self._joins: list[int] = []
        self._length = 0
        self._gap = ""
        self._block: LexborNode | None = None
        self._block_id = 0
        self._apart_id = 0

    def through(self, root: LexborNode) -> None:
        """The tree is walked by the parser's own code; where an element ends shows in what the next text stands in."""
        resume: int | None = None
        kinds = self._kinds
        for node in islice(root.traverse(include_text=True), _MOST_NODES):
            if resume is not None:
                if node.mem_id != resume:
                    continue
                resume = None
            kind = kinds.get(node.tag_id) or self._kind(node)
            if kind is _Kind.TEXT:
                self._read(node.parent, node.text_content or "")
            elif not self._enter(node, kind) and node.first_child is not None:
                following = _after(node, root)
                if following is None:
                    break
                resume = following.mem_id
        self._end_line()

    def _kind(self, node: LexborNode) -> _Kind:
        # A name is decoded anew each time that it is asked for; its number is at hand.
        kind = self._kinds[node.tag_id] = _kind_of(node.tag or "")
        return kind

    def _enter(self, node: LexborNode, kind: _Kind) -> bool:
        """Whether the children are to be read."""
        if kind is _Kind.BLOCK or kind is _Kind.BREAK:
            self._end_line()
        else:
            self._separate("\t" if kind is _Kind.CELL else " " if kind is _Kind.APART else "|")
        if self._of_interest and node.mem_id in self._of_interest:
            return self._note(node) and kind is not _Kind.UNREAD
        return kind is not _Kind.UNREAD

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
            text = text.translate(INVISIBLE)
        words = text.split()
        if not words:
            if text:
                self._separate(" ")
            return
        marked = self._place(inside)
        self._add(text, words)
        for identity in marked:
            self._stretch(self.marks[identity])

    def _place(self, inside: LexborNode | None) -> list[int]:
        """Find the block that a text stands in, which may end the line; and the marked elements around it."""
        apart, marked = 0, []
        block, kinds, marks = inside, self._kinds, self.marks
        while block is not None:
            kind = kinds.get(block.tag_id) or self._kind(block)
            if marks and block.mem_id in marks:
                marked.append(block.mem_id)
            if kind is _Kind.BLOCK:
                break
            if kind is _Kind.APART:
                apart = block.mem_id
            block = block.parent
        identity = block.mem_id if block is not None else 0
        if identity != self._block_id:
            self._settle(block, identity)
        elif apart != self._apart_id:
            self._separate(" ")
        self._apart_id = apart
        return marked

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
        self._gap = ""
        if not self._length:
            return
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
    return found


def _after(node: LexborNode, root: LexborNode) -> LexborNode | None:
    """The next node in document order that is not inside this one."""
    current: LexborNode | None = node
    while current is not None and current.mem_id != root.mem_id:
        if current.next is not None:
            return current.next
        current = current.parent
    return None


def _kind_of(tag: str) -> _Kind:
    if tag in _ONE_OF_A_KIND:
        return _ONE_OF_A_KIND[tag]
    if tag in _UNREAD or tag.startswith(("-", "!")):
        return _Kind.UNREAD
    if tag in _BLOCKS:
        return _Kind.BLOCK
    return _Kind.APART if tag in _APART else _Kind.INLINE


_RANK: Final = {"": 0, "|": 1, " ": 2, "\t": 3}


def _joined(spaced: str, joins: list[int]) -> str:
    return spaced[: joins[0]] + "".join(spaced[start + 1 : end] for start, end in pairwise([*joins, len(spaced)]))
