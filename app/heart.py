"""A worker process says that it lives: one counter, raised from a thread and a connection of its own."""

import logging
import os
import random
import socket
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg import Connection

from app import VERSION, metrics
from app.logs import event
from db.connections import KEEPALIVE
from db.statements import statements

log = logging.getLogger(__name__)
SQL = statements("liveness.sql")

RETRY_SECONDS = 1.0


class NotRegisteredError(Exception):
    """Told to stop while the registration failed; it may have come through all the same."""


class Heart:
    """Registers this process as a worker. Declared dead while it was stopped, it comes back under a new id."""

    def __init__(
        self,
        beat: timedelta,
        on_drain: Callable[[bool], None] = lambda _: None,
        workflows: Sequence[str] | None = None,
    ) -> None:
        """An operator may want this process to claim nothing, and take it back: `on_drain` is told of each change."""
        self.on_drain = on_drain
        self.drain_wanted = False
        self.beat = beat.total_seconds()
        self.workflows = None if workflows is None else list(workflows)
        self.id: UUID = uuid4()
        self._next_id: UUID = uuid4()
        self.draining = False
        self.is_registered = False
        self._url = ""
        self._stop = threading.Event()
        self._connection: Connection[Any] | None = None
        self._thread = threading.Thread(target=self._beat_on, name="heart", daemon=True)

    def start(self, url: str, told_to_stop: threading.Event | None = None) -> None:
        """Register before the first claim, then beat. A database that is away, or not migrated yet, is waited for."""
        told_to_stop = told_to_stop or threading.Event()
        self._url = url
        while self._connection is None:
            try:
                connection = self._connect()
                self.is_registered = True  # it may be so before we hear of it
                self._register(connection)
                self._connection = connection
            except psycopg.Error as error:
                self.is_registered = False
                event(log, logging.WARNING, "worker.waiting", error=str(error))
                if told_to_stop.wait(RETRY_SECONDS):
                    raise NotRegisteredError from error
        self._thread.start()

    def stop(self) -> None:
        """Leave the register: this process claims nothing any more."""
        self._stop.set()
        self._thread.join()
        for connection in (self._connection, None):  # a connection that was lost is found out here
            try:
                with connection or self._connect() as connected:
                    connected.execute(SQL["unregister"], {"ids": [self.id, self._next_id]})
            except psycopg.Error as error:
                event(log, logging.WARNING, "worker.not_unregistered", error=str(error))
            else:
                return

    def _beat_on(self) -> None:
        while not self._stop.wait(self.beat * random.uniform(0.8, 1.0)):  # noqa: S311 - jitter, not a secret
            try:
                self._connection = self._connection or self._connect()
                self._beat(self._connection)
            except psycopg.Error as error:
                event(log, logging.WARNING, "beat.missed", error=str(error))
                self._connection = None

    def _beat(self, connection: Connection[Any]) -> None:
        row = connection.execute(SQL["beat"], {"id": self.id, "draining": self.draining}).fetchone()
        if row is None:
            event(log, logging.WARNING, "worker.was_declared_dead", worker=self.id)
            metrics.self_fenced.inc()
            self._register(connection)
        elif row[0] != self.drain_wanted:
            self.drain_wanted = row[0]
            self.on_drain(self.drain_wanted)

    def _register(self, connection: Connection[Any]) -> None:
        """Under the same id until the database has answered: a registration in doubt leaves no second worker behind."""
        connection.execute(
            SQL["register"],
            {
                "id": self._next_id,
                "supervisor": os.environ.get("SCRAPERSKY_SUPERVISOR"),
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "version": VERSION,
                "drain_wanted": self.drain_wanted,
                "workflows": self.workflows,
                "beat": timedelta(seconds=self.beat),
            },
        )
        self.id, self._next_id = self._next_id, uuid4()

    def _connect(self) -> Connection[Any]:
        return psycopg.connect(
            self._url, autocommit=True, prepare_threshold=None, application_name="scrapersky heart", **KEEPALIVE
        )
