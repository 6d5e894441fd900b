"""Repair: rows whose worker died, rows that the trigger never saw, rows that nobody owns, jobs that nobody wants."""

from uuid import uuid4

import pytest

from app import sweeper as sweeping
from db.outcomes import Again, Failed, Found, Released
from tests.lifecycle_support import keys
from tests.samples import Finding

pytest_plugins = ["tests.stage_support"]

NOTHING = {"lost_claims": 0, "overdue_claims": 0, "missed_rows": 0, "orphaned_rows": 0, "idle_jobs": 0}


def sweep(stage):
    return stage.sweeper().sweep("sampling", whole=True).counts()


def lose_worker(stage):
    """Claim what is due with a worker that dies on it, and sweep."""
    stage.user.execute("update engine.job set run_at = now() where not dead")
    worker = stage.register_worker()
    claimed = keys(stage.claim(worker=worker))
    stage.bury(worker)
    assert sweep(stage) == {**NOTHING, "lost_claims": len(claimed)}
    return claimed


def behind_the_triggers_back(stage, query, *arguments):
    stage.user.execute("alter table samples disable trigger all")
    stage.user.execute(query.encode(), arguments)
    stage.user.execute("alter table samples enable trigger all")


def test_rows_of_a_dead_worker_go_back_to_queued_and_say_why(stage):
    rows = stage.add(3)
    before = stage.value("select count(*) from engine.submission")

    claimed = lose_worker(stage)

    assert sorted(claimed) == sorted(rows)
    assert stage.statuses(rows) == ["Queued"] * 3
    assert {stage.row(row).error for row in rows} == {"its worker process died, 1 of 3 times (attempt 1 of 3)"}
    assert stage.value("select count(*) from engine.submission") == before
    assert stage.value("select count(*) from engine.attempt where outcome = 'retried'") == 3


def test_rows_of_a_live_worker_are_never_touched(stage):
    stage.add(2)
    running = stage.claim()
    before = [(stage.row(row.pk), stage.job(row.pk)) for row in running.rows]

    assert sweep(stage) == NOTHING

    assert [(stage.row(row.pk), stage.job(row.pk)) for row in running.rows] == before
    assert {ended.verdict for ended in stage.record(running).values()} == {"completed"}


@pytest.mark.parametrize(("max_attempts", "max_lost", "deaths"), [(9, 3, 3), (2, 5, 2), (9, 1, 1)])
def test_a_row_that_keeps_killing_its_worker_fails_for_good(stage_with, max_attempts, max_lost, deaths):
    stage = stage_with(max_attempts=max_attempts, max_lost=max_lost)
    (row,) = stage.add()

    for _ in range(deaths):
        assert stage.row(row).status == "Queued"
        assert lose_worker(stage) == [row]

    assert stage.row(row).status == "Failed"
    error = f"its worker process died, {deaths} of {max_lost} times (attempt {deaths} of {max_attempts})"
    assert stage.row(row).error == error
    assert stage.job(row).dead
    assert lose_worker(stage) == []


def test_attempts_that_failed_and_workers_that_died_are_counted_apart(stage_with):
    stage = stage_with(max_attempts=9, max_lost=2)
    (row,) = stage.add()

    lose_worker(stage)
    stage.run(Again("no answer", 0.0))
    lose_worker(stage)

    assert (stage.row(row).status, stage.job(row).attempt) == ("Failed", 3)


def test_a_poisonous_row_that_is_queued_again_gets_a_new_chance(stage_with):
    stage = stage_with(max_lost=1)
    (row,) = stage.add()
    lose_worker(stage)

    stage.set(row, status="Queued")

    assert stage.run() == {row: "completed"}


def test_a_worker_that_was_stopped_costs_its_rows_no_attempt(stage):
    (row,) = stage.add()
    stage.claim()
    stage.bury(stage.worker)

    given_back = stage.sweeper().end_lost_claims(Released())

    assert given_back == 1
    assert (stage.row(row).status, stage.row(row).error, stage.job(row).attempt) == ("Queued", None, 0)


def test_what_a_user_did_to_a_row_of_a_dead_worker_stays(stage):
    cancelled, requeued, deleted, left = rows = stage.add(4)
    stage.claim()
    stage.bury(stage.worker)
    stage.set(cancelled, status="Skipped")
    stage.set(requeued, status="Queued")
    stage.delete(deleted)

    assert sweep(stage) == {**NOTHING, "lost_claims": 4}

    assert [stage.row(row) and stage.row(row).status for row in rows] == ["Skipped", "Queued", None, "Queued"]
    assert (stage.row(requeued).error, stage.job(requeued).attempt, stage.job(requeued).lost) == (None, 0, 0)
    assert stage.job(cancelled) is stage.job(deleted) is None
    assert stage.row(left).error


