"""How to change a database that others write to: one migrate at a time, never long in a queue for a lock, but often."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlalchemy
from psycopg import Connection, IsolationLevel
from psycopg.errors import DeadlockDetected, DuplicateSchema, DuplicateTable, LockNotAvailable, UniqueViolation

from db.connections import PATH
from db.errors import MigrationError

log = logging.getLogger(__name__)

# While we wait for a lock, everybody who writes to the table waits behind us: so never for long, but often.
LOCK_TIMEOUT = "200ms"
PAUSE_SECONDS = 1.0
PATIENCE_SECONDS = 300.0

# New tables go to public, also behind a pooler, where a session has no search path of its own.
LIMIT = f"""
select set_config('lock_timeout', '{LOCK_TIMEOUT}', true),
       set_config('search_path', {PATH}, true)
"""


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
    _make_lock(holder)
    # It may be idle for as long as the rest takes. Not every version knows all of these settings.
    holder.execute(
        "select set_config(name, '0', true) from pg_settings "
        "where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')"
    )
    # Only the owner can take this lock: other roles may read the table at most (sql/worker_role.sql). The transaction
    # gets no number by it, so it holds no vacuum back.
    try:
        holder.execute("lock table engine.migration in share update exclusive mode nowait")
    except LockNotAvailable:
        holder.rollback()
        raise


def _make_lock(holder: Connection[Any]) -> None:
    """The table that migrates lock. On an empty database several may make it at the same moment, and one does."""
    missing = holder.execute("select to_regclass('engine.migration') is null").fetchone()
    try:
        if missing == (True,):
            holder.execute("create schema if not exists engine")
            holder.execute("create table if not exists engine.migration ()")
        holder.commit()
    except (UniqueViolation, DuplicateTable, DuplicateSchema):
        holder.rollback()
