"""The oldest Postgres that comes in the same package: the migration and a submission work there too."""

import shutil
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from db import archive
from db.embedded import bin_directory
from db.embedded_account import Account
from db.migrate import migrate

OLD_PROGRAMS = bin_directory().parents[1] / "pginstall" / "bin"


@pytest.fixture
def old_server():
    """The URL of a PostgreSQL 16 that lives as long as the test."""
    with TemporaryDirectory(prefix="postgres-16-") as home:
        Path(home).chmod(0o711)
        account = Account.of(Path(home))
        directory = Path(home) / "server"
        directory.mkdir()
        shutil.chown(directory, account.uid, account.gid)
        run = partial(account.do, directory=directory)
        run(OLD_PROGRAMS / "initdb", "-U", "scrapersky", "-E", "UTF8", "--locale=C", "-A", "trust", "-N", "-D", "data")
        run("tee", "-a", "data/postgresql.conf", text=f"listen_addresses=''\nunix_socket_directories='{directory}'\n")
        run(OLD_PROGRAMS / "pg_ctl", "start", "-D", "data", "-w", "-l", "log")
        yield f"postgresql://scrapersky@:5432/postgres?host={directory}"
        run(OLD_PROGRAMS / "pg_ctl", "stop", "-D", "data", "-m", "immediate")


def test_a_row_is_submitted_and_explained_on_postgres_16(old_server):
    migrate(old_server, WORKFLOWS, Settings().default_tenant_id)
    migrate(old_server, WORKFLOWS, Settings().default_tenant_id)

    with psycopg.connect(old_server, autocommit=True) as db:
        db.execute("insert into local_businesses (business_name) values ('Baker'), ('Butcher')")
        db.execute("update local_businesses set domain_extraction_status = 'Queued' where business_name = 'Baker'")

        assert db.info.server_version // 10_000 == 16
        jobs = "select workflow, business_name, generation from engine.job join local_businesses on id::text = pk"
        assert db.execute(jobs).fetchall() == [("domain_extraction", "Baker", 1)]
        assert db.execute("select workflow, rows, role from engine.submission").fetchall() == [
            ("domain_extraction", 1, "scrapersky")
        ]
        looked_at = "select {} from local_businesses, engine.{}('local_businesses', id::text) order by business_name"
        assert db.execute(looked_at.format("code", "explain")).fetchall() == [("no_worker",), ("never_queued",)]
        with psycopg.connect(old_server) as other:
            other.execute("select 1 from local_businesses for share")
            assert db.execute(looked_at.format("code", "explain")).fetchall() == [("no_worker",), ("uncommitted",)]
        assert db.execute(looked_at.format("what", "history") + ", at").fetchall() == [
            ("domain_extraction: queued by scrapersky",),
            ("domain_extraction: 'Queued' now",),
            ("domain_extraction: not queued now",),
        ]


def test_a_database_on_postgres_16_is_backed_up_and_restored_by_the_newer_programs(old_server, tmp_path):
    migrate(old_server, WORKFLOWS, Settings().default_tenant_id)
    with psycopg.connect(old_server, autocommit=True) as connection:
        connection.execute("insert into local_businesses (domain_extraction_status) values ('Queued')")
        connection.execute("create database fresh template template0")
        server = archive.server_major(connection)
    fresh = old_server.replace("/postgres?", "/fresh?")
    file = tmp_path / "old.dump"

    archive.check_readable(server)
    archive.dump(old_server, file, lambda _: None)
    archive.check_fits(file, server)
    archive.load(fresh, file, server=server, clean=False, tell=lambda _: None)

    assert server == 16
    with psycopg.connect(fresh) as connection:
        assert connection.execute("select workflow from engine.job").fetchall() == [("domain_extraction",)]