def test_claims_that_a_user_holds_locked_do_not_hide_those_behind_them(stage, monkeypatch):
    monkeypatch.setattr(sweeping, "CLAIMS_AT_ONCE", 2)
    rows = stage.add(6)
    stage.claim()
    stage.bury(stage.worker)
    user = stage.connect()
    first = [pk for (pk,) in stage.user.execute("select pk from engine.job where token is not null")][:4]

    with user.transaction():
        stage.set(first, by=user, note="a long transaction")
        assert sweep(stage) == {**NOTHING, "lost_claims": 2}

    assert sweep(stage) == {**NOTHING, "lost_claims": 4}
    assert stage.statuses(rows) == ["Queued"] * 6


def test_a_worker_that_was_given_up_does_not_overwrite_its_successor(stage):
    (row,) = stage.add()
    old = stage.claim()
    stage.bury(stage.worker)
    stage.sweeper().end_lost_claims()
    successor = stage.register_worker()
    new = stage.claim(worker=successor)

    late = stage.record(old, Found(rows=[Finding(name="late")], values={"note": "late"}))

    assert (keys(new), late[row].verdict) == ([row], "stale")
    assert (stage.row(row).status, stage.row(row).note) == ("Processing", None)
    assert stage.value("select count(*) from findings") == 0
    assert stage.record(new, worker=successor)[row].verdict == "completed"


@pytest.mark.parametrize("way", ["trigger disabled", "replica"])
def test_queued_rows_that_the_trigger_never_saw_are_run(stage_with, way):
    stage = stage_with(priority="urgency")
    if way == "replica":
        stage.user.execute("set session_replication_role = replica")
        stage.user.execute("insert into samples (name, urgency, status) values ('restored', 4, 'Queued')")
        stage.user.execute("reset session_replication_role")
    else:
        query = "insert into samples (name, urgency, status) values ('restored', 4, 'Queued')"
        behind_the_triggers_back(stage, query)
    assert keys(stage.claim()) == []

    assert sweep(stage) == {**NOTHING, "missed_rows": 1}

    assert stage.value("select priority from engine.job") == 4
    assert list(stage.run().values()) == ["completed"]


def test_a_dead_row_that_was_queued_again_behind_the_triggers_back_starts_afresh(stage):
    (row,) = stage.add()
    stage.run(Failed("hopeless"))
    behind_the_triggers_back(stage, "update samples set status = 'Queued' where id = %s", row)
    assert keys(stage.claim()) == []

    assert sweep(stage) == {**NOTHING, "missed_rows": 1}

    assert stage.claim().rows[0].attempt == 1


def test_rows_in_progress_that_nobody_owns_go_back_to_the_queue(stage):
    typed, forgotten = stage.add(status="Processing") + stage.add()
    stage.claim()
    stage.user.execute("delete from engine.job")

    assert sweep(stage) == {**NOTHING, "orphaned_rows": 2}

    assert stage.statuses([typed, forgotten]) == ["Queued"] * 2
    assert stage.row(typed).error == "found in progress with no worker; queued again by the sweeper"
    assert stage.run() == {typed: "completed", forgotten: "completed"}


@pytest.mark.parametrize("job", ["waiting", "dead"])
def test_a_row_that_a_user_sets_to_processing_by_hand_is_run_with_all_its_attempts(stage, job):
    (row,) = stage.add()
    if job == "dead":
        stage.run(Failed("hopeless"))
    stage.set(row, status="Processing")

    assert sweep(stage) == {**NOTHING, "orphaned_rows": 1}

    assert stage.row(row).status == "Queued"
    assert stage.claim().rows[0].attempt == 1


def test_a_row_in_progress_that_a_user_holds_is_left_for_the_next_pass(stage):
    (row,) = stage.add(status="Processing")
    user = stage.connect()

    with user.transaction():
        stage.set(row, by=user, note="mine")
        assert sweep(stage) == NOTHING

    assert sweep(stage) == {**NOTHING, "orphaned_rows": 1}


def test_jobs_that_nobody_wants_are_forgotten(stage):
    withdrawn, deleted, dead_and_edited, dead_and_deleted, dead, wanted = stage.add(6)
    stage.set_job([withdrawn, deleted, wanted], "run_at = now() + interval '1 hour'")
    stage.run(Failed("hopeless"))
    stage.set(withdrawn, status="Skipped")
    stage.set(dead_and_edited, status="Skipped")
    stage.delete(deleted)
    stage.delete(dead_and_deleted)

    assert sweep(stage) == {**NOTHING, "idle_jobs": 4}

    assert [bool(stage.job(row)) for row in (withdrawn, deleted, dead_and_edited, dead_and_deleted)] == [False] * 4
    assert (stage.job(dead).dead, stage.job(wanted).dead) == (True, False)


def test_jobs_of_other_workflows_are_left_alone(stage):
    stage.user.execute("insert into engine.job (workflow, pk) values ('another', %s)", [str(uuid4())])

    assert sweep(stage) == NOTHING

    assert stage.value("select count(*) from engine.job") == 1


def test_a_row_queued_again_and_set_to_processing_by_hand_has_all_its_attempts_after_a_stop(stage):
    (row,) = stage.add()
    stage.claim()
    stage.set(row, status="Queued")
    stage.set(row, status="Processing")
    stage.bury(stage.worker)

    stage.sweeper().end_lost_claims(Released())

    assert stage.claim(worker=stage.register_worker()).rows[0].attempt == 1
