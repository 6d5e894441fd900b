"""What `scrapersky suppress` does."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final

import click
import psycopg
from psycopg import Connection

from app.commands.asking import confirm
from app.commands.lines import LinesError, Value, buffered, read_values
from app.commands.session import connected
from app.commands.tables import show_rows
from app.commands.values import Suppressible, known_region, suppressible
from db.people import suppressions

SHOWN: Final = 50
ATTEMPTS: Final = 4
NAMES: Final = (
    *("email", "e mail", "email address", "mail", "phone", "phone number", "telephone", "mobile", "domain", "website"),
    *("value", "contact"),
)


def run_add(
    values: Sequence[str], reason: str | None, region: str | None, *, dry_run: bool, yes: bool, whole: bool
) -> int:
    entries = _entries(values, region)
    for given, entry in zip(values, entries, strict=True):
        if entry.value != given.strip().lower():
            wide = ": everybody there, subdomains too" if entry.kind == "domain" else ""
            click.echo(f"{given} is listed as {entry.kind} {entry.value}{wide}", err=True)
    click.echo(_add(list(dict.fromkeys(entries)), reason, dry_run=dry_run, yes=yes, whole=whole))
    return 0


def run_remove(values: Sequence[str], region: str | None) -> int:
    entries = _entries(values, region)
    with connected("suppress") as connection:
        removed = suppressions.remove(connection, entries)
    click.echo(f"{removed} of {len(set(entries))} taken off the suppression list.")
    return 0 if removed == len(set(entries)) else 1


def run_list(kind: str | None, limit: int, *, as_json: bool) -> int:
    with connected("suppress") as connection:
        rows = suppressions.entries(connection, kind, limit)
    if as_json:
        click.echo(json.dumps(rows, default=str, ensure_ascii=False))
    elif rows:
        show_rows(("kind", "value", "reason", "since"), [tuple(row.values()) for row in rows], whole=("kind", "since"))
    else:
        click.echo("The suppression list is empty.", err=True)
    return 0


def run_import(
    file: BinaryIO,
    reason: str | None,
    column: str | None,
    region: str | None,
    *,
    dry_run: bool,
    yes: bool,
    whole: bool,
) -> int:
    known, bad = known_region(region), Bad()
    stream = buffered(file)
    entries = list(dict.fromkeys(_from_file(stream, column, known, bad)))
    told = _add(entries, reason, dry_run=dry_run, yes=yes, whole=whole)
    click.echo(told + (f" {bad.lines:,} of no use." if bad.lines else ""))
    return 1 if bad.lines else 0


def _add(entries: Sequence[Suppressible], reason: str | None, *, dry_run: bool, yes: bool, whole: bool) -> str:
    """Counted, asked if anything is lost by it, done, and told."""
    with connected("suppress") as connection:
        expected = suppressions.affected_by(connection, entries)
        if any(expected):
            _show_affected(connection, entries, sum(expected), whole=whole)
        if dry_run:
            listed = f"{len(entries):,} for the suppression list"
            return f"Dry run, nothing is changed: {listed}; this would be lost: {expected}."
        if any(expected):
            confirm(f"Put {len(entries):,} on the suppression list? This is lost: {expected}.", yes=yes)
        added = _patiently(lambda: suppressions.add(connection, entries, reason))
    already = f", {len(entries) - added.new:,} there already" if len(entries) > added.new else ""
    return f"{added.new:,} added to the suppression list{already}; {added.affected}."


def _show_affected(connection: Connection[Any], entries: Sequence[Suppressible], total: int, *, whole: bool) -> None:
    """The first rows that are lost, beside the question; all of them on stdout, which may be a file."""
    for row in suppressions.affected_rows(connection, entries, None if whole else SHOWN):
        click.echo(f"  {row} {row.outcome}", err=not whole)
    if total > SHOWN and not whole:
        click.echo(f"  and {total - SHOWN:,} more; all of them: the same command with --dry-run --list", err=True)


def _patiently(step: Callable[[], suppressions.Added]) -> suppressions.Added:
    """A worker's transaction lasts milliseconds; one that a person left open is named in the error."""
    for _ in range(ATTEMPTS):
        with suppress(psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            return step()
    try:
        return step()
    except psycopg.errors.LockNotAvailable as error:
        raise click.ClickException(f"{error.diag.message_primary}. {error.diag.message_hint}") from None


class Bad:
    """Lines that were of no use, told as they come."""

    def __init__(self) -> None:
        self.lines = 0

    def tell(self, line: int, reason: str) -> None:
        self.lines += 1
        click.echo(f"line {line}: {reason}", err=True)


def _from_file(stream: io.BufferedReader, column: str | None, region: str | None, bad: Bad) -> Iterator[Suppressible]:
    try:
        for value in read_values(stream, NAMES, column):
            entry = _entry(value, region)
            if isinstance(entry, Suppressible):
                yield entry
            else:
                bad.tell(value.line, entry)
    except LinesError as error:
        raise click.UsageError(str(error)) from None


def _entry(value: Value, region: str | None) -> Suppressible | str:
    """What the line says, or why it is of no use."""
    if value.broken:
        return f"{value.text!r}: {value.broken}"
    try:
        return suppressible(value.text, region)
    except ValueError as error:
        return str(error)


def _entries(values: Sequence[str], region: str | None) -> list[Suppressible]:
    known = known_region(region)
    try:
        return [suppressible(value, known) for value in values]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
