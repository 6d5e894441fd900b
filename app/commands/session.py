"""What a command begins with: its settings, and one connection to the database that they name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import Connection

from app.config import Settings, load_settings
from app.database import database
from app.logs import configure_logging
from db.connections import KEEPALIVE, put_public_first


def configured_settings(**options: int | None) -> Settings:
    """What the environment says, or an option of the command where one is given; logging is set up by it."""
    given = {name: value for name, value in options.items() if value is not None}
    settings = load_settings().model_copy(update=given)
    configure_logging(settings)
    return settings


@contextmanager
def connected(command: str) -> Iterator[Connection[Any]]:
    """Each statement is its own transaction unless the command opens one."""
    with (
        database(configured_settings()) as url,
        psycopg.connect(url, autocommit=True, application_name=f"scrapersky {command}", **KEEPALIVE) as connection,
    ):
        put_public_first(connection)
        connection.prepare_threshold = None  # a pooler may stand between, and few statements are said twice
        yield connection
