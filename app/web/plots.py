"""A workflow over time: how much it did, and how long rows waited and ran."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.web.charts import Bar, Line, Tick, line, only, peak, stacked, steps, ticks
from app.web.reader import Reader
from db.statements import statements

SQL = statements("dashboard/workflow.sql")

WIDTH, HEIGHT = 560, 150
OUTCOMES = ("completed", "retried", "failed")


@dataclass(frozen=True)
class Span:
    """So many steps of so many minutes."""

    name: str
    ago: str
    step: int
    count: int


SPANS = {
    span.name: span
    for span in (
        Span("hour", "an hour ago", 1, 60),
        Span("day", "a day ago", 15, 96),
        Span("week", "a week ago", 120, 84),
    )
}


@dataclass(frozen=True)
class Plot:
    bars: list[Bar]
    lines: list[Line]
    ticks: list[Tick]
    told: str
    """What it shows, for those who do not see it."""

    is_empty: bool


@dataclass(frozen=True)
class Plots:
    span: Span
    throughput: Plot
    waiting: Plot


def read_plots(reader: Reader, workflow: str, span: Span) -> Plots:
    rows = reader.rows(SQL["rates"], workflow=workflow, step=span.step, steps=span.count)
    columns = steps(rows, span.count)
    return Plots(span, _throughput(columns, span), _waiting(columns, span))


def _throughput(columns: Sequence[Mapping[str, Any]], span: Span) -> Plot:
    """Rows a minute, whatever the length of a step."""
    counted = only(columns, OUTCOMES)
    rates = [{kind: value / span.step for kind, value in column.items()} for column in counted]
    top, marks = ticks(peak(rates), HEIGHT)
    totals = {kind: sum(column[kind] for column in counted) for kind in OUTCOMES}
    told = ", ".join(f"{totals[kind]:,.0f} {kind}" for kind in OUTCOMES)
    bars = stacked(rates, WIDTH, HEIGHT, top=top)
    return Plot(bars, [], marks, f"attempts in the last {span.name}: {told}", not any(totals.values()))


def _waiting(columns: Sequence[Mapping[str, Any]], span: Span) -> Plot:
    series = {kind: [column.get(kind) for column in columns] for kind in ("longest_wait", "mean_wait", "mean_work")}
    known = [value for values in series.values() for value in values if value is not None]
    top, marks = ticks(max(known, default=1), HEIGHT)
    lines = [line(values, WIDTH, HEIGHT, top=top, kind=kind) for kind, values in series.items()]
    longest = max((value for value in series["longest_wait"] if value is not None), default=0)
    told = f"waiting and run times in the last {span.name}: the longest wait was {longest:.1f} seconds"
    return Plot([], lines, marks, told, not known)
