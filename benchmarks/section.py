"""What a part of the benchmark gives: a table for people, values for comparisons, plots for the eye."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Plot:
    """Bars where a series has one value, lines where it has points."""

    name: str
    title: str
    unit: str
    bars: dict[str, float] = field(default_factory=dict)
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


@dataclass
class Section:
    title: str
    head: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    values: dict[str, float] = field(default_factory=dict)
    """Medians by name; goals are judged by them."""
    raw: dict[str, Any] = field(default_factory=dict)
    """Every round."""
    plots: list[Plot] = field(default_factory=list)


@dataclass
class Options:
    rows: int = 40_000
    bulk: int = 100_000
    rounds: int = 3
    hosts: int = 1_000
    large: int = 10_000_000
    minutes: float = 5.0


def middle(values: Sequence[float], form: str = ",.0f", unit: str = "") -> str:
    """The median, and how far the rounds were from each other."""
    unit = f" {unit}" if unit else ""
    text = format(statistics.median(values), form)
    if len(values) == 1:
        return f"{text}{unit}"
    return f"{text}{unit} ({format(min(values), form)} to {format(max(values), form)})"


def ratio(mine: Sequence[float], its: Sequence[float]) -> float:
    """The median of the ratios round by round, for the rounds were measured one after the other."""
    return statistics.median(one / other for one, other in zip(mine, its, strict=True))
