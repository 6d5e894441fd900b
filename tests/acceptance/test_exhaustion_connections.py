"""No connection is left, or somebody sits on a lock for ever: work waits, and nothing is lost or done twice."""

import contextlib

import psycopg
import pytest

from tests.acceptance.own_server import clear, sample_server, user_of
from tests.process_support import registered, stays, wait_until

pytestmark = pytest.mark.slow

MOST_CONNECTIONS = 25
CUT_OFF = "select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name like 'scrapersky %'"


@pytest.fixture(scope="module")
def small():
    with sample_server(f"max_connections = {MOST_CONNECTIONS}") as server:
        yield server


@pytest.fixture
def rows(small):
    clear(small)
    with user_of(small) as rows:
        yield rows


@pytest.fixture
def up(small, rows, ledger, processes):
    """A running system of two worker processes."""
    settings = {"DATABASE_URL": small.url, "SAMPLE_LEDGER": str(ledger.path), "SCRAPERSKY_THREADS": "2"}
    started = processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="2", **settings)
    wait_until(lambda: len(registered(rows.connection)) == 2)
    return started


@contextlib.contextmanager
def every_connection_taken(server, rows):
    """Somebody else's program takes them all but one user's, and ours are cut off."""
    with contextlib.ExitStack() as closing:
        taken = []

        def take_all():
            rows.connection.execute(CUT_OFF)
            with contextlib.suppress(psycopg.OperationalError):
                while len(taken) < MOST_CONNECTIONS - 1:
                    taken.append(closing.enter_context(psycopg.connect(server.url, application_name="greedy")))
            return len(taken) == MOST_CONNECTIONS - 1

        wait_until(take_all)
        yield


def test_rows_that_run_while_no_connection_is_left_complete_once_when_there_are_some_again(
    small, rows, gate, ledger, up
):
    names = rows.add_many("gated", 4, f"gate {gate}")
    rows.queue(*names)
    rows.wait_for("Processing", *names)
    wait_until(lambda: ledger.names() == set(names))

    with every_connection_taken(small, rows):
        gate.touch()
        kept_waiting = stays(lambda: rows.count("Processing") == 4, 3)
    rows.wait_for("Done", *names, timeout=60)

    assert kept_waiting
    assert [rows.findings(name) for name in names] == [1] * 4
    assert ledger.overlapping() == set()
    assert up.process.poll() is None


def test_rows_that_are_queued_while_no_connection_is_left_run_when_there_are_some_again(small, rows, ledger, up):
    names = rows.add_many("row", 200)

    with every_connection_taken(small, rows):
        rows.queue(*names)
        untouched = stays(lambda: rows.count("Queued") == 200, 2)
    rows.wait_for("Done", *names, timeout=60)

    assert untouched
    assert [ledger.lines(name)[0][0] for name in names] == ["began"] * 200
    assert all(len(ledger.lines(name)) == 2 for name in names)


def test_workers_that_start_while_no_connection_is_left_work_when_there_are_some_again(small, rows, processes):
    names = rows.add_many("row", 20)
    rows.queue(*names)

    with every_connection_taken(small, rows):
        processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="2", DATABASE_URL=small.url)
        nobody = stays(lambda: registered(rows.connection) == [], 3)
    rows.wait_for("Done", *names, timeout=60)

    assert nobody


def test_a_user_idle_in_transaction_with_locked_rows_holds_up_those_rows_alone(small, rows, up):
    held, free = rows.add_many("held", 20), rows.add_many("free", 2000)
    rows.pause(paused=True)
    rows.queue(*held, *free)

    with psycopg.connect(small.url) as idle:
        idle.execute("update samples set note = 'mine' where name = any(%s)", [held])
        rows.pause(paused=False)
        rows.wait_for("Done", *free, timeout=60)
        meanwhile = {rows.status(name) for name in held}
        idle.rollback()
    rows.wait_for("Done", *held)

    assert meanwhile == {"Queued"}
    assert all(rows.findings(name) == 1 for name in (*held, *free))
    assert rows.connection.execute("select count(*) from engine.attempt").fetchone() == (0,)


def test_a_table_that_an_idle_user_has_locked_is_waited_for_without_a_burnt_attempt(small, rows, gate, up):
    rows.add("running", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "running")
    rows.add("waiting", f"gate {gate}", status="Queued")

    with psycopg.connect(small.url) as idle:
        idle.execute("lock table samples in share row exclusive mode")
        gate.touch()
        untouched = stays(lambda: rows.count("Done") == 0, 3)
        idle.rollback()
    rows.wait_for("Done", "running", "waiting", timeout=30)

    assert untouched
    assert rows.connection.execute("select count(*) from engine.attempt").fetchone() == (0,)
    assert [rows.findings(name) for name in ("running", "waiting")] == [1, 1]


def test_a_user_who_is_idle_with_a_snapshot_of_the_past_holds_up_nobody(small, rows, up):
    names = rows.add_many("row", 3000)

    with psycopg.connect(small.url) as idle:
        idle.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        idle.execute("select count(*) from samples")
        rows.queue(*names)
        rows.wait_for("Done", *names, timeout=60)
        seen = idle.execute("select count(*) from samples where status is null").fetchone()

    assert seen == (3000,)
