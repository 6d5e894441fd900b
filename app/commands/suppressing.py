"""What `scrapersky suppress` does."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final

import click

from app.commands.asking import confirm
from app.commands.lines import LinesError, Value, buffered, read_values
from app.commands.session import connected
from app.commands.tables import show_rows
from app.commands.values import Suppressible, known_region, suppressible
from db.people import suppressions

BATCH: Final = 1_000
NAMES: Final = (
    *("email", "e mail", "email address", "mail", "phone", "phone number", "telephone", "mobile", "domain", "website"),
    *("value", "contact"),
)


def run_add(values: Sequence[str], reason: str | None, region: str | None, *, dry_run: bool, yes: bool) -> int:
    entries = _entries(values, region)
    for given, entry in zip(values, entries, strict=True):
        if entry.value != given.strip().lower():
            wide = ": everybody there, subdomains too" if entry.kind == "domain" else ""
            click.echo(f"{given} is listed as {entry.kind} {entry.value}{wide}", err=True)
    click.echo(_add(list(dict.fromkeys(entries)), reason, dry_run=dry_run, yes=yes))
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
    file: BinaryIO, reason: str | None, column: str | None, region: str | None, *, dry_run: bool, yes: bool
) -> int:
    known, bad = known_region(region), Bad()
    stream = buffered(file)
    entries = list(dict.fromkeys(_from_file(stream, column, known, bad)))
    told = _add(entries, reason, dry_run=dry_run, yes=yes)
    click.echo(told + (f" {bad.lines:,} of no use." if bad.lines else ""))
    return 1 if bad.lines else 0


def _add(entries: Sequence[Suppressible], reason: str | None, *, dry_run: bool, yes: bool) -> str:
    """Counted, asked if contacts are lost by it, done, and told."""
    batches = [entries[start : start + BATCH] for start in range(0, len(entries), BATCH)]
    with connected("suppress") as connection:
        # Who is in two batches is counted twice.
        expected = sum(suppressions.contacts_of(connection, batch) for batch in batches)
        lost = f"{'up to ' if len(batches) > 1 else ''}{expected:,} contact(s)"
        if dry_run:
            return f"Dry run, nothing is changed: {len(entries):,} for the suppression list; {lost} would be deleted."
        if expected:
            confirm(f"Put {len(entries):,} on the suppression list and delete {lost}?", yes=yes)
        added = [suppressions.add(connection, batch, reason) for batch in batches]
    new, deleted = sum(one.new for one in added), sum(one.contacts_deleted for one in added)
    return _told(suppressions.Added(new, deleted), len(entries))


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


def _told(added: suppressions.Added, listed: int) -> str:
    already = f", {listed - added.new:,} there already" if listed > added.new else ""
    return f"{added.new:,} added to the suppression list{already}; {added.contacts_deleted:,} contact(s) deleted."
