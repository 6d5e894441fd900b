"""`scrapersky workers` and `drain`: the processes that do the work, and how to take one out of service."""

import sys
from typing import Any

import click

from app.commands.ages import Age
from app.commands.draining import Draining, run_drain, run_workers


@click.command(epilog="Example: scrapersky workers --json")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def workers(*, as_json: bool) -> None:
    """Show the worker processes: where they run, what they do, when they were last heard."""
    sys.exit(run_workers(as_json=as_json))


@click.command(epilog="Example: scrapersky drain crawler-2 --wait")
@click.argument("names", metavar="HOST|HOST:PID|ID…", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every worker.")
@click.option("--undo", is_flag=True, help="Let them claim again.")
@click.option("--wait", is_flag=True, help="Return when they have finished what they hold.")
@click.option("--timeout", type=Age(), help="Wait at most so long, such as 10m; then exit code 1.")
@click.option("--dry-run", is_flag=True, help="Show which workers are meant, and tell them nothing.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def drain(names: tuple[str, ...], *, everything: bool, **options: Any) -> None:
    """Tell workers to claim nothing more: what they run finishes, what they have not started goes back to the queue.

    They stay up, idle, until they are stopped, restarted or told otherwise with --undo; a process that starts anew
    is not drained.
    """
    if bool(names) == everything:
        raise click.UsageError("name hosts or workers, or say --all; see: scrapersky workers")
    sys.exit(run_drain(names, Draining(**options)))
