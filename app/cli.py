"""The command line."""

import difflib
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import click

from app import VERSION
from app.commands import COMMANDS
from app.commands.completion import PROGRAM
from app.commands.names import WORKFLOW
from app.counting import counting_together
from app.log_levels import log_level_option
from app.start import INTERRUPTED

if TYPE_CHECKING:
    from app.config import Settings


class Commands(click.Group):
    """Guesses what was meant, and turns known errors into one clear line."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(context, arguments[0]) is None:
            guess = difflib.get_close_matches(arguments[0], self.list_commands(context), n=1)
            hint = f", did you mean '{guess[0]}'?" if guess else f"; known are {', '.join(self.list_commands(context))}"
            context.fail(f"unknown command '{arguments[0]}'{hint}")
        return super().resolve_command(context, arguments)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="scrapersky")
def cli() -> None:
    """ScraperSky: UPDATE … SET some_status = 'Queued' is the whole API.

    \b
    Start everything:     scrapersky up
    Look at the queue:    scrapersky status --watch
    Type SQL:             scrapersky psql
    """


@cli.command(epilog="Example: scrapersky up --processes 4")
@click.option("--processes", type=click.IntRange(1, 64), help="Worker processes; default SCRAPERSKY_PROCESSES.")
@click.option("--threads", type=click.IntRange(1, 256), help="Threads in each; default SCRAPERSKY_THREADS.")
@log_level_option
def up(processes: int | None, threads: int | None) -> None:
    """Run everything: database, migration, workers, listener, sweeper, dashboard, /metrics. Ctrl-C drains and stops."""
    settings = _settings(processes=processes, threads=threads)
    with counting_together():
        from app.up import run_up

        sys.exit(run_up(settings))


@cli.command(epilog="Example: DATABASE_URL=postgresql://localhost/leads scrapersky migrate")
def migrate() -> None:
    """Create or update tables, engine schema, triggers and roles. Harmless when repeated, safe under load."""
    from app.database import database
    from app.workflows import load_workflows
    from db.migrate import migrate as apply

    settings = _settings()
    with database(settings) as url:
        apply(url, load_workflows(settings), settings.default_tenant_id)
    click.echo(f"The database is up to date: {len(load_workflows(settings))} workflow(s), triggers in place.")


@cli.command(epilog="Example: BROKER_URL=redis://localhost scrapersky listen")
@log_level_option
def listen() -> None:
    """Hear doorbells and nudge workers through Redis or RabbitMQ. Without BROKER_URL the workers listen themselves."""
    settings = _settings()
    if not settings.broker_url:
        raise click.UsageError(
            "BROKER_URL is empty, so every worker process listens for itself; there is nothing to run"
        )
    with counting_together():
        from app.services import run_listener

        sys.exit(run_listener(settings))


@cli.command(epilog="Example: scrapersky work --processes 4 --threads 16")
@click.option("--processes", type=click.IntRange(1, 64), help="Worker processes; default SCRAPERSKY_PROCESSES.")
@click.option("--threads", type=click.IntRange(1, 256), help="Threads in each; default SCRAPERSKY_THREADS.")
@log_level_option
def work(processes: int | None, threads: int | None) -> None:
    """Run worker processes and restart those that die. `dramatiq app.worker` does the same without the watching."""
    settings = _settings(processes=processes, threads=threads)
    with counting_together():
        from app.up import run_workers

        sys.exit(run_workers(settings))


@cli.command(epilog="Example: scrapersky sweep --workflow domain_extraction --json")
@click.option(
    "--workflow", "names", type=WORKFLOW, multiple=True, help="Only this workflow; may be given more than once."
)
@click.option("--dry-run", is_flag=True, help="Count what would be repaired and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Counts as JSON.")
def sweep(names: tuple[str, ...], *, dry_run: bool, as_json: bool) -> None:
    """Repair once what was left behind, and say what was found. Exit code 0 also when there was something to repair."""
    from app.services import run_sweep

    sys.exit(run_sweep(_settings(), names, dry_run=dry_run, as_json=as_json))


@cli.command(epilog="Example: SCRAPERSKY_SWEEP_SECONDS=30 scrapersky sweeper")
@log_level_option
def sweeper() -> None:
    """Sweep on an interval and watch for dead workers, until stopped."""
    settings = _settings()
    with counting_together():
        from app.services import run_sweeper

        sys.exit(run_sweeper(settings))


@cli.command(epilog="Example: scrapersky status --watch")
@click.option("--watch", is_flag=True, help="Refresh every second until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(*, watch: bool, as_json: bool) -> None:
    """Show the queue: what is ready, delayed, running and failed, per workflow."""
    from app.status import show_status

    sys.exit(show_status(_settings(), watch=watch, as_json=as_json))


@cli.command(epilog="Example: scrapersky demo --keep")
@click.option("--keep", is_flag=True, help="Leave everything running afterwards, to look around.")
def demo(*, keep: bool) -> None:
    """Run the whole pipeline, from searches to contacts, on a small web of its own; no internet, no key."""
    from app.demo.run import run_demo

    sys.exit(run_demo(_settings(), keep=keep))


@cli.command("database-url", epilog='Example: psql "$(scrapersky database-url)"')
def database_url() -> None:
    """Print the URL of the database in a form that psql accepts."""
    from db.embedded import EmbeddedPostgres

    settings = _settings()
    if settings.database_url:
        click.echo(settings.database_url)
        return
    server = EmbeddedPostgres(settings.home)
    if not server.is_running():
        click.echo("The embedded database is not running; start it with: scrapersky up", err=True)
    click.echo(server.url)


@cli.command(
    context_settings={"ignore_unknown_options": True}, epilog="Example: scrapersky psql -c 'TABLE engine.overview'"
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def psql(arguments: tuple[str, ...]) -> None:
    """Type SQL: the psql that comes with the embedded database, connected. Arguments are psql's own."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    from app.database import database
    from db.embedded import bin_directory

    with database(_settings()) as url:
        # Everybody on the machine can read a command line: the password goes another way.
        address = conninfo_to_dict(url)
        password = address.pop("password", None)
        environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
        command = [str(bin_directory() / "psql"), make_conninfo("", **address), *arguments]
        sys.exit(subprocess.run(command, env=environment, check=False).returncode)  # noqa: S603 - theirs


def _settings(**given: int | None) -> "Settings":
    from app.config import load_settings
    from app.logs import configure_logging

    settings = load_settings()
    changed = settings.model_copy(update={name: value for name, value in given.items() if value is not None})
    configure_logging(changed)
    return changed


for command in COMMANDS:
    cli.add_command(command)


def _open_closed_streams() -> None:
    """After `>&-` there is none, and the next file or connection that is opened would be taken for it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open


def main() -> None:
    _open_closed_streams()
    # Started in the background by a script, a process inherits an ignored interrupt; whoever sends one means it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        cli(standalone_mode=False, prog_name=PROGRAM)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        from app.refusals import refusal_of

        refusal = refusal_of(error)
        if refusal is None:
            raise
        click.echo(refusal.line, err=True)
        sys.exit(refusal.exit_code)


if __name__ == "__main__":
    main()
