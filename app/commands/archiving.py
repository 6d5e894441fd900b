"""What `scrapersky backup`, `restore` and `after-restore` do."""

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import psycopg
from psycopg import Connection

from app.commands.ages import span
from app.commands.asking import confirm, operator
from app.commands.output import check_free, new_file, tidy_when_terminated
from app.commands.session import connected
from app.config import Settings, load_settings
from app.database import database
from app.sweeper import Sweeper
from app.workflows import load_workflows
from db import archive
from db.connections import open_pool
from db.migrate import migrate
from db.outcomes import Released
from db.people.actions import record_action

# Tables of people and of the engine; an extension's own are no contents.
TABLES = """
select count(*) from pg_class
where relkind in ('r', 'p') and relnamespace <> all(array['pg_catalog', 'information_schema']::regnamespace[])
  and relnamespace::regnamespace::text !~ '^pg_' and relpersistence <> 't'
  and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')
"""
REGISTERED = "select count(*) from engine.worker"
CLAIMS = "select count(*) from engine.job where token is not null"


def run_backup(file: Path, *, as_json: bool) -> int:
    check_free(file.resolve())
    began = time.monotonic()
    with tidy_when_terminated(), _database("backup") as (url, connection), _progress() as tell:
        archive.check_readable(archive.server_major(connection))
        with new_file(file) as partial:
            partial.chmod(0o600)  # it holds what people were promised to be kept to ourselves
            archive.dump(url, partial, tell)
            size = partial.stat().st_size
        # A standby can be backed up, and keeps no notes.
        with contextlib.suppress(psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.UndefinedTable):
            record_action(connection, "backup", operator=operator(), detail={"file": file.name, "bytes": size})
    seconds = time.monotonic() - began
    if as_json:
        click.echo(json.dumps({"file": str(file), "bytes": size, "seconds": round(seconds, 3)}))
    else:
        click.echo(f"{file}: {size / 1e6:,.1f} MB in {seconds:.1f} s. To bring it back: scrapersky restore {file}")
    return 0


def run_restore(file: Path, *, force: bool, dry_run: bool, yes: bool) -> int:
    settings = load_settings()
    with _database("restore") as (url, connection):
        server = archive.server_major(connection)
        archive.check_fits(file, server)
        tables = _number(connection, TABLES)
        _check_place(connection, tables, force=force)
        if dry_run:
            click.echo(f"{file} fits; {tables} table(s) are there now. Nothing is changed.")
            return 0
        if tables:
            confirm(f"Replace what is in this database by {file}? {tables} table(s) are there.", yes=yes)
        with _progress() as tell:
            archive.load(url, file, server=server, clean=bool(tables), tell=tell)
            migrate(url, load_workflows(settings), settings.default_tenant_id)
        record_action(connection, "restore", operator=operator(), detail={"file": file.name})
    click.echo("Restored, and migrated to this version. Before workers start: scrapersky after-restore")
    return 0


def run_after_restore(*, dry_run: bool, yes: bool, as_json: bool) -> int:
    settings = load_settings()
    with contextlib.ExitStack() as stack:
        url, connection = stack.enter_context(_database("after-restore"))
        _check_dead(connection, settings)
        pool = open_pool(url, size=2, name="after-restore")
        stack.callback(pool.close)
        counts = {"workers": _number(connection, REGISTERED), "claims": _number(connection, CLAIMS)}
        workflows = load_workflows(settings)
        sweeper = Sweeper(pool, workflows, settings, dry_run=dry_run)
        if not dry_run:
            confirm(f"Forget {counts['workers']} worker(s) and queue their {counts['claims']} row(s) again?", yes=yes)
            connection.execute("delete from engine.worker")
            counts["claims"] = sweeper.end_lost_claims(Released())
        for workflow in workflows:
            for kind, count in sweeper.sweep(workflow.name, whole=True).counts().items():
                counts[kind] = counts.get(kind, 0) + count
        if not dry_run:
            record_action(connection, "after-restore", operator=operator(), detail=counts)
    _tell(counts, dry_run=dry_run, as_json=as_json)
    return 0


def _tell(counts: dict[str, int], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({**counts, "dry_run": dry_run}))
        return
    click.echo(
        f"{'Dry run, nothing is changed: ' if dry_run else ''}{counts['workers']} worker(s) forgotten, "
        f"{counts['claims']} row(s) of theirs queued again. Swept: {counts['orphaned_rows']} row(s) in progress "
        f"without a worker, {counts['missed_rows']} queued without a job, {counts['idle_jobs']} job(s) without a row."
    )


def _check_place(connection: Connection[Any], tables: int, *, force: bool) -> None:
    if tables and not force:
        raise click.ClickException(
            f"this database has {tables} table(s): restore into an empty one, or say --force to replace what is there"
        )
    if connection.execute("select to_regclass('engine.worker')").fetchone() == (None,):
        return
    workers = _number(connection, REGISTERED)
    if workers:
        raise click.ClickException(
            f"{workers} worker(s) are registered: stop them first; when they are long gone: scrapersky after-restore"
        )


def _check_dead(connection: Connection[Any], settings: Settings) -> None:
    """Whose counter still moves is alive. Nobody whose last beat is old is waited for."""
    beats = "select id, beats from engine.worker where last_beat > clock_timestamp() - %s"
    before = dict(connection.execute(beats, [settings.lease]).fetchall())
    if not before:
        return
    click.echo(f"Watching {len(before)} worker(s) for {span(1.5 * settings.beat)}", err=True)
    time.sleep(1.5 * settings.beat.total_seconds())
    after = dict(connection.execute(beats, [settings.lease]).fetchall())
    alive = sum(1 for worker, count in after.items() if before.get(worker) != count)
    if alive:
        raise click.ClickException(f"{alive} worker(s) are alive: stop them first, or their results are thrown away")


def _number(connection: Connection[Any], query: str) -> int:
    row = connection.execute(query.encode()).fetchone()
    return int(row[0]) if row else 0


@contextlib.contextmanager
def _database(command: str) -> Iterator[tuple[str, Connection[Any]]]:
    try:
        with database(load_settings()) as url, connected(command) as connection:
            yield url, connection
    except archive.ArchiveError as error:
        raise click.ClickException(str(error)) from None


@contextlib.contextmanager
def _progress() -> Iterator[archive.Tell]:
    """What is being worked on, on one line of a terminal; a script wants none of it."""
    on_terminal = sys.stderr.isatty()
    yield lambda text: click.echo(f"\r{text}\x1b[K", nl=False, err=True) if on_terminal else None
    if on_terminal:
        click.echo("\r\x1b[K", nl=False, err=True)
