"""The database goes away and comes back. A server of its own, because these tests stop it."""

import os
import shutil
import signal
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate
from tests.acceptance.sample_rows import SampleRows
from tests.process_support import stays, wait_for_workers, wait_until
from tests.samples import create_sample_tables, sample_workflow

LEASE_SECONDS = 1.0


@pytest.fixture(scope="module")
def postgres():
    home = Path(tempfile.mkdtemp(prefix="scrapersky-outage-"))
    home.chmod(0o711)
    embedded = EmbeddedPostgres(home)
    with embedded.use() as url:
        create_sample_tables(url)
        migrate(url, [*WORKFLOWS, sample_workflow()], Settings().default_tenant_id)
        yield embedded
    shutil.rmtree(home)


@pytest.fixture
def clean(postgres):
    """Nothing of an earlier test is left, and the server runs again for the next one."""
    with connected(postgres) as rows:
        rows.connection.execute("truncate samples, findings, engine.job, engine.worker, engine.attempt")
    yield
    postgres.start()


@pytest.fixture
def sampling(postgres, ledger, clean):
    return {"DATABASE_URL": postgres.url, "SAMPLE_LEDGER": str(ledger.path), "SCRAPERSKY_THREADS": "2"}


@contextmanager
def connected(postgres):
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        yield SampleRows(connection)


def backends(postgres):
    """The postmaster and everything that it started."""
    postmaster = int((postgres.data / "postmaster.pid").read_text().splitlines()[0])
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    return [postmaster, *map(int, children)]


def signal_all(processes, number):
    for process in processes:
        with suppress(ProcessLookupError):  # a session that was just ending
            os.kill(process, number)


def test_a_restart_of_postgres_under_load_loses_nothing_and_runs_nothing_twice_at_once(
    postgres, ledger, sampling, processes
):
    processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="2", **sampling)
    with connected(postgres) as rows:
        names = rows.add_many("row", 300, "sleep 0.02")
        rows.queue(*names)
        wait_until(lambda: rows.count("Done") > 20)

    postgres.control("restart", "-m", "immediate")

    with connected(postgres) as rows:
        done_at_the_restart = rows.count("Done")
        rows.wait_for("Done", *names, timeout=60)
        assert all(rows.findings(name) == 1 for name in names)
        wait_until(lambda: rows.connection.execute("select count(*) from engine.job").fetchone() == (0,))
    assert done_at_the_restart < len(names)
    assert ledger.names() == set(names)
    assert ledger.overlapping() == set()


def test_an_outage_of_three_leases_makes_no_live_worker_dead(postgres, ledger, gate, sampling, processes):
    worker = processes.start("tests.sample_worker", **sampling)
    processes.start("tests.sample_sweeper", **sampling)
    with connected(postgres) as rows:
        wait_for_workers(rows.connection, worker)
        rows.add("a", f"gate {gate}", status="Queued")
        rows.wait_for("Processing", "a")

    postgres.control("stop", "-m", "immediate")
    nothing_came_back = stays(lambda: not postgres.is_running(), 3 * LEASE_SECONDS)
    postgres.start()

    with connected(postgres) as rows:
        still_its_own = stays(lambda: rows.job("a") == (1, 0, False, True), 3 * LEASE_SECONDS)
        gate.touch()
        rows.wait_for("Done", "a")
        assert rows.row("a").note == f"found by {worker.pid}"
    assert nothing_came_back
    assert still_its_own
    assert [what for what, _ in ledger.lines("a")] == ["began", "ended"]
    assert "worker.was_declared_dead" not in worker.output()


def test_a_database_that_answers_nothing_for_three_leases_makes_no_live_worker_dead(
    postgres, ledger, gate, sampling, processes
):
    worker = processes.start("tests.sample_worker", **sampling)
    processes.start("tests.sample_sweeper", **sampling)
    with connected(postgres) as rows:
        wait_for_workers(rows.connection, worker)
        rows.add("a", f"gate {gate}", status="Queued")
        rows.wait_for("Processing", "a")

    frozen = backends(postgres)
    signal_all(frozen, signal.SIGSTOP)
    time.sleep(3 * LEASE_SECONDS)  # the outage itself: nothing can be asked
    signal_all(frozen, signal.SIGCONT)

    with connected(postgres) as rows:
        still_its_own = stays(lambda: rows.job("a") == (1, 0, False, True), 3 * LEASE_SECONDS)
        gate.touch()
        rows.wait_for("Done", "a")
    assert still_its_own
    assert [what for what, _ in ledger.lines("a")] == ["began", "ended"]


def test_a_row_that_ends_during_an_outage_is_recorded_after_it(postgres, ledger, gate, sampling, processes):
    worker = processes.start("tests.sample_worker", **sampling)
    with connected(postgres) as rows:
        wait_for_workers(rows.connection, worker)
        rows.add("a", f"gate {gate}", status="Queued")
        rows.wait_for("Processing", "a")

    postgres.control("stop", "-m", "immediate")
    gate.touch()
    wait_until(lambda: len(ledger.lines("a")) == 2)
    postgres.start()

    with connected(postgres) as rows:
        rows.wait_for("Done", "a", timeout=60)
        assert rows.row("a").note == f"found by {worker.pid}"
    assert [what for what, _ in ledger.lines("a")] == ["began", "ended"]


def test_a_worker_that_is_started_during_an_outage_works_when_the_database_is_back(postgres, sampling, processes):
    with connected(postgres) as rows:
        rows.add("a", status="Queued")
    postgres.control("stop", "-m", "fast")

    supervisor = processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="1", **sampling)
    wait_until(lambda: "connecting in 'worker'" in supervisor.output() or "process.died" in supervisor.output())
    postgres.start()

    with connected(postgres) as rows:
        rows.wait_for("Done", "a", timeout=60)


def test_a_worker_that_dies_during_an_outage_is_buried_after_it(postgres, gate, sampling, processes):
    processes.start("tests.sample_up", SCRAPERSKY_PROCESSES="1", SCRAPERSKY_LEASE_SECONDS="60", **sampling)
    with connected(postgres) as rows:
        rows.add("a", f"gate {gate}", status="Queued")
        rows.wait_for("Processing", "a")
        (victim,) = rows.connection.execute("select pid from engine.running").fetchone()

    postgres.control("stop", "-m", "immediate")
    os.kill(victim, signal.SIGKILL)
    gate.touch()
    postgres.start()

    with connected(postgres) as rows:
        rows.wait_for("Done", "a", timeout=60)
        assert rows.row("a").note != f"found by {victim}"
