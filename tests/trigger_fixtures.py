"""The sample workflow's triggers, a user, and what he hears of the doorbell."""

import psycopg
import pytest

from actors._workflow import Politeness
from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from tests.samples import create_sample_tables, sample_workflow
from tests.shared_database import shared_database
from tests.trigger_support import heard_bells


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
    with heard_bells(url) as heard:
        yield heard
