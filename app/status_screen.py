"""The queue on a screen: a line per workflow, and under it in full why one stands still and what went wrong last."""

from collections.abc import Mapping
from datetime import datetime

from psycopg.rows import DictRow
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from app.commands.ages import span
from app.commands.tables import cell, short
from app.reading import Reading

COUNTS = ("ready", "delayed", "running", "failed")


def screen(reading: Reading, rates: Mapping[str, float]) -> Group:
    parts: list[RenderableType] = [_head(reading), _table(reading, rates)]
    parts += [
        Text.assemble((row["workflow"], "bold"), f" is paused: {_why(row)}")
        for row in reading.workflows
        if row["paused"]
    ]
    if reading.errors:
        parts.append(Text("Last errors", style="bold"))
        parts += [_error(row) for row in reading.errors]
    return Group(*parts)


def _head(reading: Reading) -> Text:
    style = "" if reading.workers else "bold red"
    head = Text.assemble((f"{reading.workers} worker process(es)", style))
    if reading.draining:
        head.append(f", {reading.draining} draining", style="yellow")
    return head.append(f"  {datetime.now().astimezone():%H:%M:%S}", style="dim")


def _table(reading: Reading, rates: Mapping[str, float]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("workflow", no_wrap=True)
    for name in (*COUNTS, "oldest", "per s"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True, overflow="ellipsis")
    for row in reading.workflows:
        age = row["oldest_ready"]
        table.add_row(
            row["workflow"],
            *(_count(row[name], alarming=name == "failed") for name in COUNTS),
            "-" if age is None else span(age),
            _rate(rates.get(row["workflow"], 0.0)),
            _state(row),
        )
    return table


def _count(number: int, *, alarming: bool) -> Text:
    """Exact as long as it is short."""
    if number >= 10_000_000:  # noqa: PLR2004 - eight digits
        text = f"{number / 1e6:,.0f}M"
    else:
        text = f"{number / 1e3:,.0f}k" if number >= 1_000_000 else f"{number:,}"  # noqa: PLR2004 - seven digits
    return Text(text if number else "-", style="red" if alarming and number else "" if number else "dim")


def _rate(rate: float) -> Text:
    """Nothing is easier to overlook than nought."""
    if rate < 0.05:  # noqa: PLR2004 - nothing, when rounded
        return Text("-", style="dim")
    return Text(f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}")  # noqa: PLR2004 - two digits


def _state(row: DictRow) -> Text:
    if row["paused"]:
        return Text("paused", style="yellow")
    if row["per_day"] is not None and (row["used_today"] or 0) >= row["per_day"]:
        return Text("day's budget used", style="yellow")
    limit = row["max_in_flight"]
    if limit is not None and row["running"] >= limit and row["ready"]:
        return Text(f"at its limit, {limit:,}", style="yellow")
    if row["held_back"] and row["ready"]:
        return Text(f"held back by {row['feeds']}", style="yellow")
    return Text("on", style="green")


def _why(row: DictRow) -> str:
    until = f" (until {row['paused_until']:%Y-%m-%d %H:%M %Z})" if row["paused_until"] else ""
    return f"{short(row['paused_reason'] or 'no reason given')}{until}"


def _error(row: DictRow) -> Text:
    line = Text.assemble((f"{span(row['age'])} ago ", "dim"), f"{row['workflow']}: {cell(row['error'])}")
    line.no_wrap, line.overflow = True, "ellipsis"
    return line
