"""The sample workflow's triggers, a user, and what he hears of the doorbell."""

from itertools import takewhile

import psycopg
import pytest

from actors._workflow import Politeness
from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from tests.samples import create_sample_tables, sample_workflow
from tests.shared_database import shared_database

LAST_BELL = "the end of the test"


@pytest.fixture(scope="module")
def url(server, template):
    """A database in which the sample workflow's triggers are in place."""
    with shared_database(server, template, "triggers") as url:
        create_sample_tables(url)
        workflow = sample_workflow(priority="urgency", politeness=Politeness(column="host", group="web"))
        migrate(url, [*WORKFLOWS, workflow], Settings().default_tenant_id)
        yield url


@pytest.fixture
def samples(url):
    """A user's connection; two rows that nobody has queued."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("truncate samples, findings, engine.job, engine.submission")
        connection.execute("insert into samples (name) values ('ann'), ('bob')")
        yield connection


@pytest.fixture
def bells(url):
    """A function that returns every doorbell rung so far; a bell of its own tells that no more are on the way."""
    with psycopg.connect(url, autocommit=True) as listener:
        listener.execute("listen engine")

        def heard() -> list[str]:
            listener.execute("select pg_notify('engine', %s)", [LAST_BELL])
            rung = (bell.payload for bell in listener.notifies(timeout=10))
            return list(takewhile(lambda payload: payload != LAST_BELL, rung))

        yield heard
