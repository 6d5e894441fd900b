"""Anybody who can connect can ring any doorbell: a flood of forged ones costs time, and nothing else."""

import pytest

from tests.process_support import stays, wait_for_workers, wait_until

pytestmark = pytest.mark.slow

FLOOD = 100_000
FORGE = "select count(pg_notify('engine', %s || number)) from generate_series(1, %s) as number"
UNKNOWN = (
    "no_such_workflow ",
    "sampling'; drop table samples; -- ",
    "../../sampling ",
    "echo 00000000-0000-4000-8000-",
)
LISTENERS = """
select count(*) from pg_stat_activity where application_name = 'scrapersky listener' and datname = current_database()
"""


def test_a_hundred_thousand_forged_notifications_break_nothing_and_nudge_nobody(user, rows, run):
    worker = run("tests.sample_worker", SCRAPERSKY_THREADS="2")
    wait_for_workers(user, worker)
    names = rows.add_many("row", 200)
    before = user.execute("select array_agg(name order by name) from engine.workflow").fetchone()

    for payload in UNKNOWN:
        user.execute(FORGE, [payload, FLOOD // len(UNKNOWN)])
    rows.queue(*names)
    rows.wait_for("Done", *names, timeout=60)
    wait_until(lambda: user.execute("select pg_notification_queue_usage()").fetchone()[0] < 0.01)

    assert worker.process.poll() is None
    assert user.execute("select array_agg(name order by name) from engine.workflow").fetchone() == before
    assert "nudge.failed" not in worker.output()
    assert not any(payload in worker.output() for payload in UNKNOWN)
    wait_until(lambda: user.execute(LISTENERS).fetchone() == (1,))


def test_a_flood_of_doorbells_for_rows_that_nobody_queued_starts_nothing(user, rows, ledger, run):
    worker = run("tests.sample_worker", SCRAPERSKY_THREADS="2")
    wait_for_workers(user, worker)
    rows.add_many("idle", 50)

    for _ in range(2000):
        user.execute("notify engine, 'sampling'")
    quiet = stays(lambda: ledger.names() == set(), 0.5)
    rows.add("wanted", status="Queued")
    rows.wait_for("Done", "wanted")

    assert quiet
    assert ledger.names() == {"wanted"}
