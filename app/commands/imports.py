"""`scrapersky import`: domains, sitemaps or pages from a file."""

import sys
from typing import BinaryIO

import click

from app.commands.importing import Order, run_import
from app.commands.values import known_region


@click.command("import", epilog="Example: scrapersky import domains leads.csv --queue --region DE")
@click.argument("kind", type=click.Choice(["domains", "sitemaps", "pages"]))
@click.argument("file", type=click.File("rb"))
@click.option("--queue", is_flag=True, help="Start work on them at once; without it they wait to be selected.")
@click.option("--region", metavar="XX", help="Country of the businesses, such as DE: how local numbers are read.")
@click.option("--column", metavar="NAME|N", help="The column that holds the values, by its name or number.")
@click.option("--dry-run", is_flag=True, help="Say what would come of it and change nothing.")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def import_(
    kind: str,
    file: BinaryIO,
    *,
    queue: bool,
    region: str | None,
    column: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Bring in domains, sitemaps or pages from a FILE, or from stdin when it is "-".

    The file is CSV with any separator, or has one value per line; UTF-8, UTF-16 or Windows-1252. A line that is no
    use is reported with its number and the rest goes in. What is there already stays as it is; with --queue it
    is queued too if nobody has decided about it yet.

    \b
    Exit code 0   every line is in, or was there already
              1   some lines were of no use, or are on the suppression list
    """
    order = Order(kind=kind, queue=queue, region=known_region(region), column=column, dry_run=dry_run, as_json=as_json)
    sys.exit(run_import(file, order))
