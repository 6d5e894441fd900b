"""An operator takes a worker out of service while others work on: it claims nothing until it is told otherwise."""

import pytest

from tests.process_support import stays, wait_for_open_transactions, wait_for_workers, wait_until

ATTEMPTS = "select count(*) from engine.attempt"


@pytest.fixture
def two(user, rows, run):
    """Two workers that have learned that rows are fast, so that they claim batches."""
    workers = [run("tests.sample_worker", SCRAPERSKY_THREADS="2") for _ in range(2)]
    wait_for_workers(user, *workers)
    fast = rows.add_many("fast", 60)
    rows.queue(*fast)
    rows.wait_for("Done", *fast)
    return workers


def drain(user, worker, *, wanted=True):
    user.execute("update engine.worker set drain_wanted = %s where pid = %s", [wanted, worker.pid])


def running_on(user, worker):
    query = "select count(*) from engine.running where pid = %s"
    return user.execute(query, [worker.pid]).fetchone()[0]


def begun_by(ledger, worker, names):
    return [name for name in names if ("began", worker.pid) in ledger.lines(name)]


def test_a_worker_drained_under_load_loses_nothing_burns_no_attempt_and_takes_nothing_more(two, user, rows, ledger):
    drained, other = two
    names = rows.add_many("row", 400, "sleep 0.02")
    rows.queue(*names)
    wait_until(lambda: running_on(user, drained) and running_on(user, other))

    drain(user, drained)
    wait_for_open_transactions(user)
    wait_until(lambda: running_on(user, drained) == 0)
    begun = begun_by(ledger, drained, names)
    rows.wait_for("Done", *names)

    assert begun_by(ledger, drained, names) == begun
    assert 0 < len(begun) < 400
    assert [len(ledger.lines(name)) for name in names] == [2] * 400
    assert ledger.overlapping() == set()
    assert user.execute(ATTEMPTS).fetchone() == (0,)
    assert drained.process.poll() is None


def test_a_drained_worker_says_so_and_works_again_when_it_is_taken_back(two, user, rows):
    drain(user, two[0])
    drain(user, two[1])
    wait_until(lambda: user.execute("select bool_and(draining) from engine.worker").fetchone() == (True,))
    names = rows.add_many("row", 20)
    rows.queue(*names)
    untouched = stays(lambda: rows.count("Queued") == 20, 1)

    drain(user, two[0], wanted=False)
    rows.wait_for("Done", *names)

    assert untouched
    assert user.execute("select draining from engine.worker order by draining").fetchall() == [(False,), (True,)]


def test_what_runs_finishes_and_what_was_claimed_behind_it_goes_back_with_its_attempt(two, user, rows, gate, ledger):
    drain(user, two[1])
    rows.pause(paused=True)
    rows.add("gated", f"gate {gate}", status="Queued")
    waiting = rows.add_many("waiting", 5)
    rows.queue(*waiting)
    rows.pause(paused=False)
    rows.wait_for("Processing", "gated")

    drain(user, two[0])
    wait_until(lambda: user.execute("select bool_and(draining) from engine.worker").fetchone() == (True,))
    gate.touch()
    rows.wait_for("Done", "gated")
    wait_until(lambda: running_on(user, two[0]) == 0)

    left = [name for name in waiting if rows.status(name) == "Queued"]
    assert [rows.job(name).attempt for name in left] == [0] * len(left)
    assert ledger.names().isdisjoint(left)


def test_beats_of_a_drained_worker_stay_cheap(two, user):
    drain(user, two[0])
    user.execute("select pg_stat_reset_single_table_counters('engine.worker'::regclass)")

    def beats():
        query = "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relid = 'engine.worker'::regclass"
        return user.execute(query).fetchone()

    wait_until(lambda: beats()[0] > 20)
    updates, hot = beats()
    assert hot == updates
