"""`scrapersky status`: is it moving? One screen of 80 columns, read once or every second."""

import contextlib
import json
import time
from datetime import timedelta
from typing import Any

import click
import psycopg
from rich.console import Console
from rich.live import Live
from rich.text import Text

from app.config import Settings
from app.database import database
from app.reading import Rates, Reading, read
from app.status_screen import screen

EVERY_SECONDS = 1.0


def show_status(settings: Settings, *, watch: bool, as_json: bool) -> int:
    with database(settings) as url:
        if watch:
            _watch(url)
            return 0
        reading = read(url)
    if as_json:
        workflows = [{**row, "per_second": reading.recent.get(row["workflow"], 0.0)} for row in reading.workflows]
        told = {"workers": reading.workers, "draining": reading.draining, "workflows": workflows}
        click.echo(json.dumps(told, default=_seconds))
    else:
        Console(highlight=False).print(screen(reading, reading.recent))
    return 0


def _watch(url: str) -> None:
    """Ctrl-C ends it; a database that is away is shown as such and asked again."""
    rates = Rates()
    with contextlib.suppress(KeyboardInterrupt), Live(console=Console(highlight=False), auto_refresh=False) as live:
        while True:
            began = time.monotonic()
            try:
                reading: Reading = read(url, rates.since)
                live.update(screen(reading, rates.of(reading)), refresh=True)
            except psycopg.OperationalError as error:
                told = " ".join(str(error).split())
                live.update(Text(f"The database does not answer, trying again: {told}"), refresh=True)
            time.sleep(max(0.1, EVERY_SECONDS - (time.monotonic() - began)))


def _seconds(value: Any) -> float | str:
    return value.total_seconds() if isinstance(value, timedelta) else str(value)
