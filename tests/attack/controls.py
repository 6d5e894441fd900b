"""Readers with the faults that the suite is for: it must find each of them."""

import re
import time
from typing import Any, Final

from tests.attack.documents import Shape, repeated

_QUADRATIC = re.compile(r"\s+x")


def quadratic(body: bytes) -> Any:
    """Holds the lock of the interpreter for as long as the square of the size demands."""
    return _QUADRATIC.search(body.decode())


def multiplying(body: bytes) -> Any:
    """Keeps the rest of the text once for each of the places where something begins."""
    text = body.decode()
    return [text[place:] + "." for place in range(0, len(text), max(1, len(text) // 2_000))]


def raising(body: bytes) -> Any:
    raise ValueError(f"cannot read {len(body)} bytes")


def endless(_body: bytes) -> Any:
    while True:
        time.process_time()


CONTROL_READERS: Final = {
    "quadratic": (quadratic,),
    "multiplying": (multiplying,),
    "raising": (raising,),
    "endless": (endless,),
}
CONTROL_SHAPES: Final = tuple(Shape(f"control: {name}", name, "controls", repeated(" ")) for name in CONTROL_READERS)
