"""A connection for what an operator does: it waits for others a little longer than the engine does."""

import contextlib
from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import Connection

from db.connections import LOCK_TIMEOUT, Pool

SET = "select set_config('lock_timeout', %s, false)"
PATIENCE = "5s"


@contextlib.contextmanager
def patient(pool: Pool) -> Iterator[Connection[Any]]:
    with pool.connection() as connection:
        if connection.prepare_threshold is None:  # behind a pooler nothing is set for a session
            yield connection
            return
        connection.execute(SET, [PATIENCE])
        try:
            yield connection
        finally:
            with contextlib.suppress(psycopg.Error):
                connection.execute(SET, [LOCK_TIMEOUT])
