"""A Postgres of its own, for tests that stop it, starve it or fill it up."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate
from tests.acceptance.sample_rows import SampleRows
from tests.samples import create_sample_tables, sample_workflow

EVERYTHING = "truncate samples, findings, engine.job, engine.worker, engine.attempt, engine.submission"


@contextmanager
def sample_server(configuration: str = "", home: Path | None = None) -> Iterator[EmbeddedPostgres]:
    """A running server with the sample table and these lines in its configuration."""
    directory = home or Path(tempfile.mkdtemp(prefix="scrapersky-own-"))
    directory.chmod(0o711)
    server = EmbeddedPostgres(directory)
    with server.use() as url:
        with (server.data / "postgresql.conf").open("a") as settings:
            settings.write(f"{configuration}\n")
        server.control("restart", "-m", "fast")
        create_sample_tables(url)
        migrate(url, [*WORKFLOWS, sample_workflow()], Settings().default_tenant_id)
        yield server
    if home is None:
        shutil.rmtree(directory)


@contextmanager
def user_of(server: EmbeddedPostgres) -> Iterator[SampleRows]:
    """A user's connection, each statement its own transaction."""
    with psycopg.connect(server.url, autocommit=True, application_name="a user") as connection:
        yield SampleRows(connection)


def clear(server: EmbeddedPostgres) -> None:
    """Nothing of an earlier test is left."""
    with user_of(server) as rows:
        rows.connection.execute(EVERYTHING)
