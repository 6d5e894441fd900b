"""How deep the parser's tree gets when a few tags are repeated; the limit of the walk is set low, which is quicker."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from actors.parse.nesting import harmless

LIMIT: Final = 32
# For each element that the walk counts the parser opens at most four: a cell in a template, which the walk does not
# count, brings its row and its row group. What nests without end is repeated more often than that.
DEEPEST_TREE: Final = 4 * LIMIT + 10
_TIMES: Final = DEEPEST_TREE + 10
_STARTED: Final = (
    "a b nobr font h1 h2 p div address span li dd dt ul dl button form option optgroup select table caption colgroup "
    "col tbody tr td ruby rt rtc object template svg math g desc foreignObject mi mglyph annotation-xml frameset body "
    "html head title textarea style noscript pre hr xmp input search x-y"
)
_ENDED: Final = (
    "a b nobr h1 p div li dd button form option optgroup select table caption tr td rt object template svg math desc "
    "mi frameset title x-y br"
)
STARTED: Final = tuple(f"<{name}>" for name in _STARTED.split())
TAGS: Final = (*STARTED, *(f"</{name}>" for name in _ENDED.split()))
# The doctype ends quirks mode; the others change what the parser does with the tags in them.
BEFORE: Final = ("", "<!doctype html>", "<table>", "<select>", "<template>", "<svg>", "<math><mi>", "<a><b>")
_TEXT = re.compile(r"<(style|xmp)>.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")


def depth(page: str) -> int:
    """Of the tree that the parser makes of a page after the walk."""
    written = LexborHTMLParser(harmless(page, deepest=LIMIT).encode()).html or ""
    deepest, opened = 0, []
    # Backwards, an element without an end tag is one whose name is not the next to begin.
    for stroke, name in reversed(_TAG.findall(_TEXT.sub("", written))):
        if stroke:
            opened.append(name)
            deepest = max(deepest, len(opened))
        elif opened and opened[-1] == name:
            opened.pop()
    return deepest


def too_deep(parts: Iterator[tuple[str, ...]], *, before: str) -> list[str]:
    """The parts that, repeated, make a tree deeper than the limit."""
    units = ("".join(part) for part in parts)
    return [unit for unit in units if depth(before + unit * _TIMES) > DEEPEST_TREE]


def pairs() -> Iterator[tuple[str, ...]]:
    return product(TAGS, repeat=2)


def triples(first: str) -> Iterator[tuple[str, ...]]:
    return product((first,), TAGS, TAGS)
