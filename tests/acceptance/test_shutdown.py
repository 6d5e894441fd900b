"""SIGTERM: stop claiming, finish what runs, give back what has not started. Nothing is left in Processing."""

import signal
import time

import pytest

from tests.process_support import registered, stays, wait_for_workers, wait_until


@pytest.fixture
def worker(user, rows, run):
    """A worker that has learned that rows are fast, so that it claims batches."""
    worker = run("tests.sample_worker")
    wait_for_workers(user, worker)
    fast = rows.add_many("fast", 60)
    rows.queue(*fast)
    rows.wait_for("Done", *fast)
    return worker


def hold_a_batch(rows, gate):
    """A gated row that runs, and behind it five that are claimed and have not started."""
    rows.pause(paused=True)
    rows.add("gated", f"gate {gate}", status="Queued")
    waiting = rows.add_many("waiting", 5)
    rows.queue(*waiting)
    rows.pause(paused=False)
    rows.wait_for("Processing", "gated", *waiting)
    return waiting


def test_the_running_row_finishes_and_the_rest_of_its_batch_is_released(worker, user, rows, gate, ledger):
    waiting = hold_a_batch(rows, gate)

    worker.send(signal.SIGTERM)
    wait_until(lambda: user.execute("select draining from engine.worker").fetchone() == (True,))
    gate.touch()
    code = worker.exit_code()

    assert code == 0
    assert rows.status("gated") == "Done"
    assert [rows.status(name) for name in waiting] == ["Queued"] * 5
    assert [rows.job(name).attempt for name in waiting] == [0] * 5
    assert ledger.names().isdisjoint(waiting)
    assert registered(user) == []


def test_after_the_drain_time_the_running_row_is_interrupted_and_released(worker, user, rows, gate, ledger):
    waiting = hold_a_batch(rows, gate)

    worker.send(signal.SIGTERM)
    began = time.monotonic()
    code = worker.exit_code()

    assert code == 0
    assert time.monotonic() - began > 2.5  # the drain time is 3 s
    assert rows.status("gated") == "Queued"
    assert rows.job("gated").attempt == 0
    assert [rows.status(name) for name in waiting] == ["Queued"] * 5
    assert rows.row("gated").error is None
    assert registered(user) == []


def test_a_second_signal_stops_a_worker_at_once(worker, user, rows, gate):
    hold_a_batch(rows, gate)

    worker.send(signal.SIGTERM)
    wait_until(lambda: user.execute("select draining from engine.worker").fetchone() == (True,))
    worker.send(signal.SIGTERM)

    assert worker.exit_code() == 128 + signal.SIGTERM, "after the drain time it would have ended with 0"


def test_a_draining_worker_claims_nothing(worker, user, rows, gate):
    hold_a_batch(rows, gate)

    worker.send(signal.SIGTERM)
    wait_until(lambda: user.execute("select draining from engine.worker").fetchone() == (True,))
    rows.add("late", status="Queued")
    left_alone = stays(lambda: rows.status("late") == "Queued", 1)
    gate.touch()
    worker.exit_code()

    assert left_alone
    assert rows.status("late") == "Queued"


def test_an_idle_worker_stops(worker, user):
    worker.send(signal.SIGTERM)

    assert worker.exit_code() == 0
    assert registered(user) == []


def test_a_worker_that_is_told_to_stop_while_it_starts_leaves_the_register(user, rows, run):
    with user.transaction():
        user.execute("lock table engine.workflow")  # a start looks at it, right after the worker has registered
        worker = run("tests.sample_worker")
        wait_until(lambda: registered(user))
        worker.send(signal.SIGTERM)

    assert worker.exit_code() == 0
    assert registered(user) == []


def test_a_worker_that_is_told_to_stop_while_its_registration_fails_does_not_try_again(user, rows, run):
    waits = "select from pg_locks where relation = 'engine.worker_elsewhere'::regclass and not granted"
    with user.transaction():
        user.execute("alter table engine.worker rename to worker_elsewhere")
        worker = run("tests.sample_worker")
        wait_until(lambda: user.execute(waits).fetchone() is not None)
        worker.send(signal.SIGTERM)

    assert worker.exit_code() == 128 + signal.SIGTERM  # its supervisor takes it for one that may be registered
    assert user.execute("select from engine.worker_elsewhere").fetchall() == []


@pytest.fixture
def supervisor(user, rows, run):
    supervisor = run("tests.sample_up", SCRAPERSKY_PROCESSES="2")
    wait_until(lambda: len(registered(user)) == 2)
    return supervisor


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_after_up_is_stopped_nothing_runs_and_nobody_is_registered(supervisor, user, rows, number):
    names = rows.add_many("slow", 50, "sleep 0.3")
    rows.queue(*names)
    wait_until(lambda: rows.count("Processing"))

    supervisor.send(number)
    code = supervisor.exit_code()

    assert code == 0
    assert rows.count("Processing") == 0
    assert rows.count("Done") + rows.count("Queued") == 50
    assert registered(user) == []
    assert user.execute("select count(*) from engine.job where attempt > 0 or lost > 0").fetchone() == (0,)


def test_a_second_signal_stops_up_at_once_and_its_rows_are_released(supervisor, user, rows, gate):
    names = rows.add_many("gated", 2, f"gate {gate}")
    rows.queue(*names)
    rows.wait_for("Processing", *names)

    supervisor.send(signal.SIGINT)
    wait_until(lambda: "supervisor.draining" in supervisor.output())
    supervisor.send(signal.SIGINT)

    assert supervisor.exit_code() == 130
    assert [rows.status(name) for name in names] == ["Queued"] * 2
    assert [rows.job(name)[:2] for name in names] == [(0, 0)] * 2
    assert registered(user) == []


def test_a_row_that_was_locked_when_up_was_stopped_completes_after_the_next_start(supervisor, user, rows, gate, run):
    rows.add("locked", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "locked")

    with user.transaction():
        user.execute("select from samples where name = 'locked' for update")
        gate.touch()
        supervisor.send(signal.SIGTERM)
        code = supervisor.exit_code()
    left_registered = registered(user)
    run("tests.sample_up", SCRAPERSKY_PROCESSES="1")
    rows.wait_for("Done", "locked")

    assert (code, left_registered) == (0, [])
    assert rows.findings("locked") == 1
