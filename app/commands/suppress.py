"""`scrapersky suppress`: who must not be contacted."""

import sys
from typing import BinaryIO

import click

from app.commands.asking import DRY_RUN, YES
from app.commands.suppressing import run_add, run_import, run_list, run_remove

REGION = click.option("--region", metavar="XX", help="Country of numbers that are written without one, such as DE.")

LIST = click.option("--list", "whole", is_flag=True, help="Print every row that is lost on stdout, not the first 50.")


@click.group(epilog="Example: scrapersky suppress add ann@smile.com")
def suppress() -> None:
    """Keep the list of those who must not be contacted: addresses, numbers, whole domains.

    Who comes onto it is deleted from contacts, and neither extraction nor import brings them back.
    """


@suppress.command(epilog="Example: scrapersky suppress add ann@smile.com +15125550123 smile.com --reason 'asked us'")
@click.argument("values", metavar="EMAIL|PHONE|DOMAIN…", nargs=-1, required=True)
@click.option("--reason", help="Why; for whoever reads the list later.")
@REGION
@DRY_RUN
@LIST
@YES
def add(
    values: tuple[str, ...], reason: str | None, region: str | None, *, dry_run: bool, whole: bool, yes: bool
) -> None:
    """Put on the list. A domain stands for everybody at it, subdomains too: a subdomain is listed as its domain.

    Lists and counts what is lost, and asks first.
    """
    sys.exit(run_add(values, reason, region, dry_run=dry_run, yes=yes, whole=whole))


@suppress.command(epilog="Example: scrapersky suppress remove ann@smile.com")
@click.argument("values", metavar="EMAIL|PHONE|DOMAIN…", nargs=-1, required=True)
@REGION
def remove(values: tuple[str, ...], region: str | None) -> None:
    """Take off the list. Contacts that were deleted come back only when their page is read again."""
    sys.exit(run_remove(values, region))


@suppress.command("list", epilog="Example: scrapersky suppress list --kind domain")
@click.option("--kind", type=click.Choice(["email", "phone", "domain"]), help="Only these.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=100, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(kind: str | None, limit: int, *, as_json: bool) -> None:
    """Show the list, newest first."""
    sys.exit(run_list(kind, limit, as_json=as_json))


@suppress.command("import", epilog="Example: scrapersky suppress import unsubscribed.csv --reason 'unsubscribed'")
@click.argument("file", type=click.File("rb"))
@click.option("--reason", help="Why; for whoever reads the list later.")
@click.option("--column", metavar="NAME|N", help="The column that holds the values, by its name or number.")
@REGION
@DRY_RUN
@LIST
@YES
def import_(
    file: BinaryIO,
    reason: str | None,
    column: str | None,
    region: str | None,
    *,
    dry_run: bool,
    whole: bool,
    yes: bool,
) -> None:
    """Put everybody in a FILE on the list: CSV or one per line, "-" is stdin. Exit code 1 when a line was of no use.

    The whole file is read first. Lists and counts what is lost, and asks.
    """
    sys.exit(run_import(file, reason, column, region, dry_run=dry_run, yes=yes, whole=whole))
