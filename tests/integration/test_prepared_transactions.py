"""PREPARE TRANSACTION and the doorbell: Postgres refuses to prepare a transaction that has rung it."""

import shutil
import tempfile
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import FeatureNotSupported

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate

QUEUE = "update local_businesses set domain_extraction_status = 'Queued'"


@pytest.fixture(scope="module")
def url():
    """A server that allows prepared transactions: by default none does."""
    home = Path(tempfile.mkdtemp(prefix="scrapersky-prepared-"))
    home.chmod(0o711)
    embedded = EmbeddedPostgres(home)
    with embedded.use() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("alter system set max_prepared_transactions = 2")
    with embedded.use() as url:
        migrate(url, WORKFLOWS, Settings().default_tenant_id)
        yield url
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def db(url):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("truncate local_businesses, engine.job cascade")
        connection.execute("insert into local_businesses (business_name) values ('Baker')")
        yield connection


def state(db):
    return db.execute(
        "select business_name, domain_extraction_status, (select count(*) from engine.job) from local_businesses"
    ).fetchone()


def test_a_transaction_that_queued_rows_can_not_be_prepared_and_changes_nothing(db):
    db.execute("begin")
    db.execute("update local_businesses set business_name = 'Butcher'")
    db.execute(QUEUE)

    with pytest.raises(FeatureNotSupported, match=r"cannot PREPARE a transaction that has executed .* NOTIFY"):
        db.execute("prepare transaction 'queued'")

    assert state(db) == ("Baker", None, 0)
    assert db.execute("select count(*) from pg_prepared_xacts").fetchone() == (0,)


def test_a_transaction_that_queues_nothing_can_be_prepared_and_rows_are_queued_after_it(db):
    db.execute("begin")
    db.execute("update local_businesses set business_name = 'Butcher'")
    db.execute("prepare transaction 'renamed'")
    db.execute("commit prepared 'renamed'")
    db.execute(QUEUE)

    assert state(db) == ("Butcher", "Queued", 1)
