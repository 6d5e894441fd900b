"""What became of an attempt.

Found      it worked: rows to write, values for the row itself, a reason when nothing was there to find
Again      it failed and may be tried again after a delay
Failed     it failed for good
Released   it was not started, stopped by a shutdown, or its host must be spared first: the attempt is given back
Blocked    no row of the workflow can succeed now: the row goes back, and the workflow stops
Lost       its worker died
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from db.models.base import Base

ERROR_LENGTH = 1024
COLLECTIONS = {tuple, list}  # what almost every workflow gives; to ask an abstract type takes ten times as long


@dataclass(frozen=True, slots=True)
class Found:
    """The rows are read more than once: many of them are given as something that makes them anew each time."""

    rows: Iterable[Base] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None

    def __post_init__(self) -> None:
        if type(self.rows) in COLLECTIONS:
            return
        if isinstance(self.rows, Iterator):  # read to its end by an attempt to store them, it would then be empty
            raise TypeError("Found.rows must be a collection that can be read again, got an iterator; make it a list")


@dataclass(frozen=True, slots=True)
class Again:
    error: str
    delay: float
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Failed:
    error: str


@dataclass(frozen=True, slots=True)
class Released:
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class Blocked:
    reason: str
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Lost:
    max_lost: int


Outcome = Found | Again | Failed | Released | Blocked | Lost


def error_text(text: str) -> str:
    """What fits an error column: one line of storable characters, at most 1,024 characters."""
    storable = text.replace("\x00", "").encode("utf-8", "replace").decode()  # half of a surrogate pair is no character
    line = " ".join(storable.split()) or "no reason given"
    return line if len(line) <= ERROR_LENGTH else line[: ERROR_LENGTH - 1] + "…"
