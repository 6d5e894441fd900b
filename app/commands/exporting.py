"""How an export comes out: rows from the database through a writer to their place."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, Final

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from app.commands.output import check_free, new_file, standard_output, tidy_when_terminated
from app.commands.session import connected
from app.commands.sheets import Row, TooManyRowsError, write_csv, write_json, write_json_lines, write_xlsx
from db.people.conditions import ConditionError
from db.people.exporting import Extract, UnknownColumnError

UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AGO = re.compile(r"([0-9]{1,5})([hdw])")


@dataclass(frozen=True, kw_only=True)
class Order:
    kind: str
    file_format: str
    path: Path | None
    columns: Sequence[str] | None
    where: str | None
    bom: bool
    force: bool


def run_export(order: Order, since: str | None) -> int:
    if order.file_format == "xlsx" and order.path is None:
        raise click.UsageError("--format xlsx needs a file: --output contacts.xlsx")
    if order.path is not None:
        check_free(order.path, force=order.force)
    elif getattr(sys.stdout, "name", "") == os.devnull:  # what app/cli.py puts into the place of a closed one
        raise click.ClickException("standard output is closed; name a file: --output contacts.csv")
    extract = Extract(order.kind, order.columns, moment(since, datetime.now(UTC)), order.where)
    try:
        with (
            tidy_when_terminated(),
            connected("export") as connection,
            extract.rows(connection) as (names, rows),
            _counted(rows, visible=order.path is not None or not sys.stdout.isatty()) as counted,
        ):
            _write(order, names, counted)
    except (ConditionError, UnknownColumnError) as error:
        raise click.UsageError(str(error)) from None
    except TooManyRowsError as error:
        raise click.ClickException(str(error)) from None
    if order.path is not None:
        click.echo(f"{counted.count:,} {order.kind} written to {order.path}", err=True)
    return 0


def moment(text: str | None, now: datetime) -> datetime | None:
    """A date or time, UTC unless it says otherwise, or how long ago."""
    if text is None:
        return None
    if ago := _AGO.fullmatch(text.strip().lower()):
        return now - int(ago[1]) * UNITS[ago[2]]
    try:
        given = datetime.fromisoformat(text.strip())
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise click.UsageError(f"--since: expected a date such as 2026-11-01, or 7d, 12h, 2w; got {text!r}") from None


def _write(order: Order, names: list[str], rows: Iterable[Row]) -> None:
    if order.path is None:
        with standard_output() as target:
            _write_text(order, names, rows, target)
        return
    with new_file(order.path, force=order.force) as partial:
        write_file(order, names, rows, partial)


def write_file(order: Order, names: list[str], rows: Iterable[Row], path: Path) -> None:
    if order.file_format == "xlsx":
        write_xlsx(names, rows, path, order.kind)
        return
    with path.open("wb") as target:
        _write_text(order, names, rows, target)


def _write_text(order: Order, names: list[str], rows: Iterable[Row], target: IO[bytes]) -> None:
    match order.file_format:
        case "csv":
            write_csv(names, rows, target, mark=order.bom)
        case "json":
            write_json(names, rows, target)
        case _:
            write_json_lines(names, rows, target)


class _Counted:
    """Rows that are counted as they pass, on the screen too if there is one."""

    def __init__(self, rows: Iterator[tuple[Any, ...]], progress: Progress) -> None:
        self.count = 0
        self._rows = rows
        self._progress = progress
        self._task = progress.add_task("rows", total=None)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for row in self._rows:
            self.count += 1
            if not self.count % 1_000:
                self._progress.update(self._task, completed=self.count)
            yield row


@contextmanager
def _counted(rows: Iterator[tuple[Any, ...]], *, visible: bool) -> Iterator[_Counted]:
    """Not visible where the rows themselves go to the screen: there a moving count would only be in the way."""
    columns = (SpinnerColumn(), TextColumn("{task.completed:,} rows"), TimeElapsedColumn())
    silent = not (visible and sys.stderr.isatty())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=silent) as progress:
        yield _Counted(rows, progress)
