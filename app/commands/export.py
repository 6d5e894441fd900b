"""`scrapersky export`: contacts, domains or pages as a file."""

import sys
from pathlib import Path
from typing import Final

import click

from app.commands.exporting import Order, run_export
from app.commands.typed import FILTER

FORMATS: Final = ("csv", "json", "jsonl", "xlsx")


@click.command(epilog="Example: scrapersky export contacts --since 7d --output contacts.xlsx")
@click.argument("kind", type=click.Choice(["contacts", "domains", "pages"]))
@click.option("--format", "file_format", type=click.Choice(FORMATS), help="Default: by the name of the file, or csv.")
@click.option("--output", metavar="FILE|-", default="-", help="Where to; - is standard output, the default.")
@click.option("--since", type=FILTER, metavar="DATE|7d", help="Found since then: 2026-11-01, or 7d, 12h, 2w ago.")
@click.option("--where", type=FILTER, metavar="SQL", help="Any condition on the columns of the export, in SQL.")
@click.option("--columns", type=FILTER, metavar="A,B", help="Only these, in this order.")
@click.option("--bom", is_flag=True, help="CSV with a byte order mark, for Excel.")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def export(
    kind: str,
    *,
    file_format: str | None,
    output: str,
    since: str | None,
    where: str | None,
    columns: str | None,
    bom: bool,
    force: bool,
) -> None:
    """Take out contacts, domains or pages. A file appears when it is whole, or not at all.

    Texts that a spreadsheet could take for a formula are defused; numbers such as +4930123456 stay as they are.
    Nobody who is on the suppression list comes out. Times are UTC; one that no calendar has, such as
    infinity, is written as Postgres writes it.

    \b
    The columns of contacts: email, email_type, name, role, phone, fax, domain,
      business, category, street, city, state, zip, country, source_url,
      method, found_at, changed_at, contact_id
    """
    path = None if output == "-" else Path(output)
    suffix = path.suffix.lower().lstrip(".") if path else ""
    chosen = file_format or (suffix if suffix in FORMATS else "csv")
    names = tuple(name.strip() for name in columns.split(",") if name.strip()) if columns else None
    if names == ():
        raise click.BadParameter("it names no column; leave the option out for all of them", param_hint="'--columns'")
    order = Order(kind=kind, file_format=chosen, path=path, columns=names, where=where, bom=bom, force=force)
    sys.exit(run_export(order, since))
