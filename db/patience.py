"""How to change a database that others write to: one migrate at a time, never long in a queue for a lock, but often."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlalchemy
from psycopg import Connection, IsolationLevel
from psycopg.errors import DeadlockDetected, LockNotAvailable

log = logging.getLogger(__name__)

# While we wait for a lock, everybody who writes to the table waits behind us: so never for long, but often.
LOCK_TIMEOUT = "200ms"
PAUSE_SECONDS = 1.0
PATIENCE_SECONDS = 300.0

LIMIT = f"select set_config('lock_timeout', '{LOCK_TIMEOUT}', true)"


class MigrationError(RuntimeError):
    pass


def patiently(what: str, step: Callable[[], None]) -> None:
    """Try a step with a short lock timeout until it gets its lock."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return step()
        except (LockNotAvailable, DeadlockDetected, sqlalchemy.exc.OperationalError) as error:
            cause = error.orig if isinstance(error, sqlalchemy.exc.OperationalError) else error
            if not isinstance(cause, LockNotAvailable | DeadlockDetected):
                raise
            if time.monotonic() > deadline:
                raise MigrationError(
                    f"{what}: no lock within {PATIENCE_SECONDS:.0f} s; end the old transaction that holds it "
                    "(pg_stat_activity shows it: order by xact_start) and try again"
                ) from error
            log.warning("migrate.waiting", extra={"fields": {"step": what, "reason": "a transaction holds a lock"}})
            time.sleep(PAUSE_SECONDS)


@contextmanager
def in_turn(url: str) -> Iterator[None]:
    """One migrate at a time: the lock belongs to an idle transaction, which a pooler in transaction mode keeps too.

    An index that is built beside writers waits for every snapshot, so neither the holder nor those who wait keep one.
    """
    with psycopg.connect(url, prepare_threshold=None, application_name="scrapersky migrate") as holder:
        holder.isolation_level = IsolationLevel.READ_COMMITTED
        patiently("turn of this migrate", lambda: _take_turn(holder))
        yield


def _take_turn(holder: Connection[Any]) -> None:
    # It may be idle for as long as the rest takes. Not every version knows all of these settings.
    holder.execute(
        "select set_config(name, '0', true) from pg_settings "
        "where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')"
    )
    taken = holder.execute("select pg_try_advisory_xact_lock(hashtextextended('engine.migrate', 0))").fetchone()
    if taken != (True,):
        holder.rollback()
        raise LockNotAvailable("another migrate is under way")
