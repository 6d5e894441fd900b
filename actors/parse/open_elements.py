"""Which elements an HTML5 parser has open, estimated from above: it has never many more open than are counted here.

An element is taken off only where the parser surely takes it off; where that depends on more than is known here
(quirks mode, forms, the adoption agency), it stays. Finding an element is a look into an index, never a walk.
"""

from collections import defaultdict
from dataclasses import replace
from typing import Final

from actors.parse.element_kinds import HEADINGS
from actors.parse.element_names import (
    BARRIERS,
    BLOCKS,
    CLOSES_MORE,
    CLOSES_P,
    END_BY_SCOPE,
    ENDED_BY,
    ENDS_OTHERS,
    FORMATTING,
    HOLDS_NO_ELEMENT,
    HTML_INSIDE,
    MARKERS,
    MAY_BE_ENDED,
    MAY_CLOSE_P,
    MAY_END,
    NEVER_OPEN,
    SPECIAL,
    TABLE_PARTS,
    TEXT_INSIDE,
)
from actors.parse.stack_entries import Entry, Level

# Elements are described once for each place that they stand at; a page with more places is described anew each time.
_MOST_KNOWN: Final = 10_000
# Most tags of a page: with no paragraph open they end nothing.
_ENDS_ONLY_P: Final = BLOCKS | {"p"}


