"""`scrapersky demo`: the pipeline on a small web of its own."""

import sys

import click

from app.commands.session import configured_settings
from app.demo.run import run_demo


@click.command(epilog="Example: scrapersky demo --keep")
@click.option("--keep", is_flag=True, help="Leave everything running afterwards, to look around.")
def demo(*, keep: bool) -> None:
    """Run the whole pipeline, from searches to contacts, on a small web of its own; no internet, no key."""
    sys.exit(run_demo(configured_settings(), keep=keep))
