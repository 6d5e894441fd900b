"""Operators steer with SQL: pausing and limits take effect at once, without a restart."""

import pytest

from tests.process_support import stays, wait_for_workers, wait_until


@pytest.fixture
def workers(user, run):
    # They poll so rarely that only the doorbell of the changed control can be the reason.
    quiet = {"SCRAPERSKY_POLL_SECONDS": "3600", "SCRAPERSKY_THREADS": "4"}
    workers = [run("tests.sample_worker", **quiet) for _ in range(2)]
    wait_for_workers(user, *workers)
    listening = "select count(*) from pg_stat_activity where application_name = 'scrapersky listener' and datname = %s"
    wait_until(lambda: user.execute(listening, [user.info.dbname]).fetchone() == (2,))
    return workers


def limit(user, in_flight):
    user.execute("update engine.workflow set max_in_flight = %s where name = 'sampling'", [in_flight])


def test_while_a_workflow_is_paused_nothing_starts_and_after_it_everything_does(workers, rows, ledger):
    rows.pause(paused=True)
    names = rows.add_many("row", 20)
    rows.queue(*names)
    nothing_started = stays(lambda: rows.count("Queued") == 20, 1.5)

    rows.pause(paused=False)
    rows.wait_for("Done", *names, timeout=5)

    assert nothing_started
    assert ledger.names() == set(names)


def test_a_pause_takes_effect_within_a_second(workers, rows):
    names = rows.add_many("row", 100, "sleep 0.1")
    rows.queue(*names)
    wait_until(lambda: rows.count("Done"))

    rows.pause(paused=True)
    wait_until(lambda: rows.count("Processing") == 0, timeout=1.5)
    done = rows.count("Done")

    assert stays(lambda: rows.count("Done") == done and rows.count("Processing") == 0, 1)
    assert done < 100
    rows.pause(paused=False)
    rows.wait_for("Done", *names)


def test_a_lowered_limit_is_kept_exactly_by_all_processes_together(workers, user, rows):
    names = rows.add_many("row", 40, "sleep 0.1")
    rows.queue(*names)
    wait_until(lambda: rows.count("Processing") > 2)

    limit(user, 2)
    wait_until(lambda: rows.count("Processing") <= 2, timeout=1.5)

    most = 0
    while rows.count("Done") < 40:
        most = max(most, rows.count("Processing"))
    assert most == 2


def test_a_limit_of_nought_stops_the_workflow_and_a_higher_one_starts_it_again(workers, user, rows):
    limit(user, 0)
    names = rows.add_many("row", 10)
    rows.queue(*names)
    nothing_started = stays(lambda: rows.count("Queued") == 10, 1)

    limit(user, 5)
    rows.wait_for("Done", *names, timeout=5)

    assert nothing_started


def test_a_lowered_number_of_attempts_counts_for_the_next_attempt(workers, user, rows):
    user.execute("update engine.workflow set max_attempts = 1 where name = 'sampling'")

    rows.add("a", "fail broken", status="Queued")
    rows.wait_for("Failed", "a", timeout=5)

    assert rows.row("a").error == "ValueError: broken (attempt 1 of 1)"
