"""`scrapersky up`, `work`, `listen`, `sweeper` and `sweep`: what runs by itself.

Prometheus decides at its import where it counts. So these import what counts only within `counting_together`.
"""

import sys

import click

from app.commands.names import WORKFLOW
from app.commands.session import configured_settings
from app.counting import counting_together
from app.log_levels import log_level_option

PROCESSES = click.option(
    "--processes", type=click.IntRange(1, 64), help="Worker processes; default SCRAPERSKY_PROCESSES."
)
THREADS = click.option("--threads", type=click.IntRange(1, 256), help="Threads in each; default SCRAPERSKY_THREADS.")


@click.command(epilog="Example: scrapersky up --processes 4")
@PROCESSES
@THREADS
@log_level_option
def up(processes: int | None, threads: int | None) -> None:
    """Run everything: database, migration, workers, listener, sweeper, dashboard, /metrics. Ctrl-C drains and stops."""
    settings = configured_settings(processes=processes, threads=threads)
    with counting_together():
        from app.up import run_up

        sys.exit(run_up(settings))


@click.command(epilog="Example: BROKER_URL=redis://localhost scrapersky listen")
@log_level_option
def listen() -> None:
    """Hear doorbells and nudge workers through Redis or RabbitMQ. Without BROKER_URL the workers listen themselves."""
    settings = configured_settings()
    if not settings.broker_url:
        raise click.UsageError(
            "BROKER_URL is empty, so every worker process listens for itself; there is nothing to run"
        )
    with counting_together():
        from app.services import run_listener

        sys.exit(run_listener(settings))


@click.command(epilog="Example: scrapersky work --processes 4 --threads 16")
@PROCESSES
@THREADS
@log_level_option
def work(processes: int | None, threads: int | None) -> None:
    """Run worker processes and restart those that die. `dramatiq app.worker` does the same without the watching."""
    settings = configured_settings(processes=processes, threads=threads)
    with counting_together():
        from app.up import run_workers

        sys.exit(run_workers(settings))


@click.command(epilog="Example: scrapersky sweep --workflow domain_extraction --json")
@click.option(
    "--workflow", "names", type=WORKFLOW, multiple=True, help="Only this workflow; may be given more than once."
)
@click.option("--dry-run", is_flag=True, help="Count what would be repaired and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Counts as JSON.")
def sweep(names: tuple[str, ...], *, dry_run: bool, as_json: bool) -> None:
    """Repair once what was left behind, and say what was found. Exit code 0 also when there was something to repair."""
    from app.services import run_sweep

    sys.exit(run_sweep(configured_settings(), names, dry_run=dry_run, as_json=as_json))


@click.command(epilog="Example: SCRAPERSKY_SWEEP_SECONDS=30 scrapersky sweeper")
@log_level_option
def sweeper() -> None:
    """Sweep on an interval and watch for dead workers, until stopped."""
    settings = configured_settings()
    with counting_together():
        from app.services import run_sweeper

        sys.exit(run_sweeper(settings))
