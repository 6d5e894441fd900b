"""A workflow that was held back by the one that it feeds goes on by itself, without an UPDATE and without a restart."""

import psycopg
import pytest

from tests.process_support import stays, wait_until

STATUS = "select domain_extraction_status from local_businesses"


@pytest.fixture
def desk(database, processes):
    """A worker, while nobody may look at domains and one of them waits for it."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "update engine.workflow set paused = true, paused_reason = 'test' where name = 'domain_metadata'"
        )
        connection.execute("update engine.workflow set max_downstream = 1 where name = 'domain_extraction'")
        connection.execute("insert into domains (domain, status) values ('waiting.example', 'pending')")
        processes.start("app.cli", "work", "--processes", "1", DATABASE_URL=database)
        wait_until(lambda: connection.execute("select from engine.worker").fetchone() is not None)
        yield connection


def test_rows_begin_when_fewer_wait_downstream(desk):
    desk.execute(
        "insert into local_businesses (business_name, website_url, domain_extraction_status) "
        "values ('Blue Bakery', 'https://blue-bakery.example', 'Queued')"
    )
    assert stays(lambda: desk.execute(STATUS).fetchone() == ("Queued",), 1.5)

    desk.execute("delete from engine.job where workflow = 'domain_metadata'")

    wait_until(lambda: desk.execute(STATUS).fetchone() == ("Completed",), timeout=30)
