"""`scrapersky contacts`: look at them, correct them, delete them."""

import sys

import click

from app.commands.asking import DRY_RUN, YES
from app.commands.correcting import run_delete, run_list, run_set
from app.commands.typed import FILTER


@click.group(epilog="Example: scrapersky contacts list --domain smile.com")
def contacts() -> None:
    """Look at contacts, correct them, delete them. All of them as a file: `scrapersky export contacts`."""


@contacts.command("list", epilog="Example: scrapersky contacts list --domain smile.com --limit 20")
@click.option("--domain", type=FILTER, help="Of this domain.")
@click.option("--email", type=FILTER, help="With this in the address; % stands for anything.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="As JSON, with every column.")
def list_(domain: str | None, email: str | None, limit: int, *, as_json: bool) -> None:
    """Show contacts, newest first. The beginning of an id is enough for the other commands."""
    sys.exit(run_list(domain, email, limit, as_json=as_json))


@contacts.command("set", epilog="Example: scrapersky contacts set 5f0c21d7 name='Ann Lee' phone=+15125550123")
@click.argument("contact", metavar="ID|EMAIL")
@click.argument("changes", metavar="FIELD=VALUE…", nargs=-1, required=True)
def set_(contact: str, changes: tuple[str, ...]) -> None:
    """Correct name, role, email, phone or fax of a contact. An empty value clears it. Later scans leave it alone."""
    sys.exit(run_set(contact, changes))


@contacts.command(epilog="Example: scrapersky contacts delete 5f0c21d7 --suppress")
@click.argument("given", metavar="ID|EMAIL…", nargs=-1, required=True)
@click.option("--suppress", is_flag=True, help="Put their addresses and numbers on the suppression list, for good.")
@DRY_RUN
@YES
def delete(given: tuple[str, ...], *, suppress: bool, dry_run: bool, yes: bool) -> None:
    """Delete contacts. A page that is read again brings them back, unless they are suppressed."""
    sys.exit(run_delete(given, suppress=suppress, dry_run=dry_run, yes=yes))
