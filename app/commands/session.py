"""One connection for one command, to the database that the settings name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import Connection

from app.config import load_settings
from app.database import database
from app.logs import configure_logging
from db.connections import KEEPALIVE


@contextmanager
def connected(command: str) -> Iterator[Connection[Any]]:
    """Each statement is its own transaction unless the command opens one."""
    settings = load_settings()
    configure_logging(settings)
    with (
        database(settings) as url,
        psycopg.connect(url, autocommit=True, application_name=f"scrapersky {command}", **KEEPALIVE) as connection,
    ):
        connection.prepare_threshold = None  # a pooler may stand between, and few statements are said twice
        yield connection
