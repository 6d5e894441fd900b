"""What the acceptance tests share: a database with the sample table, a user's connection to it, real processes."""

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
from psycopg import Connection

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate
from tests.acceptance.sample_rows import SampleRows
from tests.process_support import Ledger, Processes, Started, clean_environment, processes_in
from tests.samples import create_sample_tables, sample_workflow
from tests.shared_database import shared_database

NUMBERS = count(1)


@pytest.fixture(scope="session")
def sample_template(server: EmbeddedPostgres, template: str) -> Iterator[str]:
    """A migrated database in which the sample workflow is declared too."""
    with shared_database(server, template, "template_acceptance") as url:
        create_sample_tables(url)
        migrate(url, [*WORKFLOWS, sample_workflow()], Settings().default_tenant_id)
        yield "template_acceptance"


@pytest.fixture
def samples(server: EmbeddedPostgres, sample_template: str) -> Iterator[str]:
    """The URL of a database with the sample table."""
    with shared_database(server, sample_template, f"acceptance_{next(NUMBERS)}") as url:
        yield url


@pytest.fixture(scope="module")
def shared_samples(server: EmbeddedPostgres, sample_template: str) -> Iterator[str]:
    """The same for all tests of a file, where one worker serves them all."""
    with shared_database(server, sample_template, f"acceptance_{next(NUMBERS)}") as url:
        yield url


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
def gate(tmp_path: Path) -> Iterator[Path]:
    """Rows with the action `gate <path>` run until this file is touched, at the latest at the end of the test."""
    yield tmp_path / "gate"
    (tmp_path / "gate").touch()


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    """To be asked for after the database: what is set up last is ended first."""
    with processes_in(tmp_path) as started:
        yield started


@pytest.fixture(scope="module")
def shared_processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with processes_in(tmp_path_factory.mktemp("processes")) as started:
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
