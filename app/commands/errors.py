"""`scrapersky errors`: what failed for good."""

import json
import sys

import click

from app.commands.ages import ago
from app.commands.names import WORKFLOW
from app.commands.session import connected
from app.commands.tables import show_rows
from db.people import steering


@click.command(epilog="Example: scrapersky errors page_curation")
@click.argument("name", metavar="[WORKFLOW]", required=False, type=WORKFLOW)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def errors(name: str | None, *, as_json: bool) -> None:
    """Show what failed for good, grouped by error: numbers, ids, addresses and hosts are folded."""
    sys.exit(run_errors(name, as_json=as_json))


def run_errors(name: str | None, *, as_json: bool) -> int:
    with connected("errors") as connection:
        found = {one: steering.failures(connection, one, newest=None) for one in ([name] if name else WORKFLOW.known)}
    if as_json:
        listed = [{"workflow": one, **group._asdict()} for one, groups in found.items() for group in groups]
        click.echo(json.dumps(listed, default=str, ensure_ascii=False))
        return 0
    groups = [(one, group) for one, groups in found.items() for group in groups]
    if groups:
        names = ("rows", "newest", "error") if name else ("workflow", "rows", "newest", "error")
        cells = [(one, f"{group.rows:,}", group.newest and ago(group.newest), group.error) for one, group in groups]
        show_rows(names, [row[-len(names) :] for row in cells], whole=names[:-1])
    else:
        click.echo("Nothing has failed.", err=True)
    return 0
