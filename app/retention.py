"""Retention: old history, old Places content, and suppressed persons that came past the triggers are cleared."""

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from psycopg import Connection

from app import metrics
from app.config import Settings
from app.logs import event
from db.connections import Pool, transaction
from db.lifecycle.bad_rows import IN_THE_WAY, reason_of, write_in_halves
from db.statements import statements

log = logging.getLogger(__name__)

SLICE_BLOCKS = 512  # 4 MB at a time, each slice a transaction of its own
BLOCK_PLACES = 512  # more than a block can hold
CLEARED_AT_ONCE = 5000

AGED = (
    *("prune_attempts", "prune_submissions", "prune_actions"),
    *("prune_rates", "prune_robots", "prune_paces", "prune_sessions", "prune_listeners", "forget_blocks"),
)
PLACES = {"clear_places": "places_staging", "clear_businesses": "local_businesses"}
FORGOTTEN = {
    "forget_contacts": "contacts",
    "forget_numbers": "contacts",
    "forget_home_pages": "domains",
    "forget_telephones": "local_businesses",
}


class Retention:
    def __init__(self, pool: Pool, settings: Settings) -> None:
        self.pool = pool
        self.settings = settings
        self.sql = statements("upkeep.sql")

    def prune(self) -> None:
        """Forget what is older than the settings say: history, what Places told, and who is suppressed.

        A lock that is held costs its own step alone; the next pass comes in an hour.
        """
        history, places = self.settings.history, self.settings.places_retention
        for name in AGED:
            self._unless_locked(name, partial(self._clear, name, history))
        for name, table in PLACES.items() if places is not None else ():
            self._unless_locked(name, partial(self._clear_slices, name, table, places))
        self.forget_suppressed()

    def forget_suppressed(self) -> None:
        """Clear what came past the triggers of the suppression list. In a healthy system there is nothing."""
        for name, table in FORGOTTEN.items():
            self._unless_locked(name, partial(self._forget, name, table))

    def _unless_locked(self, name: str, step: Callable[[], object]) -> None:
        try:
            step()
        except IN_THE_WAY as error:
            event(log, logging.WARNING, "prune.postponed", step=name, reason=reason_of(error))

    def _forget(self, name: str, table: str) -> None:
        cleared = self._clear_slices(name, table)
        if cleared:
            event(log, logging.WARNING, "suppressed.cleared", table=table, rows=cleared)
            metrics.suppressed_cleared.labels(table).inc(cleared)

    def _clear(self, name: str, age: timedelta) -> None:
        """In bounded statements where there may be many; the others clear all at once."""
        parameters = {"age": age, "rows": CLEARED_AT_ONCE}
        with self.pool.connection() as connection:
            while connection.execute(self.sql[name], parameters).rowcount == CLEARED_AT_ONCE:
                pass

    def _clear_slices(self, name: str, table: str, age: timedelta | None = None) -> int:
        """One pass, each slice in a transaction of its own. What it clears is written behind it and cleared already.

        A row that can not be updated stays as it is, and the others are cleared. Returns how many were.
        """
        with transaction(self.pool) as connection:
            blocks = number(connection, self.sql["blocks"], {"table": table})
        cleared = 0
        for low in range(0, blocks, SLICE_BLOCKS):
            with transaction(self.pool) as connection:
                places = range(low * BLOCK_PLACES, (low + SLICE_BLOCKS) * BLOCK_PLACES)
                counts = write_in_halves(
                    connection,
                    places,
                    partial(self._clear_places, connection, name, age),
                    partial(_tell_refused, table),
                )
            cleared += sum(counts)
        return cleared

    def _clear_places(
        self, connection: Connection[Any], name: str, age: timedelta | None, places: Sequence[int]
    ) -> list[int]:
        area = {"low": _tid(places[0]), "high": _tid(places[-1] + 1)}
        return [connection.execute(self.sql[name], {"age": age, **area}).rowcount]


def number(connection: Connection[Any], query: bytes, parameters: dict[str, Any]) -> int:
    row = connection.execute(query, parameters).fetchone()
    return int(row[0]) if row else 0


def _tid(place: int) -> str:
    return f"({place // BLOCK_PLACES},{place % BLOCK_PLACES})"


def _tell_refused(table: str, place: int, error: Exception) -> list[int]:
    event(log, logging.WARNING, "row.not_cleared", table=table, place=_tid(place), error=reason_of(error))
    return []
