"""`scrapersky audit` and `prune`: who did what, and how long it is remembered."""

import sys
from datetime import datetime, timedelta

import click

from app.commands.ages import Age, Moment
from app.commands.auditing import run_audit, run_prune
from app.commands.names import WORKFLOW


@click.command(epilog="Example: scrapersky audit --since 12h --workflow page_curation")
@click.option("--since", type=Moment(), help="Not before: 12h, 2d, 2026-11-01 or 2026-11-01T15:30.")
@click.option("--workflow", "name", type=WORKFLOW, help="Only this workflow.")
@click.option("--actions", is_flag=True, help="Only how people steered, not what was submitted.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON, with addresses.")
def audit(since: datetime | None, name: str | None, *, actions: bool, limit: int, as_json: bool) -> None:
    """Show who did what, newest first: rows submitted, pauses, limits, requeues, drains, backups.

    Hand-typed SQL is in it too, under the name of its role.
    """
    sys.exit(run_audit(since, name, actions=actions, limit=limit, as_json=as_json))


@click.command(epilog="Example: scrapersky prune --older-than 30d --dry-run")
@click.option("--older-than", "age", type=Age(), help="Such as 30d or 12h, 0d is all; default SCRAPERSKY_HISTORY_DAYS.")
@click.option("--dry-run", is_flag=True, help="Count, and delete nothing.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@click.option("--json", "as_json", is_flag=True, help="The counts as JSON.")
def prune(age: timedelta | None, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Delete old history: attempts, submissions, operators' actions. The sweeper does so every hour by itself.

    Rows of your tables are not touched. Who paused a workflow that is paused still is kept.
    """
    sys.exit(run_prune(age, dry_run=dry_run, yes=yes, as_json=as_json))
