"""A listener says in the database whether it hears, so that `scrapersky why` can tell."""

import logging
import os
import socket
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import Connection

from app.config import Settings
from app.logs import event
from db.connections import Pool
from db.statements import statements

log = logging.getLogger(__name__)
SQL = statements("liveness.sql")

# Whoever has just lost one connection must not be kept from making the next.
PATIENCE_SECONDS = 0.5


class Presence:
    """One row of engine.listener. It costs no commit of its own while all is well: it is written with the echo."""

    def __init__(self, settings: Settings, pool: Pool) -> None:
        self.pool = pool
        self.id = uuid4()
        self._known = {
            "id": self.id,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "poll": settings.poll,
            "echo": settings.echo,
        }

    def echo(self, word: str, *, hears: bool) -> None:
        with self.pool.connection() as connection, connection.transaction():
            self._write(connection, hears=hears, trouble=None)
            connection.execute(SQL["echo"], {"word": word})

    def say(self, *, hears: bool, trouble: str | None = None) -> None:
        """Between two echoes: what changed. A database that is away is told later."""
        try:
            with self.pool.connection(timeout=PATIENCE_SECONDS) as connection:
                self._write(connection, hears=hears, trouble=trouble)
        except psycopg.Error as error:
            event(log, logging.DEBUG, "listener.not_told", error=str(error))

    def leave(self) -> None:
        try:
            with self.pool.connection(timeout=PATIENCE_SECONDS) as connection:
                connection.execute(SQL["listener_leaves"], self._known)
        except psycopg.Error as error:
            event(log, logging.WARNING, "listener.not_unregistered", error=str(error))

    def _write(self, connection: Connection[Any], *, hears: bool, trouble: str | None) -> None:
        connection.execute(SQL["listener_says"], {**self._known, "hears": hears, "trouble": trouble})
