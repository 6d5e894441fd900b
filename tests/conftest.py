"""A real Postgres for all tests: one server per run, one database per test, cloned from a migrated template."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import hypothesis
import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.conninfo import conninfo_to_dict

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate

NUMBERS = count(1)

# On a busy machine an example may take long for no fault of its own.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedPostgres]:
    # Not pytest's own directory: as root, Postgres runs as another user, who may not enter there.
    home = Path(tempfile.mkdtemp(prefix="scrapersky-tests-"))
    home.chmod(0o711)
    embedded = EmbeddedPostgres(home)
    with embedded.use():
        yield embedded
    shutil.rmtree(home, ignore_errors=True)


def url_of(server: EmbeddedPostgres, name: str) -> str:
    return server.url.replace("/scrapersky?", f"/{name}?")


@pytest.fixture(scope="session")
def template(server: EmbeddedPostgres) -> str:
    """A migrated database that every test gets a copy of."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("create database template_scrapersky")
    migrate(url_of(server, "template_scrapersky"), WORKFLOWS, Settings().default_tenant_id)
    return "template_scrapersky"


def new_database(server: EmbeddedPostgres, template: str) -> Iterator[str]:
    name = f"test_{os.getpid()}_{next(NUMBERS)}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        create = sql.SQL("create database {} template {}")
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
    yield url_of(server, name)
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def empty_database(server: EmbeddedPostgres) -> Iterator[str]:
    """A database without anything in it."""
    yield from new_database(server, "template0")


@pytest.fixture
def database(server: EmbeddedPostgres, template: str) -> Iterator[str]:
    """A migrated database."""
    yield from new_database(server, template)


@pytest.fixture
def db(database: str) -> Iterator[Connection]:
    """A user's connection to the migrated database, each statement its own transaction."""
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def settings(database: str) -> Settings:
    """Quick settings for processes in tests."""
    assert conninfo_to_dict(database)
    return Settings(
        database_url=database,
        beat="0.2",
        lease="1",
        poll="0.2",
        echo="0.5",
        drain="5",
        sweep="1",
        metrics_port=0,
    )
