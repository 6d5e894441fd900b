"""What the checks look at: the settings, the registry, and a connection on which nothing can be changed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

import psycopg
from psycopg import Connection
from psycopg.rows import namedtuple_row

from actors._workflow import Workflow
from app.config import Settings
from app.workflows import load_workflows
from db.connections import KEEPALIVE, put_public_first
from db.statements import statements

QUERIES = statements("doctor.sql")
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Limits:
    """Where ok ends. Tests have less patience than people."""

    forgotten_transaction: timedelta = timedelta(minutes=1)
    long_transaction: timedelta = timedelta(minutes=10)
    long_claim: timedelta = timedelta(seconds=5)
    canary: timedelta = timedelta(seconds=10)
    doorbell: timedelta = timedelta(seconds=2)
    look: timedelta = timedelta(seconds=1)
    loud_notifications: float = 0.1
    low_disk_fraction: float = 0.10
    low_disk_bytes: int = 1024 * MEGABYTE
    full_disk_fraction: float = 0.03
    full_disk_bytes: int = 200 * MEGABYTE
    dead_rows: int = 10_000
    bloat_bytes: int = 64 * MEGABYTE


@dataclass
class Patient:
    settings: Settings
    url: str
    limits: Limits = field(default_factory=Limits)
    workflows: Sequence[Workflow] = ()
    connection: Connection[Any] | None = None

    def __post_init__(self) -> None:
        self.workflows = self.workflows or load_workflows(self.settings)

    @property
    def listen_url(self) -> str:
        return self.settings.listen_database_url or self.url

    @contextmanager
    def connected(self) -> Iterator[None]:
        with self.connect(self.url) as self.connection:
            yield
        self.connection = None

    def connect(self, url: str) -> Connection[Any]:
        """One more connection; each statement its own transaction."""
        connection = psycopg.connect(
            url,
            autocommit=True,
            prepare_threshold=None,
            row_factory=namedtuple_row,
            application_name="scrapersky doctor",
            **KEEPALIVE,
        )
        put_public_first(connection)
        return connection

    def look(self, query: str, **parameters: Any) -> list[Any]:
        """The rows of a query of sql/doctor.sql."""
        return self.read(QUERIES[query], parameters)

    def one(self, query: str, **parameters: Any) -> Any:
        (row,) = self.look(query, **parameters)
        return row

    def read(self, query: bytes, parameters: dict[str, Any] | None = None) -> list[Any]:
        """In a transaction that can not write and does not wait; its settings end with it, for the sake of poolers."""
        if self.connection is None:
            raise psycopg.OperationalError("no connection")
        with self.connection.transaction():
            self.connection.execute(QUERIES["harmless"], {"patience": f"{self.limits.look.total_seconds() * 1000:.0f}"})
            return self.connection.execute(query, parameters).fetchall()


class Pid(NamedTuple):
    """A process of the server, told so that a person finds it."""

    pid: int
    user: str | None
    application: str | None
    client: str | None

    def __str__(self) -> str:
        who = f"process {self.pid} of {self.user or 'somebody'}"
        by = f" ({self.application})" if self.application else ""
        return f"{who}{by}{f' from {self.client}' if self.client else ''}"
