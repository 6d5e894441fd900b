"""`scrapersky why` and `scrapersky history`: one row, and what there is to say about it."""

import sys

import click

from app.commands.explaining import run_history, run_why
from app.commands.names import TABLE


@click.command(epilog="Example: scrapersky why pages https://smile.com/contact")
@click.argument("table", shell_complete=TABLE.shell_complete)
@click.argument("row", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="As JSON, with a stable code for each reason.")
def why(table: str, row: str, *, as_json: bool) -> None:
    """Say why a row does not move, and what to do about it.

    ID is a row's id or how it begins, or what identifies it: a place id, a domain, a URL, an e-mail address.
    Exit code 0: it moves, or is done. 1: something holds it. 2: no such row.
    """
    sys.exit(run_why(table, row, as_json=as_json))


@click.command(epilog="Example: scrapersky history domains smile.com")
@click.argument("table", shell_complete=TABLE.shell_complete)
@click.argument("row", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def history(table: str, row: str, *, as_json: bool) -> None:
    """Show what happened to a row: who queued it, each attempt, and where it stands. ID as for `scrapersky why`.

    Failed attempts are always kept, successful ones with SCRAPERSKY_KEEP_SUCCESSES.
    """
    sys.exit(run_history(table, row, as_json=as_json))
