"""What became of an attempt.

Found      it worked: rows to write, values for the row itself, a reason when nothing was there to find
Again      it failed and may be tried again after a delay
Failed     it failed for good
Released   it was not started, or stopped by a shutdown: the attempt is given back
Lost       its worker died
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from db.models.base import Base

ERROR_LENGTH = 1024


@dataclass(frozen=True, slots=True)
class Found:
    rows: Sequence[Base] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None


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
    pass


@dataclass(frozen=True, slots=True)
class Lost:
    max_lost: int


Outcome = Found | Again | Failed | Released | Lost


def error_text(text: str) -> str:
    """What fits an error column: one line of storable characters, at most 1,024 characters."""
    storable = text.replace("\x00", "").encode("utf-8", "replace").decode()  # half of a surrogate pair is no character
    line = " ".join(storable.split()) or "no reason given"
    return line if len(line) <= ERROR_LENGTH else line[: ERROR_LENGTH - 1] + "…"
