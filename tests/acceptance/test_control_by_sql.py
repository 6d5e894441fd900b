"""Operators steer with SQL: pausing and limits take effect at once, without a restart."""

import psycopg
import pytest

from tests.process_support import stays, wait_for_open_transactions, wait_for_workers, wait_until

LISTENERS = """
select count(*) from pg_stat_activity where application_name = 'scrapersky listener' and datname = current_database()
"""


@pytest.fixture(scope="module")
def workers(shared_samples, shared_processes):
    """They poll so rarely that only the doorbell of a changed control can be the reason for what they do."""
    quiet = {"SCRAPERSKY_POLL_SECONDS": "3600", "SCRAPERSKY_THREADS": "4"}
    workers = [shared_processes.start("tests.sample_worker", DATABASE_URL=shared_samples, **quiet) for _ in range(2)]
    with psycopg.connect(shared_samples, autocommit=True) as connection:
        wait_for_workers(connection, *workers)
        wait_until(lambda: connection.execute(LISTENERS).fetchone() == (2,))
    return workers


@pytest.fixture
def samples(workers, shared_samples):
    """Without the rows and the orders of earlier tests."""
    with psycopg.connect(shared_samples, autocommit=True) as connection:
        connection.execute("truncate samples, findings, engine.job")
        connection.execute("update engine.workflow set paused = false, max_in_flight = null, max_attempts = null")
    return shared_samples


def limit(user, in_flight):
    user.execute("update engine.workflow set max_in_flight = %s where name = 'sampling'", [in_flight])


def test_while_a_workflow_is_paused_nothing_starts_and_after_it_everything_does(rows):
    rows.pause(paused=True)
    names = rows.add_many("row", 20)
    rows.queue(*names)
    nothing_started = stays(lambda: rows.count("Queued") == 20, 1.5)

    rows.pause(paused=False)
    rows.wait_for("Done", *names)

    assert nothing_started


def test_a_pause_lets_nothing_more_start(user, rows):
    names = rows.add_many("row", 300, "sleep 0.1")
    rows.queue(*names)
    wait_until(lambda: rows.count("Done"))

    rows.pause(paused=True)
    wait_for_open_transactions(user)
    wait_until(lambda: rows.count("Processing") == 0)
    done = rows.count("Done")

    assert stays(lambda: rows.count("Done") == done and rows.count("Processing") == 0, 1)
    assert done < 300
    rows.pause(paused=False)
    rows.wait_for("Done", *names)


def test_a_lowered_limit_is_kept_exactly_by_all_processes_together(user, rows, gate):
    names = rows.add_many("gated", 8, f"gate {gate}") + rows.add_many("row", 40, "sleep 0.1")
    rows.queue(*names)
    wait_until(lambda: rows.count("Processing") > 2)

    limit(user, 2)
    wait_for_open_transactions(user)
    gate.touch()
    wait_until(lambda: rows.count("Processing") <= 2)

    most = 0
    while rows.count("Done") < len(names):
        most = max(most, rows.count("Processing"))
    assert most == 2


def test_a_limit_of_nought_stops_the_workflow_and_a_higher_one_starts_it_again(user, rows):
    limit(user, 0)
    names = rows.add_many("row", 10)
    rows.queue(*names)
    nothing_started = stays(lambda: rows.count("Queued") == 10, 1)

    limit(user, 5)
    rows.wait_for("Done", *names)

    assert nothing_started


def test_a_lowered_number_of_attempts_counts_for_the_next_attempt(user, rows):
    user.execute("update engine.workflow set max_attempts = 1 where name = 'sampling'")

    rows.add("a", "fail broken", status="Queued")
    rows.wait_for("Failed", "a")

    assert rows.row("a").error == "ValueError: broken (attempt 1 of 1)"
