"""Geometry of the small pictures: templates draw what is computed here, with classes and no inline style."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bar:
    """A piece of a stacked bar; `kind` is its class."""

    x: float
    y: float
    width: float
    height: float
    kind: str


@dataclass(frozen=True)
class Line:
    """A line through the points that are known; where nothing is known it is broken."""

    path: str
    points: list[tuple[float, float]]
    """Those that stand alone."""

    kind: str


@dataclass(frozen=True)
class Tick:
    place: float
    label: float


def stacked(
    columns: Sequence[Mapping[str, float]], width: float, height: float, *, top: float | None = None, gap: float = 1
) -> list[Bar]:
    """A bar per column, its parts one upon the other, the first lowest; what is not nothing is seen."""
    highest = top or peak(columns)
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


def line(values: Sequence[float | None], width: float, height: float, *, top: float, kind: str) -> Line:
    step = width / max(1, len(values))
    stretches: list[list[tuple[float, float]]] = [[]]
    for index, value in enumerate(values):
        if value is None:
            stretches.append([])
        else:
            place = (index + 0.5) * step, height - height * min(1.0, value / top)
            stretches[-1].append((round(place[0], 1), round(place[1], 1)))
    path = "".join("M" + "L".join(f"{x} {y}" for x, y in points) for points in stretches if len(points) > 1)
    return Line(path, [points[0] for points in stretches if len(points) == 1], kind)


def peak(columns: Sequence[Mapping[str, float]]) -> float:
    return max((sum(column.values()) for column in columns), default=0) or 1


def ticks(highest: float, height: float) -> tuple[float, list[Tick]]:
    """A round number at or above the highest value, and the marks of an axis that ends there."""
    size = 10.0 ** math.floor(math.log10(max(highest, 1e-3)))
    top = next(factor * size for factor in (1, 2, 5, 10) if factor * size >= highest * (1 - 1e-9))
    return top, [Tick(round(height - height * share, 1), top * share) for share in (0, 0.5, 1)]


def steps(rows: Sequence[Mapping[str, Any]], count: int, place: str = "steps_ago") -> list[Mapping[str, Any]]:
    """From the oldest to the newest; steps without a row are empty."""
    known = {int(row[place]): row for row in rows}
    return [known.get(ago, {}) for ago in range(count - 1, -1, -1)]


def only(columns: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> list[dict[str, float]]:
    return [{kind: float(column.get(kind) or 0) for kind in kinds} for column in columns]
