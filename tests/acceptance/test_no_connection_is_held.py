"""While a workflow runs, its worker holds no connection and no transaction.

The rows run until a gate opens, so a connection that one of them holds stays held: one moment without any proves it.
The listener of the same process may borrow one at any time, which is why no such moment lasts.
"""

import pytest
from dramatiq import Worker

from app.broker import make_broker
from app.config import Settings
from app.process import Process
from tests.process_support import wait_for_workers, wait_until
from tests.samples import sample_workflow

OPEN_TRANSACTIONS = """
select application_name, state, query from pg_stat_activity
where datname = current_database() and application_name like 'scrapersky %' and state <> 'idle'
"""


@pytest.fixture
def process(samples, user, ledger, monkeypatch):
    """A worker in this very process, so that its pool can be looked at. It hardly ever polls."""
    monkeypatch.setenv("SAMPLE_LEDGER", str(ledger.path))
    settings = Settings(
        database_url=samples, threads=2, beat="0.2", lease="1", poll="3600", echo="3600", metrics_port=0
    )
    process = Process(settings, [sample_workflow()])
    broker = make_broker(settings, [process])
    process.bind(broker)
    worker = Worker(broker, worker_threads=2, worker_timeout=100)
    worker.start()
    yield process
    worker.stop()
    broker.close()


def is_whole(pool):
    """Every connection of the pool lies in it."""
    stats = pool.get_stats()
    return stats["pool_available"] == stats["pool_size"] > 0 and stats.get("requests_waiting", 0) == 0


def test_the_pool_is_whole_while_rows_run(process, rows, gate, ledger):
    pool = process.runners["sampling"].around.pool
    names = rows.add_many("gated", 2, f"gate {gate}")
    rows.queue(*names)
    wait_until(lambda: ledger.names() == set(names))

    wait_until(lambda: is_whole(pool))
    still_running = rows.count("Processing")
    gate.touch()
    rows.wait_for("Done", *names)

    assert still_running == 2


def test_a_pool_with_a_connection_out_is_not_whole(process):
    """The proof above could not fail if a borrowed connection did not show."""
    pool = process.runners["sampling"].around.pool
    wait_until(lambda: is_whole(pool))

    with pool.connection():
        assert not is_whole(pool)


def test_the_pool_is_taken_from_when_results_are_recorded(process, rows):
    """The proof above could not fail if rows never touched this pool."""
    pool = process.runners["sampling"].around.pool
    before = pool.get_stats().get("requests_num", 0)

    rows.add("a", status="Queued")
    rows.wait_for("Done", "a")

    assert pool.get_stats()["requests_num"] >= before + 2


def test_the_server_sees_no_open_transaction_of_a_worker_while_rows_run(user, rows, gate, run, ledger):
    quiet = {"SCRAPERSKY_POLL_SECONDS": "3600", "SCRAPERSKY_ECHO_SECONDS": "3600", "SCRAPERSKY_BEAT_SECONDS": "3600"}
    worker = run("tests.sample_worker", SCRAPERSKY_LEASE_SECONDS="10800", SCRAPERSKY_THREADS="3", **quiet)
    wait_for_workers(user, worker)
    names = rows.add_many("gated", 3, f"gate {gate}")
    rows.queue(*names)
    wait_until(lambda: ledger.names() == set(names))

    wait_until(lambda: user.execute(OPEN_TRANSACTIONS).fetchall() == [])
    still_running = rows.count("Processing")
    gate.touch()
    rows.wait_for("Done", *names)

    assert still_running == 3
