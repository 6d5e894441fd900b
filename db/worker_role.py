"""The role of what runs by itself: workers, sweeper, listener, dashboard. It reads and writes rows, and owns nothing.

The embedded Postgres lets it log in. In a Postgres of your own, grant it to the role as which workers log in.
"""

from collections.abc import Sequence
from typing import Any

from psycopg import Connection, sql
from psycopg.errors import InsufficientPrivilege

from db.statements import read

WORKER = "scrapersky_worker"


def grant_to_workers(connection: Connection[Any], tables: Sequence[str]) -> None:
    """Grant what is missing, and nothing twice: a grant that changes nothing still waits for a locked table."""
    names = {"worker": sql.Identifier(WORKER), "worker_name": sql.Literal(WORKER)}
    connection.execute(sql.SQL(read("worker_role.sql").partition("-- name: ")[0]).format(**names))
    known = {"worker": WORKER, "tables": list(tables)}
    for (statement,) in connection.execute(_missing(), known).fetchall():
        connection.execute(statement)
    try:
        with connection.transaction():
            connection.execute(sql.SQL("grant pg_read_all_stats to {worker}").format(**names))
    except InsufficientPrivilege:
        pass  # why and /metrics then show other roles' sessions without their age


def _missing() -> bytes:
    return read("worker_role.sql").partition("-- name: missing\n")[2].encode()
