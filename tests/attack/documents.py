"""How a hostile document of a given size is put together: as data, from a few parts."""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

Maker = Callable[[int], bytes]


class Shape(NamedTuple):
    """A document for each size in bytes; the kind names the reader that it is for, the family its row in the table."""

    name: str
    kind: str
    family: str
    make: Maker


def shapes(kind: str, families: Mapping[str, Mapping[str, Maker]]) -> Iterator[Shape]:
    for family, makers in families.items():
        yield from (Shape(name, kind, family, make) for name, make in makers.items())


def repeated(unit: str, before: str = "", after: str = "") -> Maker:
    """One part again and again between a beginning and an end; `#` in it is a number that rises."""
    return lambda size: f"{before}{_filled(unit, size - len(before) - len(after))}{after}".encode("utf-8", "replace")


def halves(first: str, second: str, before: str = "", after: str = "") -> Maker:
    """Many of one part, then many of another, of equal length: n opened, m closed."""

    def make(size: int) -> bytes:
        half = (size - len(before) - len(after)) // 2
        return f"{before}{_filled(first, half)}{_filled(second, half)}{after}".encode("utf-8", "replace")

    return make


def few_then_text(unit: str, times: int, text: str, before: str = "", after: str = "") -> Maker:
    """A part a fixed number of times, then text to the end: what holds the text once for each part multiplies it."""

    def make(size: int) -> bytes:
        parts = unit * min(times, max(1, size // (2 * len(unit))))
        return f"{before}{parts}{_filled(text, size - len(parts))}{after}".encode("utf-8", "replace")

    return make


def nested(begin: str, end: str, middle: str = "", before: str = "", after: str = "") -> Maker:
    """As many parts closed as opened, one inside the other."""

    def make(size: int) -> bytes:
        times = max(1, (size - len(before) - len(after)) // (len(begin) + len(end)))
        return f"{before}{begin * times}{middle}{end * times}{after}".encode("utf-8", "replace")

    return make


def raw(unit: bytes, before: bytes = b"", after: bytes = b"") -> Maker:
    """The same for bytes that are no text."""
    return lambda size: before + unit * ((size - len(before)) // len(unit)) + after


def encoded(make: Maker, encoding: str, mark: bytes = b"") -> Maker:
    return lambda size: mark + make(size // 2).decode("utf-8").encode(encoding, "replace")


def _filled(unit: str, size: int) -> str:
    if "#" not in unit:
        return unit * max(1, size // len(unit))
    return "".join(_numbered(unit, size))


def _numbered(unit: str, size: int) -> Iterator[str]:
    length = 0
    for number in count():
        part = unit.replace("#", str(number))
        length += len(part)
        if length > size and number:
            return
        yield part
