"""`scrapersky status`: the overview as a table."""

import contextlib
import json
import time
from datetime import timedelta
from typing import Any

import click
import psycopg
from psycopg.rows import DictRow, dict_row
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from app.config import Settings
from app.database import database

OVERVIEW = "select * from engine.overview order by workflow"
WORKERS = "select count(*) from engine.worker"


def show_status(settings: Settings, *, watch: bool, as_json: bool) -> int:
    with database(settings) as url:
        if as_json:
            overview, workers = _read(url)
            click.echo(json.dumps({"workers": workers, "workflows": overview}, default=_seconds))
        elif watch:
            _watch(url)
        else:
            Console().print(_view(*_read(url)))
    return 0


def _watch(url: str) -> None:
    """Ctrl-C ends it; a database that is away is shown as such and asked again."""
    with contextlib.suppress(KeyboardInterrupt), Live(console=Console(), auto_refresh=False, screen=False) as live:
        while True:
            try:
                live.update(_view(*_read(url)), refresh=True)
            except psycopg.OperationalError as error:
                live.update(f"The database does not answer: {error}", refresh=True)
            time.sleep(1)


def _read(url: str) -> tuple[list[DictRow], int]:
    with psycopg.connect(
        url, autocommit=True, row_factory=dict_row, application_name="scrapersky status"
    ) as connection:
        overview = connection.execute(OVERVIEW).fetchall()
        workers = connection.execute(WORKERS).fetchone()
    return overview, workers["count"] if workers else 0


def _view(overview: list[DictRow], workers: int) -> Group:
    """The table, and under it in full why something is paused: in a column the reason would be cut."""
    reasons = [
        Text.assemble((row["workflow"], "bold"), f" is paused: {_why(row)}") for row in overview if row["paused"]
    ]
    return Group(_table(overview, workers), *reasons)


def _why(row: DictRow) -> str:
    until = f" (until {row['paused_until']:%Y-%m-%d %H:%M %Z})" if row["paused_until"] else ""
    return f"{row['paused_reason'] or 'no reason given'}{until}"


def _table(overview: list[DictRow], workers: int) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"{workers} worker process(es)",
        title_justify="left",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("workflow", no_wrap=True)
    for name in ("ready", "delayed", "running", "failed", "oldest"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("limit", justify="right", no_wrap=True)
    table.add_column("state")
    for row in overview:
        table.add_row(
            row["workflow"],
            *(f"{row[name]:,}" for name in ("ready", "delayed", "running", "failed")),
            _age(row["oldest_ready"]),
            str(row["max_in_flight"] or "none"),
            _state(row),
        )
    return table


def _state(row: DictRow) -> str:
    if row["paused"]:
        return "[yellow]paused[/yellow]"
    if row["per_day"] is not None and (row["used_today"] or 0) >= row["per_day"]:
        return f"[yellow]the day's {row['per_day']:,} are used up[/yellow]"
    return "[green]on[/green]"


def _age(age: timedelta | None) -> str:
    if age is None:
        return "-"
    seconds = age.total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else str(timedelta(seconds=round(seconds)))  # noqa: PLR2004 - a minute


def _seconds(value: Any) -> float | str:
    return value.total_seconds() if isinstance(value, timedelta) else str(value)
