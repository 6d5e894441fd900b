"""The queue of notifications belongs to the whole server: others fill it, or stop reading it."""

import contextlib
import signal

import psycopg
import pytest

from tests.acceptance.own_server import clear, sample_server, user_of
from tests.process_support import registered, wait_for_workers, wait_until

pytestmark = pytest.mark.slow

# The least that Postgres allows, half a megabyte; the default is 8 GB.
SMALL_QUEUE = "max_notify_queue_pages = 64\nmax_connections = 60"
NOISE = "select pg_notify('engine', repeat('x', 1000))"
LISTENERS = "select count(*) from pg_stat_activity where application_name = 'scrapersky listener'"
USAGE = "select pg_notification_queue_usage()"


@pytest.fixture(scope="module")
def server():
    with sample_server(SMALL_QUEUE) as server:
        yield server


@pytest.fixture
def rows(server):
    clear(server)
    with user_of(server) as rows:
        yield rows


@pytest.fixture
def sampling(server, ledger, rows):
    return {"DATABASE_URL": server.url, "SAMPLE_LEDGER": str(ledger.path), "SCRAPERSKY_THREADS": "2"}


@pytest.fixture
def full_queue(server):
    """Somebody listens inside a transaction that he has forgotten: nothing that comes after can be thrown away."""
    with (
        psycopg.connect(server.url, autocommit=True) as forgetful,
        psycopg.connect(server.url, autocommit=True) as loud,
    ):
        forgetful.execute("listen anything")
        forgetful.execute("begin")
        forgetful.execute("select 1")
        with contextlib.suppress(psycopg.errors.ProgramLimitExceeded):
            while True:
                loud.execute(
                    "select count(pg_notify('anything', repeat('x', 7000) || n)) from generate_series(1, 5) as n"
                )
        yield


def test_a_user_can_queue_rows_and_they_run_while_the_queue_of_notifications_is_full(
    rows, sampling, processes, full_queue
):
    worker = processes.start("tests.sample_worker", **sampling)
    wait_for_workers(rows.connection, worker)
    names = rows.add_many("row", 100)

    for name in names:
        rows.queue(name)
    rows.wait_for("Done", *names, timeout=30)

    (usage,) = rows.connection.execute(USAGE).fetchone()
    assert usage > 0.9
    rows.pause(paused=True)
    rows.pause(paused=False)


def test_rows_of_a_dead_worker_are_given_back_while_the_queue_of_notifications_is_full(
    rows, sampling, gate, processes, full_queue
):
    processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="1", **sampling)
    rows.add("poison", "kill", status="Queued")

    rows.wait_for("Failed", "poison", timeout=60)


def test_a_process_that_stops_reading_neither_fills_the_queue_for_long_nor_holds_up_the_work(rows, sampling, processes):
    """Stopped with its listener connected, it reads no notification any more; the others go on."""
    frozen, awake = (processes.start("tests.sample_worker", **sampling) for _ in range(2))
    sweeper = processes.start("tests.sample_sweeper", **sampling)
    wait_for_workers(rows.connection, frozen, awake)
    wait_until(lambda: rows.connection.execute(LISTENERS).fetchone() == (2,))
    names = rows.add_many("row", 300)

    def is_cut_off_after_more_noise():
        for _ in range(20):
            rows.connection.execute(NOISE)
        return "listener.cut_off" in sweeper.output()

    frozen.send(signal.SIGSTOP)
    wait_until(is_cut_off_after_more_noise, timeout=60)
    for name in names:
        rows.queue(name)
    rows.wait_for("Done", *names, timeout=60)
    wait_until(lambda: rows.connection.execute(USAGE).fetchone()[0] < 0.1, timeout=30)
    frozen.send(signal.SIGCONT)

    wait_until(lambda: set(registered(rows.connection)) == {frozen.pid, awake.pid})
    wait_until(lambda: rows.connection.execute(LISTENERS).fetchone() == (2,))
