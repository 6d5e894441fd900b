"""What goes wrong is counted where it goes wrong, in files that a death leaves behind."""

import signal

import pytest
from prometheus_client import CollectorRegistry

from app.counter_files import Counters
from tests.process_support import wait_for_workers, wait_until


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """What all processes of the test have counted: `counted("attempts_total", workflow=…, outcome=…)`."""
    directory = tmp_path / "counters"
    directory.mkdir()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(directory))
    registry = CollectorRegistry()
    registry.register(Counters())
    return lambda name, **labels: registry.get_sample_value(f"scrapersky_{name}", labels)


@pytest.fixture
def start(run, counted, tmp_path):
    """Processes that count in the directory of the test."""
    return lambda module: run(module, PROMETHEUS_MULTIPROC_DIR=str(tmp_path / "counters"))


def test_a_worker_that_slept_is_counted_as_buried_as_self_fenced_and_its_late_result_as_refused(
    user, rows, start, gate, counted
):
    sleeper = start("tests.sample_worker")
    wait_for_workers(user, sleeper)
    rows.add("a", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "a")

    sleeper.send(signal.SIGSTOP)
    start("tests.sample_sweeper")
    wait_for_workers(user, start("tests.sample_worker"))
    wait_until(lambda: counted("rescues_total", workflow="sampling", outcome="retried"))
    gate.touch()
    rows.wait_for("Done", "a")
    sleeper.send(signal.SIGCONT)

    wait_until(lambda: counted("attempts_total", workflow="sampling", outcome="stale"))
    wait_until(lambda: counted("self_fenced_total"))
    assert counted("workers_buried_total", by="sweeper") >= 1
    assert counted("attempts_total", workflow="sampling", outcome="completed") == 1


def test_a_process_that_gives_itself_up_has_counted_it_before_it_ends(user, rows, start, counted):
    worker = start("tests.unruly_worker")
    wait_for_workers(user, worker)

    rows.add("a", "stuck", status="Queued")
    assert worker.exit_code() == 70

    assert counted("gave_up_total", reason="time_limit") == 1


def test_a_row_that_is_stopped_at_its_time_limit_is_counted(user, rows, start, counted):
    wait_for_workers(user, start("tests.unruly_worker"))

    rows.add("a", "sleep 3600", status="Queued")

    wait_until(lambda: counted("time_limits_exceeded_total", workflow="sampling"))
    assert counted("attempts_total", workflow="sampling", outcome="completed") is None
