"""Texts that keep a regular expression busy, made from its own pieces: a beginning, parts again and again, an end."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

_REPEATS: Final = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_CANDIDATES: Final = " a5A-._@/:<>=\"'\t\n%&;,()[]{}!#+*|~$éß\u2013★中\x00"
_MOST_CHARACTERS: Final = 2
_MOST_PUMPS: Final = 40
# What no pattern ends in; a pattern that fails at the end has tried everything before.
_ENDS: Final = ("\x00", "", " !")


class Pump(NamedTuple):
    """The parts stand one after the other, each filling its share of the text."""

    before: str
    parts: tuple[str, ...]
    after: str

    def text(self, size: int) -> str:
        share = size // len(self.parts)
        return f"{self.before}{''.join(part * (share // len(part)) for part in self.parts)}{self.after}"


def pumps(pattern: re.Pattern[Any]) -> list[Pump]:
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.LOCALE)
    found = dict.fromkeys(_pumps(list(_repeated(tree, "")), _example(tree)))
    return list(found)[:_MOST_PUMPS]


def _pumps(repeated: list[tuple[str, list[str]]], whole: str) -> Iterator[Pump]:
    """Every repeated piece alone, with what stands before it, with the piece that is repeated next; then the whole."""
    for end in _ENDS:
        for before, pieces in repeated:
            yield from (Pump(before, (piece,), end) for piece in pieces)
        for (before, first), (_, second) in pairwise(repeated):
            yield Pump(before, (first[0], second[0]), end)
        if whole:
            yield Pump("", (whole,), end)
        for before, pieces in repeated:
            if before:
                yield Pump("", (before,), end)
                yield Pump("", (before + pieces[0],), end)
            yield Pump("", (pieces[0],), end)


def _repeated(tree: Any, before: str) -> Iterator[tuple[str, list[str]]]:
    """Each piece that may stand several times: an example of what stands before it, and examples of itself."""
    for code, value in tree:
        if code in _REPEATS:
            if value[1] > 1 and (pieces := list(dict.fromkeys(filter(None, _examples(value[2]))))):
                yield before, pieces
            yield from _repeated(value[2], before)
        else:
            for inner in _inner(code, value):
                yield from _repeated(inner, before)
        before += _example([(code, value)])


def _inner(code: Any, value: Any) -> list[Any]:
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.BRANCH:
        return list(value[1])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    return [value] if code is codes.ATOMIC_GROUP else []


def _examples(tree: Any) -> Iterator[str]:
    """One for the whole; for a single set or branch one for each of its first possibilities."""
    yield _example(tree)
    if len(tree) == 1:
        code, value = tree[0]
        if code is codes.BRANCH:
            yield from (_example(each) for each in value[1][:8])
        elif code in (codes.IN, codes.NOT_LITERAL, codes.ANY):
            yield from _characters(code, value)
        elif code is codes.SUBPATTERN:
            yield from _examples(value[3])


def _example(tree: Any) -> str:
    return "".join(_example_of(code, value) for code, value in tree)


def _example_of(code: Any, value: Any) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code in (codes.IN, codes.NOT_LITERAL, codes.ANY):
        return next(iter(_characters(code, value)), "")
    if code in _REPEATS:
        return _example(value[2]) * max(1, min(value[0], 50))
    if code in (codes.ASSERT, codes.ASSERT_NOT, codes.AT):
        return ""
    return _example(inner[0]) if (inner := _inner(code, value)) else ""


def _characters(code: Any, value: Any) -> list[str]:
    if code is codes.ANY:
        return ["x"]
    matches: Callable[[str], bool]
    if code is codes.NOT_LITERAL:
        matches = lambda character: ord(character) != value  # noqa: E731 - the other one is as short
    else:
        matches = lambda character: _is_in(value, character)  # noqa: E731
    literal = [chr(each) for kind, each in value if kind is codes.LITERAL] if code is codes.IN else []
    ranges = [chr(each[0]) for kind, each in value if kind is codes.RANGE] if code is codes.IN else []
    return [each for each in (*_CANDIDATES, *literal, *ranges) if matches(each)][:_MOST_CHARACTERS]


def _is_in(items: Any, character: str) -> bool:
    is_negated = items[0][0] is codes.NEGATE
    return is_negated != any(_fits(kind, value, character) for kind, value in items)


def _fits(kind: Any, value: Any, character: str) -> bool:
    if kind is codes.LITERAL:
        return ord(character) == value
    if kind is codes.RANGE:
        return value[0] <= ord(character) <= value[1]
    if kind is not codes.CATEGORY:
        return False
    is_word = character.isalnum() or character == "_"
    is_of = {
        codes.CATEGORY_DIGIT: unicodedata.category(character) == "Nd",
        codes.CATEGORY_SPACE: character.isspace(),
        codes.CATEGORY_WORD: is_word,
    }
    opposite = {
        codes.CATEGORY_NOT_DIGIT: codes.CATEGORY_DIGIT,
        codes.CATEGORY_NOT_SPACE: codes.CATEGORY_SPACE,
        codes.CATEGORY_NOT_WORD: codes.CATEGORY_WORD,
    }
    return is_of[value] if value in is_of else not is_of[opposite[value]]
