"""What the acceptance tests share: a database with the sample table, a user's connection to it, real processes."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import psycopg
import pytest
from psycopg import Connection, sql

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate
from tests.acceptance.sample_rows import SampleRows
from tests.process_support import Ledger, Processes, Started, clean_environment, processes_in
from tests.samples import create_sample_tables, sample_workflow

NUMBERS = count(1)


def create_database(server: EmbeddedPostgres, name: str, template: str) -> str:
    with psycopg.connect(server.url, autocommit=True) as connection:
        create = sql.SQL("create database {} template {}")
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
    return server.url.replace("/scrapersky?", f"/{name}?")


def drop_database(server: EmbeddedPostgres, name: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def sample_template(server: EmbeddedPostgres, template: str) -> str:
    """A migrated database in which the sample workflow is declared too."""
    url = create_database(server, "template_samples", template)
    create_sample_tables(url)
    migrate(url, [*WORKFLOWS, sample_workflow()], Settings().default_tenant_id)
    return "template_samples"


@pytest.fixture
def samples(server: EmbeddedPostgres, sample_template: str) -> Iterator[str]:
    """The URL of a database with the sample table."""
    name = f"samples_{os.getpid()}_{next(NUMBERS)}"
    yield create_database(server, name, sample_template)
    drop_database(server, name)


@pytest.fixture
def user(samples: str) -> Iterator[Connection[Any]]:
    """A user's connection to the database with the sample table, each statement its own transaction."""
    with psycopg.connect(samples, autocommit=True) as connection:
        yield connection


@pytest.fixture
def rows(user: Connection[Any]) -> SampleRows:
    return SampleRows(user)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger")


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Rows with the action `gate <path>` run until this file is touched."""
    return tmp_path / "gate"


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """To be asked for after the database: what is set up last is ended first."""
    with processes_in(tmp_path) as started:
        yield started


@pytest.fixture
def run(samples: str, ledger: Ledger, processes: Processes) -> Callable[..., Started]:
    """Start a process on the sample database: `run("tests.sample_worker", SCRAPERSKY_THREADS="4")`."""
    environment = {"DATABASE_URL": samples, "SAMPLE_LEDGER": str(ledger.path), "SCRAPERSKY_THREADS": "1"}

    def start(module: str, **settings: str) -> Started:
        return processes.start(module, **{**environment, **settings})

    return start


@pytest.fixture
def scrapersky(tmp_path: Path) -> Callable[..., CompletedProcess[str]]:
    """The command line: `scrapersky("status", "--json", DATABASE_URL=url)`."""

    def run(*arguments: str, **environment: str) -> CompletedProcess[str]:
        command = [sys.executable, "-m", "app.cli", *arguments]
        settings = clean_environment(**environment)
        return subprocess.run(
            command, env=settings, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )

    return run


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty SCRAPERSKY_HOME. Not tmp_path: that is closed to the user who runs Postgres when root runs the tests."""
    directory = Path(tempfile.mkdtemp(prefix="scrapersky-home-"))
    directory.chmod(0o711)
    yield directory
    EmbeddedPostgres(directory).stop()
    shutil.rmtree(directory)
