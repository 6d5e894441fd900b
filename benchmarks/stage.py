"""The stage for all contestants: one server, one wide table, real worker processes."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import sqlalchemy
from psycopg import Connection
from sqlalchemy import NullPool

from actors.registry import WORKFLOWS as REAL_WORKFLOWS
from app.config import Settings
from benchmarks.noop import COUNT_LEFT, FILL, WORKFLOWS, Wide
from db.embedded import EmbeddedPostgres
from db.migrate import migrate

PATIENCE_SECONDS = 600


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A server of our own, and its URL. From here on SIGTERM unwinds what is open, so that nothing stays behind."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    home = Path(tempfile.mkdtemp(prefix="scrapersky-bench-"))
    home.chmod(0o711)
    try:
        with EmbeddedPostgres(home).use() as url:
            yield url
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextlib.contextmanager
def migrated() -> Iterator[tuple[str, Connection]]:
    """The real tables and workflows."""
    with server() as url:
        migrate(url, REAL_WORKFLOWS, Settings().default_tenant_id)
        with psycopg.connect(url, autocommit=True) as user:
            yield url, user


@contextlib.contextmanager
def stage(rows: int, width: int = 900) -> Iterator[tuple[str, Connection]]:
    """A migrated server with the wide table filled; the width is that of a row's text, in bytes."""
    with server() as url:
        address = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
        with sqlalchemy.create_engine(address, poolclass=NullPool).begin() as connection:
            Wide.metadata.create_all(connection)
        migrate(url, WORKFLOWS, Settings().default_tenant_id)
        with psycopg.connect(url, autocommit=True) as user:
            user.execute(FILL, [width, rows])
            yield url, user


@contextlib.contextmanager
def workers(url: str, user: Connection, processes: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Worker processes, registered and listening."""
    environment = {
        "SCRAPERSKY_THREADS": "8",  # rows that do nothing gain nothing by more
        **os.environ,
        "DATABASE_URL": url,
        "SCRAPERSKY_METRICS_PORT": "0",
        "SCRAPERSKY_LOG_LEVEL": "warning",
    }
    command = [sys.executable, "-m", "benchmarks.noop"]
    started = [subprocess.Popen(command, env=environment) for _ in range(processes)]
    try:
        wait_until(lambda: one(user, "select count(*) from engine.worker") == processes)
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not reached within {PATIENCE_SECONDS} s")
        time.sleep(0.005)


def queue_all(user: Connection) -> None:
    """Every row queued and waiting, nothing started, statistics fresh."""
    pause(user, paused=True)
    user.execute("update wide set status = 'Queued'")
    user.execute("vacuum analyze wide, engine.job")


def pause(user: Connection, *, paused: bool) -> None:
    user.execute("update engine.workflow set paused = %s", [paused])


def drained(user: Connection) -> bool:
    return one(user, COUNT_LEFT) == 0


def one(user: Connection, query: str) -> int:
    row = user.execute(query).fetchone()
    return int(row[0]) if row else 0
