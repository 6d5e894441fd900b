"""`scrapersky web`: the dashboard."""

import sys

import click

from app.commands.session import configured_settings
from app.log_levels import log_level_option
from app.web.server import run_web


@click.command(epilog="Example: SCRAPERSKY_WEB_TOKEN=$(openssl rand -hex 32) scrapersky web")
@log_level_option
def web() -> None:
    """Serve the dashboard at SCRAPERSKY_WEB_HOST and SCRAPERSKY_WEB_PORT. `scrapersky up` does it by itself.

    Without SCRAPERSKY_WEB_TOKEN it only shows. With it, whoever knows the token may also pause, requeue and cancel.
    """
    sys.exit(run_web(configured_settings()))
