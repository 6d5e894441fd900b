"""How a file goes in: read, checked, written in batches, and told."""

import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, BinaryIO, Final

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from actors.parse.pages import categorise, honeybee
from app.commands.candidates import CANDIDATES, NAMES, Refused
from app.commands.lines import LinesError, Value, buffered, read_values
from app.commands.session import connected
from db.people.importing import Given, Import, Imported, time_of

BATCH: Final = 5_000
MOST_TOLD_AS_JSON: Final = 1_000
LONGEST_QUOTE: Final = 80


@dataclass(frozen=True, kw_only=True)
class Order:
    kind: str
    queue: bool = False
    region: str | None = None
    column: str | None = None
    dry_run: bool = False
    as_json: bool = False


@dataclass
class Outcome:
    """What became of the lines so far."""

    lines: int = 0
    bad: int = 0
    suppressed: int = 0
    told: list[dict[str, Any]] = field(default_factory=list)
    imported: Imported = field(default_factory=Imported)

    def refuse(self, line: int, value: str, reason: str) -> None:
        shown = value if len(value) <= LONGEST_QUOTE else f"{value[:LONGEST_QUOTE]}…"
        click.echo(f"line {line}: {shown!r}: {reason}", err=True)
        if len(self.told) < MOST_TOLD_AS_JSON:
            self.told.append({"line": line, "value": shown, "reason": reason})


def run_import(file: BinaryIO, order: Order) -> int:
    stream = buffered(file)
    outcome = Outcome()
    with connected("import") as connection:
        target = Import(connection, order.kind, time_of(connection), queue=order.queue, region=order.region)
        trial = connection.transaction(force_rollback=True) if order.dry_run else nullcontext()
        try:
            with trial, _progress() as progress:
                task = progress.add_task(order.kind, total=_size(stream), lines=0)
                for batch in _batches(_given(stream, order, outcome)):
                    _tell(outcome, target.write(batch))
                    progress.update(task, completed=_position(stream), lines=outcome.lines)
        except LinesError as error:
            raise click.UsageError(str(error)) from None
        except KeyboardInterrupt:
            click.echo("Stopped. What was written so far stays; the same import again adds the rest.", err=True)
            raise
    click.echo(json.dumps(_as_json(outcome, order)) if order.as_json else _sentence(outcome, order))
    return 1 if outcome.bad or outcome.suppressed else 0


def _given(stream: io.BufferedReader, order: Order, outcome: Outcome) -> Iterator[Given]:
    for value in read_values(stream, NAMES[order.kind], order.column):
        outcome.lines += 1
        row = _row(value, order.kind)
        if isinstance(row, Refused):
            outcome.bad += 1
            outcome.refuse(*row)
        else:
            yield row


def _row(value: Value, kind: str) -> Given | Refused:
    if value.broken:
        return Refused(value.line, value.text, value.broken)
    candidate = CANDIDATES[kind](value.line, value.text)
    if isinstance(candidate, Refused):
        return candidate
    return Given(candidate.line, candidate.domain, _columns(candidate.url, kind))


def _columns(url: str, kind: str) -> dict[str, Any]:
    if kind == "domains":
        return {}
    if kind == "sitemaps":
        return {"url": url, "discovery_method": "import"}
    category = categorise(url)
    return {
        "url": url,
        "lead_source": "import",
        "page_type": category.page_type,
        "honeybee_json": honeybee(category),
        "priority_level": category.priority,
        "path_depth": category.depth,
    }


def _batches(rows: Iterable[Given]) -> Iterator[list[Given]]:
    waiting = iter(rows)
    while batch := list(islice(waiting, BATCH)):
        yield batch


def _tell(outcome: Outcome, imported: Imported) -> None:
    outcome.imported.add(imported)
    outcome.suppressed += len(imported.suppressed)
    outcome.bad += len(imported.refused)
    for line, domain in imported.suppressed:
        outcome.refuse(line, domain, "is on the suppression list; take it off with: scrapersky suppress remove")
    for refused in imported.refused:
        outcome.refuse(*refused)


def _progress() -> Progress:
    """On a terminal only, and on stderr: the outcome alone goes to stdout."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[lines]:,} lines"))
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True, disable=not sys.stderr.isatty())


def _size(stream: io.BufferedReader) -> int | None:
    try:
        return os.fstat(stream.fileno()).st_size or None
    except OSError:
        return None


def _position(stream: io.BufferedReader) -> int:
    try:
        return stream.tell()
    except OSError:
        return 0


def _as_json(outcome: Outcome, order: Order) -> dict[str, Any]:
    return {
        "lines": outcome.lines,
        "new": outcome.imported.new,
        "existing": outcome.imported.existing,
        "repeated": outcome.imported.repeated,
        "suppressed": outcome.suppressed,
        "bad": outcome.bad,
        "queued": outcome.imported.queued,
        "dry_run": order.dry_run,
        "refused": outcome.told,
    }


def _sentence(outcome: Outcome, order: Order) -> str:
    imported = outcome.imported
    parts = [f"{imported.new:,} new"]
    parts += [
        f"{number:,} {what}"
        for number, what in (
            (imported.existing, "already there"),
            (imported.repeated, "more than once in the file"),
            (outcome.suppressed, "on the suppression list"),
            (outcome.bad, "of no use"),
        )
        if number
    ]
    if order.queue:
        parts.append(f"{imported.queued:,} queued")
    beginning = "Dry run, nothing is changed" if order.dry_run else f"{order.kind.capitalize()} imported"
    return f"{beginning}: {outcome.lines:,} lines, {', '.join(parts)}."
