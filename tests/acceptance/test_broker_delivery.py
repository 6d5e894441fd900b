"""One suite over all brokers: whatever carries the nudges, a queued row is run, and run once."""

import psycopg

from tests.broker_support import DOORBELL_ONLY, QUEUE, System
from tests.server_support import wait_until

pytest_plugins = ["tests.broker_fixtures"]


def test_a_row_completes_at_the_ring_of_its_doorbell(system: System) -> None:
    system.settings["SCRAPERSKY_POLL_SECONDS"] = DOORBELL_ONLY
    system.ready()

    system.submit(1)

    system.wait_for_completed(1, timeout=60)


def test_five_thousand_rows_of_one_update_run_once_each_over_two_processes(system: System) -> None:
    system.ready(workers=2)

    system.submit(5000)

    system.wait_for_completed(5000, timeout=60)
    system.assert_each_ran_once(5000)
    assert system.one("select count(distinct worker_id) from engine.attempt") == 2


def test_the_dramatiq_command_runs_the_workers(system: System) -> None:
    system.listener()
    master = system.start("dramatiq", "app.worker", "--processes", "2", "--threads", "2")
    system.wait_for_workers(2)

    system.submit(500)

    system.wait_for_completed(500, timeout=60)
    system.assert_each_ran_once(500)
    assert master.stop() == 0
    assert system.one("select count(*) from engine.worker") == 0


def test_needless_doorbells_and_nudges_are_harmless(system: System) -> None:
    workers = system.ready(workers=2)

    system.submit(100)
    for _ in range(200):
        system.db.execute("select pg_notify('engine', %s)", [QUEUE])
    if system.broker:
        system.nudge(200)

    system.wait_for_completed(100, timeout=60)
    system.assert_each_ran_once(100)
    if system.broker:
        wait_until(lambda: system.outside.waiting(QUEUE) == 0, 60, "all nudges are used up")
    assert all(worker.lives for worker in workers)


def test_rows_of_a_worker_that_was_killed_run_again(system: System, database: str) -> None:
    """The worker is caught in the act: it waits for the lock on the domain that it wants to write."""
    system.listener()
    system.start("app.cli", "work", "--processes", "1")
    system.wait_for_workers(1)
    system.add(1)
    with psycopg.connect(database) as user:
        user.execute(
            "insert into domains (domain) select substring(website_url from 'www.(.*)/') from local_businesses"
        )
        system.queue(1)
        wait_until(lambda: system.one("select count(*) from engine.running"), 60, "the row is running")

        system.kill_process(system.one("select pid from engine.running"))

    system.wait_for_completed(1, timeout=60)
    assert system.one("select array_agg(outcome order by id) from engine.attempt") == ["retried", "completed"]
    assert "its worker process died" in system.one("select error from engine.attempt where outcome = 'retried'")


def test_a_worker_that_is_told_to_stop_leaves_nothing_behind(system: System) -> None:
    first, second = system.ready(workers=2)
    system.submit(2000)

    assert first.stop() == 0

    assert second.lives
    system.wait_for_completed(2000, timeout=60)
    assert system.one("select count(*) from engine.attempt where outcome not in ('completed', 'released')") == 0
    assert system.one("select count(distinct pk) from engine.attempt where outcome = 'completed'") == 2000
