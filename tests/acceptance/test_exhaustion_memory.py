"""A row that takes all memory of its process: it fails in the end, and everybody else completes."""

import pytest

from tests.process_support import registered, wait_until

pytestmark = pytest.mark.slow

HUNGRY = {"SAMPLE_WORKER": "tests.hungry_worker", "SCRAPERSKY_PROCESSES": "1", "SCRAPERSKY_THREADS": "3"}


def test_a_row_that_wants_more_memory_than_there_is_fails_and_says_so(user, rows, run):
    run("tests.sample_up", **HUNGRY)
    rows.add("huge", "huge", status="Queued")
    others = rows.add_many("other", 50)
    rows.queue(*others)

    rows.wait_for("Failed", "huge", timeout=60)
    rows.wait_for("Done", *others)

    assert rows.row("huge").error == "MemoryError: (attempt 3 of 3)"
    assert rows.job("huge").lost == 0


def test_a_row_that_leaves_no_memory_to_the_other_threads_of_its_process_stops_nobody_for_long(user, rows, run):
    run("tests.sample_up", **HUNGRY)
    wait_until(lambda: registered(user))
    slow = rows.add_many("slow", 30, "sleep 0.1")
    fast = rows.add_many("fast", 2000)
    rows.add("hungry", "hungry", status="Queued")
    rows.queue(*slow, *fast)

    rows.wait_for("Failed", "hungry", timeout=90)
    rows.wait_for("Done", *slow, *fast, timeout=90)

    assert all(rows.findings(name) == 1 for name in slow)
    rows.add("later", status="Queued")
    rows.wait_for("Done", "later")


def test_a_row_for_whose_results_there_is_no_memory_does_not_stay_in_processing(user, rows, run):
    """Only its process knows of it, so that process ends, and its parent gives the row back."""
    up = run("tests.sample_up", **HUNGRY)
    rows.add("many", "too many", status="Queued")
    others = rows.add_many("other", 20)
    rows.queue(*others)

    rows.wait_for("Failed", "many", timeout=90)
    rows.wait_for("Done", *others)

    assert rows.row("many").error.startswith("its worker process died, 3 of 3 times")
    assert up.output().count("process.gave_up") == 3
