"""Geometry of the small pictures: templates draw what is computed here, with classes and no inline style."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """A piece of a stacked bar; `kind` is its class."""

    x: float
    y: float
    width: float
    height: float
    kind: str


def stacked(columns: Sequence[Mapping[str, float]], width: float, height: float, gap: float = 1) -> list[Bar]:
    """A bar per column, its parts one upon the other, the first lowest; what is not nothing is seen."""
    highest = peak(columns)
    step = width / max(1, len(columns))
    bars = []
    for index, column in enumerate(columns):
        floor = height
        for kind, value in column.items():
            if value > 0:
                length = min(floor, max(1.5, height * value / highest))
                floor -= length
                bars.append(Bar(round(index * step, 2), round(floor, 2), round(step - gap, 2), round(length, 2), kind))
    return bars


def peak(columns: Sequence[Mapping[str, float]]) -> float:
    return max((sum(column.values()) for column in columns), default=0) or 1


def minutes(rows: Sequence[Mapping[str, float]], kinds: Sequence[str], count: int) -> list[dict[str, float]]:
    """Rows with `minutes_ago` as columns from the oldest to now; minutes without a row are empty."""
    known = {int(row["minutes_ago"]): row for row in rows}
    return [
        {kind: float(known[ago][kind]) if ago in known else 0.0 for kind in kinds} for ago in range(count - 1, -1, -1)
    ]
