"""`scrapersky web`: the dashboard."""

import sys

import click

from app.log_levels import log_level_option


@click.command(epilog="Example: SCRAPERSKY_WEB_TOKEN=$(openssl rand -hex 32) scrapersky web")
@log_level_option
def web() -> None:
    """Serve the dashboard at SCRAPERSKY_WEB_HOST and SCRAPERSKY_WEB_PORT. `scrapersky up` does it by itself.

    Without SCRAPERSKY_WEB_TOKEN it only shows. With it, whoever knows the token may also pause, requeue and cancel.
    """
    from app.config import load_settings
    from app.logs import configure_logging
    from app.web.server import run_web

    settings = load_settings()
    configure_logging(settings)
    sys.exit(run_web(settings))
