"""`scrapersky status`: is it moving?"""

import sys

import click

from app.commands.session import configured_settings
from app.status import show_status


@click.command(epilog="Example: scrapersky status --watch")
@click.option("--watch", is_flag=True, help="Refresh every second until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def status(*, watch: bool, as_json: bool) -> None:
    """Show the queue: what is ready, delayed, running and failed, per workflow."""
    sys.exit(show_status(configured_settings(), watch=watch, as_json=as_json))
