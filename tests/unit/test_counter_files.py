"""What processes have counted, in real processes that end in different ways."""

import os
import subprocess
import sys

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from app.counter_files import Counters, fold
from tests.process_support import REPOSITORY, clean_environment

COUNT = """
import os, signal
from app import metrics
metrics.outcomes.labels("one", "completed").inc(3)
metrics.work.labels("one").observe(0.2)
metrics.listeners.set(1)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    return tmp_path


def killed_process(directory):
    """The id of a process that counted and was killed."""
    environment = clean_environment(PROMETHEUS_MULTIPROC_DIR=str(directory))
    ended = subprocess.Popen([sys.executable, "-c", COUNT], env=environment, cwd=REPOSITORY)
    assert ended.wait() == -9
    return ended.pid


def scraped():
    registry = CollectorRegistry()
    registry.register(Counters())
    lines = generate_latest(registry).decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def counters(figures):
    return {
        name: value
        for name, value in figures.items()
        if name not in {"scrapersky_listeners", "scrapersky_listener_connected", "scrapersky_listener_awake"}
    }


def test_folding_changes_no_counter_and_forgets_the_gauges(directory):
    first, second = killed_process(directory), killed_process(directory)
    before = scraped()

    fold(first)
    between = scraped()
    fold(second)
    after = scraped()

    assert (before["scrapersky_listeners"], between["scrapersky_listeners"]) == (2, 1)
    assert "scrapersky_listeners" not in after
    assert counters(before) == counters(between) == counters(after)
    assert after['scrapersky_attempts_total{outcome="completed",workflow="one"}'] == 6
    assert after['scrapersky_work_seconds_count{workflow="one"}'] == 2


def test_however_many_processes_die_their_counters_are_two_files(directory):
    for _ in range(3):
        fold(killed_process(directory))

    assert {path.name for path in directory.glob("*.db")} == {"counter_folded.db", "histogram_folded.db"}
    assert scraped()['scrapersky_attempts_total{outcome="completed",workflow="one"}'] == 9


def test_a_process_that_was_killed_while_it_made_its_file_disturbs_nobody(directory):
    killed_process(directory)
    (directory / "counter_4711.db").touch()
    before = scraped()

    fold(4711)

    assert before == scraped()
    assert not (directory / "counter_4711.db").exists()


def test_a_file_that_makes_no_sense_is_put_aside(directory):
    fold(killed_process(directory))
    before = scraped()
    (directory / "counter_4711.db").write_bytes(os.urandom(4096))

    fold(4711)

    assert scraped() == before


def test_a_process_that_counted_nothing_is_folded_too(directory):
    fold(4711)

    assert scraped() == {}
