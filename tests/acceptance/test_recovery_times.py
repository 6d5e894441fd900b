"""How long it takes until rows run again. Figures are printed; the bounds are the promises of the README."""

import os
import signal
import time
from itertools import count

import pytest

from tests.acceptance.own_server import clear, sample_server, user_of
from tests.process_support import free_port, registered, wait_for_workers, wait_until

pytestmark = pytest.mark.slow

KILLS = 12
CRASHES = 3
PICKUPS = 20
NUMBERS = count(1)
RUNNING_ON = """
select running.pid from engine.running join samples on samples.id::text = running.pk where samples.name = %s
"""


@pytest.fixture(scope="module")
def postgres():
    with sample_server() as server:
        yield server


@pytest.fixture
def sampling(postgres, ledger):
    clear(postgres)
    return {"DATABASE_URL": postgres.url, "SAMPLE_LEDGER": str(ledger.path), "SCRAPERSKY_THREADS": "2"}


def told(what, seconds):
    """Print p50 and p99, and return the p99."""
    ordered = sorted(seconds)
    p50, p99 = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]
    print(f"{what}: n {len(ordered)}, p50 {p50:.2f} s, p99 {p99:.2f} s, max {ordered[-1]:.2f} s")  # noqa: T201 - the figures
    return p99


def runner_of(rows, name):
    """The process that runs the row now, if there is one."""
    found = rows.connection.execute(RUNNING_ON, [name]).fetchone()
    return found and found[0]


def seconds_until(condition, timeout=20):
    began = time.monotonic()
    wait_until(condition, timeout)
    return time.monotonic() - began


def test_the_row_of_a_killed_worker_runs_again_within_two_seconds(postgres, sampling, gate, processes):
    """The lease is a minute: it is the parent who sees the death."""
    processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="3", SCRAPERSKY_LEASE_SECONDS="60", **sampling)
    taken = []
    with user_of(postgres) as rows:
        for _ in range(KILLS):
            wait_until(lambda: len(registered(rows.connection)) == 3)
            name = f"gated-{next(NUMBERS)}"
            rows.add(name, f"gate {gate}", status="Queued")
            victim = wait_until(lambda: runner_of(rows, name))  # noqa: B023 - asked at once
            os.kill(victim, signal.SIGKILL)
            taken.append(seconds_until(lambda: runner_of(rows, name) not in {None, victim}))  # noqa: B023 - asked at once
            rows.set("Skipped", name)
            gate.touch()
            wait_until(lambda: rows.connection.execute("select count(*) from engine.job").fetchone() == (0,))
            gate.unlink()

    assert told("from kill -9 to the next run", taken) < 2


def test_rows_run_again_within_five_seconds_of_a_crashed_database_accepting_connections(postgres, sampling, processes):
    processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="2", **sampling)
    taken = []
    with user_of(postgres) as rows:
        wait_until(lambda: len(registered(rows.connection)) == 2)
    for _ in range(CRASHES):
        postgres.control("stop", "-m", "immediate")
        postgres.start()
        with user_of(postgres) as rows:
            name = f"row-{next(NUMBERS)}"
            rows.add(name, status="Queued")
            taken.append(seconds_until(lambda: rows.status(name) == "Done"))  # noqa: B023 - asked at once

    assert told("from a database that is back to a row that is done", taken) < 5


def test_after_an_outage_longer_than_every_timeout_all_is_as_if_nothing_had_happened(
    postgres, sampling, gate, ledger, processes
):
    """The longest timeouts, those of statements and idle transactions, are 30 s; a pool waits for 10 s."""
    up = processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="2", **sampling)
    with user_of(postgres) as rows:
        wait_until(lambda: len(registered(rows.connection)) == 2)
        names = rows.add_many("gated", 3, f"gate {gate}")
        rows.queue(*names)
        wait_until(lambda: ledger.names() == set(names))

    postgres.control("stop", "-m", "immediate")
    gate.touch()
    time.sleep(35)  # the outage itself
    children = up.children()
    postgres.start()
    with user_of(postgres) as rows:
        rows.add("after", status="Queued")
        again = seconds_until(lambda: rows.status("after") == "Done", timeout=60)
        rows.wait_for("Done", *names, timeout=60)

        assert [rows.findings(name) for name in names] == [1, 1, 1]
        assert rows.connection.execute("select count(*) from engine.attempt").fetchone() == (0,)
    assert len(children) == 3
    assert all([what for what, _ in ledger.lines(name)] == ["began", "ended"] for name in names)
    assert told("from the end of an outage of 35 s to a row that is done", [again]) < 15


def test_rows_are_picked_up_within_two_seconds_while_the_listener_is_deaf(postgres, sampling, processes):
    """With the usual poll of a second."""
    nobody = f"postgresql://127.0.0.1:{free_port()}/nobody"
    worker = processes.start("tests.sample_worker", **sampling, SCRAPERSKY_POLL_SECONDS="1", LISTEN_DATABASE_URL=nobody)
    taken = []
    with user_of(postgres) as rows:
        wait_for_workers(rows.connection, worker)
        wait_until(lambda: "listener.lost" in worker.output())
        for _ in range(PICKUPS):
            name = f"row-{next(NUMBERS)}"
            rows.add(name, status="Queued")
            taken.append(seconds_until(lambda: rows.status(name) == "Done"))  # noqa: B023 - asked at once

    assert told("from queued to done while deaf", taken) < 2
