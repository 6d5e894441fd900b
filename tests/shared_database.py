"""One database for a whole test file: cheaper than one per test, where a test can clean up with a TRUNCATE."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from db.embedded import EmbeddedPostgres


@contextmanager
def shared_database(server: EmbeddedPostgres, template: str, name: str) -> Iterator[str]:
    """The URL of a copy of the template that is dropped at the end."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        create = sql.SQL("create database {} template {}")
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
        yield server.url.replace("/scrapersky?", f"/{name}?")
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
