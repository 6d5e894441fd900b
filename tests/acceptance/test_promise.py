"""`UPDATE … SET some_status = 'Queued'` is the whole API: whoever may write it gets the work done, once."""

import psycopg
import pytest
from psycopg import IsolationLevel, sql

from tests.process_support import wait_for_workers, wait_until
from tests.shared_database import shared_database

QUEUE_ALL = "update local_businesses set domain_extraction_status = 'Queued'"
LEFT = "select count(*) from local_businesses where domain_extraction_status is distinct from 'Completed'"
RUNS = "select pk, count(*) from engine.attempt where outcome = 'completed' group by pk"


@pytest.fixture(scope="module")
def workers(server, template, shared_processes):
    """Two real processes with every workflow of the registry, and the URL of their database."""
    with shared_database(server, template, "promise") as url:
        environment = {"DATABASE_URL": url, "SCRAPERSKY_KEEP_SUCCESSES": "true", "SCRAPERSKY_THREADS": "4"}
        workers = [shared_processes.start("app.worker", **environment) for _ in range(2)]
        with psycopg.connect(url, autocommit=True) as connection:
            wait_for_workers(connection, *workers)
        yield url
        shared_processes.end_all()


@pytest.fixture
def database(workers):
    """Without the rows of earlier tests."""
    with psycopg.connect(workers, autocommit=True) as connection:
        connection.execute("truncate local_businesses, domains, engine.job, engine.attempt, engine.submission cascade")
    return workers


def add_businesses(db, count):
    """Every two of them share a site."""
    db.execute(
        "insert into local_businesses (business_name, website_url) "
        "select 'business ' || n, 'https://www.site' || n / 2 || '.com/about' from generate_series(0, %s) as n",
        [count - 1],
    )


def test_one_row_queued_by_an_update_completes(db):
    add_businesses(db, 1)

    db.execute(QUEUE_ALL)
    wait_until(lambda: db.execute(LEFT).fetchone() == (0,))

    assert db.execute("select domain from local_businesses").fetchall() == [("site0.com",)]
    assert db.execute("select domain from domains").fetchall() == [("site0.com",)]


def test_ten_thousand_rows_queued_by_a_single_update_complete_once_each(db):
    add_businesses(db, 10_000)

    db.execute(QUEUE_ALL)
    wait_until(lambda: db.execute(LEFT).fetchone() == (0,), timeout=120)

    runs = db.execute(RUNS).fetchall()
    assert len(runs) == 10_000
    assert {count for _, count in runs} == {1}
    assert db.execute("select count(*), count(distinct domain) from domains").fetchone() == (5_000, 5_000)
    assert db.execute("select count(*) from local_businesses where domain is null").fetchone() == (0,)
    jobs = "select count(*) from engine.job where workflow = 'domain_extraction'"
    assert db.execute(jobs).fetchone() == (0,)


def test_two_businesses_with_one_site_share_its_domain(db):
    add_businesses(db, 2)

    db.execute(QUEUE_ALL)
    wait_until(lambda: db.execute(LEFT).fetchone() == (0,))

    assert db.execute("select domain from local_businesses").fetchall() == [("site0.com",)] * 2
    assert db.execute("select count(*) from domains").fetchone() == (1,)


def test_rows_that_are_inserted_as_queued_complete(db):
    db.execute(
        "insert into local_businesses (website_url, domain_extraction_status) "
        "select 'https://inserted' || n || '.com', 'Queued' from generate_series(1, 10) as n"
    )

    wait_until(lambda: db.execute(LEFT).fetchone() == (0,))

    assert db.execute("select count(*) from domains").fetchone() == (10,)


def test_a_user_in_repeatable_read_can_submit_while_the_engine_works(db, database):
    add_businesses(db, 2_000)
    db.execute(QUEUE_ALL + " where business_name <> 'business 0'")

    with psycopg.connect(database) as careful:
        careful.isolation_level = IsolationLevel.REPEATABLE_READ
        careful.execute("select count(*) from engine.job")  # the snapshot is taken while jobs come and go
        wait_until(lambda: db.execute("select count(*) from domains").fetchone() != (0,))
        careful.execute(QUEUE_ALL + " where business_name = 'business 0'")

    wait_until(lambda: db.execute(LEFT).fetchone() == (0,), timeout=60)


def test_a_user_who_may_only_update_the_status_column_can_submit(db, database):
    add_businesses(db, 1)
    role = sql.Identifier("clerk")
    db.execute(sql.SQL("create role {} login").format(role))
    try:
        db.execute(sql.SQL("grant update (domain_extraction_status) on local_businesses to {}").format(role))

        with psycopg.connect(database, user="clerk", autocommit=True) as clerk:
            clerk.execute(QUEUE_ALL)
        wait_until(lambda: db.execute(LEFT).fetchone() == (0,))

        submitted = db.execute("select role, rows from engine.submission where role = 'clerk'").fetchall()
        assert submitted == [("clerk", 1)]
    finally:
        db.execute(sql.SQL("drop owned by {}").format(role))
        db.execute(sql.SQL("drop role {}").format(role))
