"""A search from its row to its end, as its owner sees it."""

import json
import time
from typing import Any, Final
from uuid import UUID

import click
from psycopg import Connection
from rich.console import Console

from app.commands.session import connected
from app.commands.tables import short
from db.people.searches import Seen, add_search, look_at

LOOK_EVERY: Final = 0.5
ENDS: Final = {"complete": 0, "failed": 1}
INTERRUPTED: Final = 130


def run_search(business_type: str, location: str, radius: float | None, *, wait: bool, as_json: bool) -> int:
    title = f'"{business_type}" near "{location}"'
    with connected("search") as connection:
        search = add_search(connection, business_type, location, {} if radius is None else {"radius_km": radius})
        try:
            if not as_json:
                click.echo(search)
            seen = _follow(connection, search, title) if wait else look_at(connection, search)
        except KeyboardInterrupt:
            click.echo(f"No longer watching; the search goes on. Its row: place_searches {search}", err=True)
            return INTERRUPTED
    if as_json:
        click.echo(json.dumps(_as_json(search, seen)))
    else:
        _tell(search, seen)
    if seen is None:
        return 1
    return ENDS.get(seen.status or "", 0)


def _tell(search: UUID, seen: Seen | None) -> None:
    if seen is None:
        told: str | None = "The search was deleted."
    elif seen.status == "failed":
        told = f"The search failed: {seen.error}"
    elif seen.status == "complete":
        told = f"{seen.result or 'Done.'}\nPick from them with: scrapersky select places --search {search}"
    else:
        told = _obstacle(seen)
    if told:
        click.echo(told, err=True)


def _follow(connection: Connection[Any], search: UUID, title: str) -> Seen | None:
    """Look until it ends. On a terminal a line that moves; elsewhere a line for every change."""
    console = Console(stderr=True, highlight=False, markup=False)
    shown = None
    with console.status(title) as line:
        while (seen := look_at(connection, search)) and seen.status not in ENDS:
            told = f"{title}: {_obstacle(seen) or _state(seen)}"
            if told != shown and console.is_terminal:
                line.update(told)
            elif told != shown:
                console.print(told, soft_wrap=True)
            shown = told
            time.sleep(LOOK_EVERY)
    return seen


def _state(seen: Seen) -> str:
    waiting = "waiting for its turn" if seen.status == "pending" else (seen.status or "taken out of the queue")
    return f"{waiting}; {seen.error}" if seen.error else waiting


def _obstacle(seen: Seen) -> str | None:
    """Why nothing moves, and what to do."""
    if seen.status == "processing":
        return None
    if not seen.declared:
        return "this database does not know the workflow place_search; run: scrapersky migrate"
    if seen.paused:
        return f"waiting, place_search is paused: {short(seen.paused_reason or 'by hand')}"
    return None if seen.workers else "waiting, no worker is running; start one with: scrapersky up"


def _as_json(search: UUID, seen: Seen | None) -> dict[str, Any]:
    return {
        "id": str(search),
        "status": seen.status if seen else None,
        "places_found": seen.places_found if seen else None,
        "result": seen.result if seen else None,
        "error": seen.error if seen else None,
        "obstacle": _obstacle(seen) if seen and seen.status not in ENDS else None,
    }
