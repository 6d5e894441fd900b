"""Rows that take too long, that can not be stopped, or that try to take the process with them."""

import json

import pytest

from tests.process_support import wait_for_workers, wait_until

LOOPS_FOR_EVER = "sleep 3600"
LIMITS = json.dumps({"time_limit": 0.5, "rescue_after": 5})


def attempts(user):
    return user.execute("select attempt, outcome, error from engine.attempt order by id").fetchall()


def test_a_row_that_loops_is_stopped_at_its_time_limit_and_retried(user, rows, run):
    user.execute("update engine.workflow set max_attempts = 2 where name = 'sampling'")
    worker = run("tests.sample_worker", SAMPLE_LIMITS=LIMITS)
    wait_for_workers(user, worker)

    rows.add("a", LOOPS_FOR_EVER, status="Queued")
    wait_until(lambda: attempts(user))
    after_the_first = rows.row("a").error
    rows.wait_for("Failed", "a")

    assert after_the_first == "took longer than its time limit of 0.5 s (attempt 1 of 2)"
    assert rows.row("a").error == "took longer than its time limit of 0.5 s (attempt 2 of 2)"
    assert [outcome for _, outcome, _ in attempts(user)] == ["retried", "failed"]


def test_the_thread_of_a_stopped_row_goes_on_with_the_next(user, rows, run):
    worker = run("tests.sample_worker", SAMPLE_LIMITS=LIMITS)
    wait_for_workers(user, worker)
    rows.add("a", LOOPS_FOR_EVER, status="Queued")
    rows.wait_for("Processing", "a")

    rows.add("b", status="Queued")
    rows.wait_for("Done", "b")

    assert rows.row("b").note == f"found by {worker.pid}"


def test_a_row_that_can_not_be_stopped_ends_its_process_with_a_dump_of_the_stack(user, rows, run):
    worker = run("tests.unruly_worker")
    wait_for_workers(user, worker)

    rows.add("a", "stuck", status="Queued")
    code = worker.exit_code()

    assert code == 70
    assert "process.gave_up workflow=sampling" in worker.output()
    assert "in block_for_ever" in worker.output()


def test_a_worker_that_gave_itself_up_is_restarted_and_the_row_fails_for_good_in_the_end(rows, run):
    supervisor = run("tests.sample_up", SAMPLE_WORKER="tests.unruly_worker", SCRAPERSKY_PROCESSES="1")
    rows.add("a", "stuck", status="Queued")

    rows.wait_for("Failed", "a", timeout=60)
    rows.add("b", status="Queued")
    rows.wait_for("Done", "b")

    assert "its worker process died" in rows.row("a").error
    assert supervisor.output().count("code=70") == 3


@pytest.mark.parametrize("result", ["rubbish", "huge"])
def test_a_result_that_can_not_be_stored_fails_its_row_alone(user, rows, run, result):
    worker = run("tests.unruly_worker")
    wait_for_workers(user, worker)

    rows.add("a", result, status="Queued")
    rows.wait_for("Failed", "a")
    rows.add("b", status="Queued")
    rows.wait_for("Done", "b")

    assert rows.row("a").error.startswith("the result could not be stored: ")
    assert rows.row("b").note == f"found by {worker.pid}"


def test_a_result_that_a_users_trigger_refuses_fails_its_row_with_the_triggers_words(user, rows, run):
    user.execute(
        "create function refuse() returns trigger language plpgsql as "
        "$$ begin raise exception 'not on a Sunday'; end $$"
    )
    user.execute(
        "create trigger refuse before insert on findings for each row when (new.name = 'a') execute function refuse()"
    )
    worker = run("tests.sample_worker")
    wait_for_workers(user, worker)

    rows.add("a", status="Queued")
    rows.add("b", status="Queued")
    rows.wait_for("Failed", "a")
    rows.wait_for("Done", "b")

    assert "not on a Sunday" in rows.row("a").error


def test_a_workflow_that_calls_exit_strands_neither_its_row_nor_the_worker(user, rows, run):
    user.execute("update engine.workflow set max_attempts = 1 where name = 'sampling'")
    worker = run("tests.sample_worker", SAMPLE_LIMITS=LIMITS)
    wait_for_workers(user, worker)

    rows.add("a", "exit", status="Queued")
    rows.wait_for("Failed", "a")
    rows.add("b", status="Queued")
    rows.wait_for("Done", "b")

    assert rows.row("a").error == "SystemExit: 3 (attempt 1 of 1)"
    assert worker.process.poll() is None