class OpenElements:
    def __init__(self, *, deepest: int, most_formatting: int) -> None:
        """`most_formatting` is how many formatting elements may be in force at a time."""
        self._deepest = deepest
        self._most_formatting = most_formatting
        self.top = Entry("", -1, -1, -1, -1, -1, -1, -1, -1, is_foreign=False, is_in_foreign=False, places=[])
        self._stack = [self.top]
        self._places: dict[str, list[int]] = defaultdict(list)
        self._paragraphs = self._places["p"]
        self._levels = [Level(-1, is_marker=True, in_force=0)]
        self._formatting = 0
        self._known = 0

    def has(self, name: str) -> bool:
        return self._last(name) >= 0

    def break_out(self) -> None:
        """Leave SVG and MathML up to the next element in which HTML stands."""
        while self.top.is_foreign:
            self._close(self.top.place)

    def open_foreign(self, name: str, *, holds_html: bool) -> bool:
        """A start tag in SVG or MathML; False if there is no room for it."""
        is_svg_in_math = name == "svg" and self.top.name == "math:annotation-xml"
        language = "svg" if is_svg_in_math else self.top.name.partition(":")[0]
        return self._push(f"{language}:{name} html" if holds_html else f"{language}:{name}")

    def open(self, name: str) -> bool:
        """A start tag in HTML, which may first end others; False if there is no room for it."""
        if name in _ENDS_ONLY_P and not self._paragraphs:
            return self._push(name)
        if name == "a":
            links = self._levels[-1].links
            if links:
                self._end_link()
            links.append(self.top.place)
            self._formatting += 1
            return True
        if name in FORMATTING:
            return self._open_formatting(name)
        if name in ENDS_OTHERS:
            self._end_before(name)
            if name in HOLDS_NO_ELEMENT or (name in TABLE_PARTS and not self._is_in_table()):
                return True
        return self._push(name)

    def open_root(self, name: str) -> bool:
        """The start tag of SVG or MathML in HTML."""
        return self._push(f"{name}:{name}")

    def _end_before(self, name: str) -> None:
        if name in CLOSES_MORE:
            self._close_before(name)
        if self._paragraphs and self._paragraphs[-1] >= max(self.top.button, 0):
            if name in CLOSES_P:
                self._close(self._paragraphs[-1])
            elif name in MAY_CLOSE_P:
                self._lose(self._paragraphs[-1])
        if self.top.name in ENDED_BY and name in ENDED_BY[self.top.name] and self._is_current():
            self._close(self.top.place)
        if name in MAY_END:
            while self.top.name in MAY_BE_ENDED:
                self._lose(self.top.place)

    def _is_current(self) -> bool:
        """Whether the parser adds to the topmost element itself, and not to a link or a formatting element in it."""
        level = self._levels[-1]
        return not level.in_force and not level.links

    def _lose(self, place: int) -> None:
        """This element, the last of its name, may have ended: it counts until one that it stands in ends."""
        known = self._stack[place + 1]
        known.places.pop()
        lost = replace(known, name="", places=self._places[""])
        lost.places.append(place)
        self._stack[place + 1] = lost
        self.top = self._stack[-1]

    def _lose_above(self, place: int) -> None:
        """The end of a formatting element ends what stands last in it and is not special."""
        for each in reversed(self._stack[max(place, self.top.special) + 2 :]):
            if each.name:
                self._lose(each.place)

    def _end_link(self) -> None:
        links = self._levels[-1].links
        if links:
            if self.top.place > links[0]:
                self._lose_above(links[0])
            self._formatting -= len(links)
            links.clear()

    def _open_formatting(self, name: str) -> bool:
        level = self._levels[-1]
        if name == "nobr":
            self._end_formatting(name)
        if len(self._stack) + self._formatting > self._deepest or level.in_force >= self._most_formatting:
            return False
        level.formatting.setdefault(name, []).append(self.top.place)
        level.in_force += 1
        self._formatting += 1
        return True

    def end_select(self) -> bool:
        """A second select and an input end an open select; whether there is one."""
        place = self._last("select")
        is_open = place >= max(self.top.barrier, 0)
        if is_open:
            self._close(place)
        return is_open

    def end(self, name: str) -> None:
        """An end tag, in HTML or foreign content; it ends what surely ends, or nothing."""
        top = self.top
        if top.is_in_foreign:
            place = max(self._last(f"svg:{name}"), self._last(f"math:{name}"))
            if place > top.html:
                self._close(place)
                return
            if name in {"p", "br"}:
                self.break_out()
        elif top.name == name:
            if self._levels[-1].place < top.place:
                self._stack.pop()
                top.places.pop()
                self.top = self._stack[-1]
            else:
                self._close(top.place)
            return
        if name == "a":
            self._end_link()
        elif name in FORMATTING:
            self._end_formatting(name)
        else:
            self._end_other(name)

    def _end_other(self, name: str) -> None:
        if name in HEADINGS:
            self._close_from(max(map(self._last, HEADINGS)), self.top.barrier)
        elif name in TABLE_PARTS:
            if self._is_in_table():
                self._close_from(self._last(name), self.top.table)
        elif name not in NEVER_OPEN:
            self._close_from(self._last(name), self._limit(name))

    def _limit(self, name: str) -> int:
        """The place below which an end tag of this name does not look."""
        top = self.top
        if name == "p":
            return top.button
        if name == "li":
            return top.items
        if name == "form":
            return top.place
        if name == "table":
            return top.table
        if name == "template":
            return 0
        return top.barrier if name in END_BY_SCOPE else top.special

    def _close_before(self, name: str) -> None:
        top = self.top
        if name == "li":
            self._close_from(self._last("li"), top.hard)
        elif name in {"dd", "dt"}:
            self._close_from(max(self._last("dd"), self._last("dt")), top.hard)
        elif name == "button":
            self._close_from(self._last("button"), top.barrier)
        elif name in TABLE_PARTS and self._is_in_table():
            self._close(top.table + 1)

    def _is_in_table(self) -> bool:
        """Whether a row or a cell may begin here; in a template none nests, and when it begins depends on too much."""
        table = self.top.table
        return table >= 0 and self._stack[table + 1].name == "table"

    def _end_formatting(self, name: str) -> None:
        level = self._levels[-1]
        if level.formatting.get(name):
            self._lose_above(level.formatting[name].pop())
            level.in_force -= 1
            self._formatting -= 1

    def _last(self, name: str) -> int:
        """The place of the topmost element of this name, or -1."""
        places = self._places.get(name)
        return places[-1] if places else -1

    def _push(self, name: str) -> bool:
        if len(self._stack) + self._formatting > self._deepest:
            return False
        opened = self.top.inside.get(name) or self._described(name)
        self._stack.append(opened)
        opened.places.append(opened.place)
        self.top = opened
        if opened.barrier == opened.place:
            is_marker = name in MARKERS
            self._levels.append(Level(opened.place, is_marker, 0 if is_marker else self._levels[-1].in_force))
        return True

    def _described(self, name: str) -> Entry:
        top = self.top
        place = top.place + 1
        barrier = place if name in BARRIERS else top.barrier
        special = place if name in SPECIAL else top.special
        is_in_foreign = ":" in name
        described = Entry(
            name,
            place,
            html=top.html if is_in_foreign else place,
            barrier=barrier,
            button=place if name == "button" else max(barrier, top.button),
            items=place if name in {"ol", "ul"} else max(barrier, top.items),
            special=special,
            hard=special if name not in {"address", "div", "p"} else top.hard,
            table=place if name in {"table", "template"} else top.table,
            is_foreign=is_in_foreign and name not in HTML_INSIDE and name not in TEXT_INSIDE,
            is_in_foreign=is_in_foreign,
            places=self._places[name],
        )
        if self._known < _MOST_KNOWN:
            self._known += 1
            top.inside[name] = described
        return described

    def _close_from(self, place: int, limit: int) -> None:
        if place >= max(limit, 0):
            self._close(place)

    def _close(self, place: int) -> None:
        stack, levels = self._stack, self._levels
        while stack[-1].place >= place:
            stack.pop().places.pop()
        self.top = stack[-1]
        while levels[-1].place >= place:
            level = levels.pop()
            if level.is_marker:
                self._formatting -= len(level.links) + sum(map(len, level.formatting.values()))
                continue
            below = levels[-1]
            below.links += level.links
            for name, places in level.formatting.items():
                below.formatting.setdefault(name, []).extend(places)
                below.in_force += len(places)
