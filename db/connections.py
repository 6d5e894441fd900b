"""Connections: one pool per process, and transactions that guard against bad plans and long waits."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from psycopg import Connection, IsolationLevel, OperationalError
from psycopg_pool import ConnectionPool

Pool = ConnectionPool[Connection[Any]]

# A peer that vanished without a word is noticed within seconds, not hours.
KEEPALIVE: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
}

# Less than deadlock_timeout (1 s): when the engine and a user wait for each other, the engine gives way.
LOCK_TIMEOUT = "200ms"

# Our tables are in public. The default path begins with "$user": a schema that has the role's name would come first.
# A session may come from a pooler with an empty path, as pg_dump leaves it.
PATH = "concat_ws(', ', 'public', nullif(current_setting('search_path'), ''))"

# With few rows queued the planner may prefer to read a whole table or to hash it. A batch is always reached by index.
GUARD = f"""
select set_config('lock_timeout', '{LOCK_TIMEOUT}', true), set_config('statement_timeout', '30s', true),
       set_config('idle_in_transaction_session_timeout', '30s', true), set_config('jit', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true), set_config('enable_material', 'off', true),
       set_config('search_path', {PATH}, true)
""".encode()


# What a pooler in transaction mode lends us is another client's next and stays as it is.
PUBLIC_FIRST = f"select set_config('search_path', {PATH}, false) where pg_backend_pid() = %s"


def put_public_first(connection: Connection[Any]) -> None:
    """For a connection outside of a pool; to be called outside of a transaction."""
    connection.execute(PUBLIC_FIRST, [connection.info.backend_pid], prepare=False)


# The engine's statements are few and say by their shape how rows are reached: to plan each anew takes longer than some.
KEEP_PLANS = b"set plan_cache_mode = force_generic_plan"


def _configure(connection: Connection[Any], *, keep_plans: bool) -> None:
    connection.isolation_level = IsolationLevel.READ_COMMITTED
    connection.autocommit = True
    # Behind PgBouncer the process id of the handshake is not that of the server, and prepared statements get lost.
    server_pid = connection.execute("select pg_backend_pid()").fetchone()
    if server_pid is not None and server_pid[0] != connection.info.backend_pid:
        connection.prepare_threshold = None
    else:
        connection.execute(GUARD.replace(b"true", b"false"))  # the session is ours alone: once is enough
        if keep_plans:
            connection.execute(KEEP_PLANS)


def open_pool(url: str, *, size: int, name: str, timeout: float = 10, keep_plans: bool = True) -> Pool:
    """A pool that starts empty-handed and survives a database that is away.

    Plans are kept, unless the statements are those of people, who look for this today and for that tomorrow.
    """
    pool: Pool = ConnectionPool(
        url,
        min_size=1,
        max_size=size,
        open=False,
        configure=partial(_configure, keep_plans=keep_plans),
        timeout=timeout,
        reconnect_timeout=5,
        name=name,
        kwargs={"application_name": f"scrapersky {name}", **KEEPALIVE},
    )
    pool.open()
    return pool


@contextmanager
def transaction(pool: Pool, *, dry_run: bool = False, longest: float | None = None) -> Iterator[Connection[Any]]:
    """A short guarded transaction on a connection that goes back to the pool at its end; a dry run leaves no trace.

    With `longest`, in seconds, a server that hangs is not waited for: its own timeouts hang with it.
    """
    try:
        with (
            pool.connection() as connection,
            _cut_off(connection, longest),
            connection.transaction(force_rollback=dry_run),
        ):
            if connection.prepare_threshold is None:
                connection.execute(GUARD)
            yield connection
    except OperationalError:
        if longest is None:
            pool.check()  # the server may have gone: do not stumble over its other connections one by one
        raise


@contextmanager
def _cut_off(connection: Connection[Any], longest: float | None) -> Iterator[None]:
    if longest is None:
        yield
        return
    with socket.socket(fileno=os.dup(connection.fileno())) as wire:
        timer = threading.Timer(longest, _hang_up, [wire])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _hang_up(wire: socket.socket) -> None:
    with suppress(OSError):  # it ended at this very moment
        wire.shutdown(socket.SHUT_RDWR)
