"""`scrapersky backup`, `restore` and `after-restore`: the whole database, in a file."""

import sys
from pathlib import Path

import click

from app.commands.archiving import run_after_restore, run_backup, run_restore
from app.commands.asking import DRY_RUN, YES


@click.command(epilog="Example: scrapersky backup scrapersky-$(date +%F).dump")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def backup(file: Path, *, as_json: bool) -> None:
    """Write the whole database to FILE while everything runs on: tables, queue, history, settings of workflows.

    It is an archive of pg_dump -Fc, consistent as of its start. The file appears when it is whole, and none is
    overwritten.
    """
    if file == Path("-"):
        advice = 'to write to a pipe: pg_dump -Fc "$(scrapersky database-url)"'
        raise click.UsageError(f"a backup is a file that appears when it is whole; name one, or {advice}")
    sys.exit(run_backup(file, as_json=as_json))


@click.command(epilog="Example: scrapersky restore scrapersky-2026-11-16.dump")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Into a database that has tables: replace those that are in the backup.")
@DRY_RUN
@YES
def restore(file: Path, *, force: bool, dry_run: bool, yes: bool) -> None:
    """Put a backup into an empty database, in one transaction, and migrate it to this version.

    No worker may be registered. Afterwards, and before workers start: scrapersky after-restore.
    """
    sys.exit(run_restore(file, force=force, dry_run=dry_run, yes=yes))


@click.command("after-restore", epilog="Example: scrapersky after-restore --dry-run")
@DRY_RUN
@YES
@click.option("--json", "as_json", is_flag=True, help="Counts as JSON.")
def after_restore(*, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Forget the workers of the time of the backup, and queue again what they had in hand, with its attempt given back.

    Then one whole sweep of every workflow. Refused while workers are alive.
    """
    sys.exit(run_after_restore(dry_run=dry_run, yes=yes, as_json=as_json))
