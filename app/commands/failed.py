"""`scrapersky requeue` and `cancel`: rows queued again or withdrawn."""

import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from app.commands.names import WORKFLOW
from app.commands.requeueing import Order, run_cancel, run_requeue
from app.commands.typed import FILTER, Number

Function = TypeVar("Function", bound=Callable[..., Any])

CHOICE: Final = (
    click.argument("name", metavar="WORKFLOW", type=WORKFLOW),
    click.argument("pks", metavar="[ID]…", nargs=-1),
    click.option(
        "--error", "part", type=FILTER, metavar="TEXT", help="With this in the error, as `scrapersky errors` shows it."
    ),
    click.option("--where", type=FILTER, metavar="SQL", help="Any condition on the table's columns, in SQL."),
    click.option("--limit", type=click.IntRange(1, 1_000_000_000), help="At most so many."),
    click.option("--all", "everything", is_flag=True, help="Without any filter: really all of them."),
    click.option("--dry-run", is_flag=True, help="Count them, and change nothing."),
    click.option("--yes", is_flag=True, help="Do not ask first."),
    click.option("--json", "as_json", is_flag=True, help="The outcome as JSON."),
)


def chosen(function: Function) -> Function:
    for option in reversed(CHOICE):
        function = option(function)
    return function


@click.command(epilog="Example: scrapersky requeue page_curation --error '503 Service' --rate 50")
@chosen
@click.option("--rate", type=Number(0.01, 1_000_000), help="Rows queued per second; default: no limit.")
def requeue(**options: Any) -> None:
    """Queue failed rows again: all, by error, by condition or by id. They get all their attempts anew.

    Rows go in batches that commit one by one. Ctrl-C stops between two; what is done stays done, and the same
    command goes on with the rest.
    """
    rate = options.pop("rate")
    sys.exit(run_requeue(_order(options), rate))


@click.command(epilog="Example: scrapersky cancel page_curation --where \"url like '%/blog/%'\" --waiting")
@chosen
@click.option("--waiting", is_flag=True, help="Only rows that wait; what runs may finish.")
def cancel(**options: Any) -> None:
    """Withdraw rows that wait, and let the result of those that run be discarded.

    Their status becomes null, as if nobody had asked for them. To ask again: `scrapersky select … --again`, or set
    the status.
    """
    waiting = options.pop("waiting")
    sys.exit(run_cancel(_order(options), waiting=waiting))


def _order(options: dict[str, Any]) -> Order:

    everything = options.pop("everything")
    if not everything and not options["pks"] and options["part"] is None and options["where"] is None:
        raise click.UsageError(
            f"no filter: this would be all of {options['name']}; say --all if you mean it, and --dry-run to count first"
        )
    return Order(**options)
