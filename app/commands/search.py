"""`scrapersky search`: ask Google Places for businesses."""

import sys

import click

from app.commands.searching import run_search
from app.commands.typed import Number


@click.command(epilog='Example: scrapersky search "dentist" --near "Austin, TX" --radius 10')
@click.argument("business_type", metavar="WHAT")
@click.option("--near", "location", required=True, help="Where: a city, a district, an address.")
@click.option("--radius", type=Number(0, 50, min_open=True), metavar="KM", help="Prefer what is so near.")
@click.option("--wait/--no-wait", default=None, help="Watch until it is done. Default: on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
def search(business_type: str, location: str, radius: float | None, *, wait: bool | None, as_json: bool) -> None:
    """Search for WHAT near a place. Prints the id of the search; the places found wait to be selected.

    \b
    Exit code 0   the search is queued, or done when it was waited for
              1   it failed
            130   no longer watched; it goes on
    """
    asked, place = " ".join(business_type.split()), " ".join(location.split())
    if not asked or not place:
        raise click.UsageError('say what and where: scrapersky search "dentist" --near "Austin, TX"')
    waits = sys.stdout.isatty() if wait is None else wait
    sys.exit(run_search(asked, place, radius, wait=waits, as_json=as_json))
