"""What people look at and what operators change: views of the queue, and controls that take effect at once."""

from datetime import timedelta

import pytest
from psycopg.errors import CheckViolation

from db.outcomes import Again, Failed
from tests.lifecycle_support import keys

pytest_plugins = ["tests.stage_support"]

READY_DELAYED_RUNNING_FAILED = "select ready, delayed, running, failed from engine.overview where workflow = 'sampling'"


def counts(stage):
    return stage.user.execute(READY_DELAYED_RUNNING_FAILED).fetchone()


def overview(stage, columns):
    return stage.user.execute(f"select {columns} from engine.overview where workflow = 'sampling'").fetchone()


def test_a_workflow_without_work_is_in_the_overview_with_zeros(stage):
    assert counts(stage) == (0, 0, 0, 0)
    assert overview(stage, "oldest_ready, max_in_flight, paused, paused_reason") == (None, None, False, None)
    assert stage.value("select count(*) from engine.overview") == stage.value("select count(*) from engine.workflow")


def test_the_overview_counts_every_row_once_in_the_state_that_it_is_in(stage):
    rows = stage.add(10)
    outcomes = dict(zip(rows, [Failed("hopeless")] * 3 + [Again("no answer", 3600.0)] * 2, strict=False))
    stage.set_job(rows[5:], "run_at = now() + interval '1 hour'")
    stage.run(lambda row: outcomes[row.pk])
    stage.set_job(rows[5:], "run_at = now() - interval '90 seconds'")
    stage.claim(1)

    assert counts(stage) == (4, 2, 1, 3)
    assert timedelta(seconds=90) <= overview(stage, "oldest_ready")[0] < timedelta(seconds=150)


def test_the_overview_shows_the_limit_that_counts_and_why_a_workflow_stands(stage_with):
    stage = stage_with(max_in_flight=5)
    declared = overview(stage, "max_in_flight")

    stage.user.execute("update engine.workflow set max_in_flight = 2, paused = true, paused_reason = 'quota'")

    assert declared == (5,)
    assert overview(stage, "max_in_flight, paused, paused_reason") == (2, True, "quota")


def test_running_shows_who_works_on_what_and_since_when(stage):
    (row,) = stage.add()
    stage.add(1)
    stage.claim(1)
    stage.set_job(row, "started_at = started_at - interval '1 minute'")

    shown = stage.user.execute(
        "select pk, attempt, host, pid, worker_id, running_for between '1 min' and '2 min' from engine.running"
    ).fetchall()

    assert shown == [(row, 1, "here", 1, stage.worker, True)]


def test_running_shows_rows_whose_worker_is_gone_too(stage):
    (row,) = stage.add()
    stage.claim()
    stage.bury(stage.worker)

    assert stage.user.execute("select pk, host from engine.running").fetchall() == [(row, None)]


def test_waiting_shows_what_is_due_and_what_is_not_and_why(stage_with):
    stage = stage_with(priority="urgency")
    (retried,) = stage.add(urgency=3)
    stage.run(Again("no answer", 3600.0))
    (due,) = stage.add()
    (running,) = stage.add(urgency=-1)
    stage.claim(1)

    shown = stage.user.execute(
        "select pk, priority, attempt, delayed, paused, last_error from engine.waiting order by priority"
    ).fetchall()

    assert shown == [(due, 0, 0, False, False, None), (retried, 3, 1, True, False, "no answer (attempt 1 of 3)")]
    assert stage.row(running).status == "Processing"


def test_failed_shows_dead_letters_until_they_are_queued_again(stage):
    row, other = stage.add(2)
    stage.run(Failed("hopeless"))
    before = stage.user.execute("select pk, attempt, last_error from engine.failed where pk = %s", [row]).fetchall()

    stage.set(row, status="Queued")

    assert before == [(row, 1, "hopeless (attempt 1 of 3)")]
    assert stage.user.execute("select pk from engine.failed").fetchall() == [(other,)]


@pytest.mark.parametrize(
    "change", ["paused = false", "max_in_flight = 9", "batch = 9", "max_attempts = 9", "max_downstream = 9"]
)
def test_a_change_of_the_controls_rings_the_doorbell_of_its_workflow_alone(stage, change):
    ear = stage.connect()
    ear.execute("listen engine")

    stage.user.execute(f"update engine.workflow set {change} where name = 'sampling'")

    assert [notice.payload for notice in ear.notifies(timeout=10, stop_after=1)] == ["sampling"]
    assert list(ear.notifies(timeout=0)) == []


@pytest.mark.parametrize(("change", "rule"), [("max_in_flight = -1", "not_negative"), ("batch = 0", "positive")])
def test_a_limit_that_makes_no_sense_is_refused(stage, change, rule):
    with pytest.raises(CheckViolation, match=rule):
        stage.user.execute(f"update engine.workflow set {change} where name = 'sampling'")


def test_the_operators_number_of_attempts_beats_the_declared_one(stage):
    (row,) = stage.add()
    stage.user.execute("update engine.workflow set max_attempts = 1 where name = 'sampling'")

    stage.run(Again("no answer", 0.0))

    assert (stage.row(row).status, stage.row(row).error) == ("Failed", "no answer (attempt 1 of 1)")


def test_rows_of_a_paused_workflow_stay_queued_until_it_is_resumed(stage):
    (row,) = stage.add()
    stage.user.execute("update engine.workflow set paused = true where name = 'sampling'")

    assert keys(stage.claim()) == []
    assert stage.row(row).status == "Queued"

    stage.user.execute("update engine.workflow set paused = false where name = 'sampling'")
    assert keys(stage.claim()) == [row]


@pytest.mark.parametrize(("override", "running"), [(0, 0), (2, 2), (8, 8), (None, 5)])
def test_the_operators_limit_beats_the_declared_one(stage_with, override, running):
    stage = stage_with(max_in_flight=5)
    stage.add(10)
    stage.user.execute("update engine.workflow set max_in_flight = %s where name = 'sampling'", [override])

    assert len(stage.claim().rows) + len(stage.claim().rows) == running


def test_the_operators_batch_beats_the_declared_one_and_does_not_hide_the_rest(stage):
    stage.add(10)
    stage.user.execute("update engine.workflow set batch = 2 where name = 'sampling'")

    batch = stage.claim()

    assert len(batch.rows) == 2
    assert batch.full
