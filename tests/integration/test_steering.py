"""Operators queue failed rows again and withdraw waiting ones: plain writes, and users have the last word."""

from datetime import timedelta

import pytest

from db.connections import open_pool
from db.outcomes import Again, Failed
from db.people import steering
from db.people.conditions import ConditionError
from db.people.steering import Chosen, SteeringError
from tests.lifecycle_support import keys

pytest_plugins = ["tests.stage_support"]

ALL = Chosen()


def failed(stage, number=1, error="it broke", **columns):
    """Rows that a worker gave up."""
    pks = stage.add(number, **columns)
    while any(status == "Queued" for status in stage.statuses(pks)):
        stage.run(Failed(error))
    return pks


def requeue(stage, chosen=ALL, *, dry_run=False, **options):
    return steering.requeue(stage.user, stage.workflow, chosen, operator="ann", dry_run=dry_run, **options)


def cancel(stage, chosen=ALL, *, dry_run=False, **options):
    return steering.cancel(stage.user, stage.workflow, chosen, operator="ann", dry_run=dry_run, **options)


def actions(stage):
    query = "select operator, action, workflow, rows, detail from engine.action order by id"
    return stage.user.execute(query).fetchall()


def test_failed_rows_are_queued_again_with_all_their_attempts_and_without_the_old_error(stage):
    rows = failed(stage, 3)
    waiting = stage.add()

    assert requeue(stage) == 3

    assert stage.statuses([*rows, *waiting]) == ["Queued"] * 4
    assert stage.row(rows[0]).error is None
    assert (stage.job(rows[0]).attempt, stage.job(rows[0]).dead, stage.job(rows[0]).generation) == (0, False, 2)
    assert sorted(keys(stage.claim())) == sorted([*rows, *waiting])


def test_a_dry_run_counts_and_changes_nothing_and_leaves_no_note(stage):
    rows = failed(stage, 3)

    assert requeue(stage, dry_run=True) == 3
    assert requeue(stage, Chosen(limit=2), dry_run=True) == 2

    assert stage.statuses(rows) == ["Failed"] * 3
    assert actions(stage) == []


def test_rows_are_chosen_by_error_by_key_by_condition_and_by_number_and_all_must_fit(stage):
    slow = failed(stage, 3, "took 31 s", urgency=1)
    lost = failed(stage, 2, "https://a.example/x: 404 Not Found", urgency=2)

    counted = {
        "error": requeue(stage, Chosen(error="took # s"), dry_run=True),
        "part": requeue(stage, Chosen(part="NOT found"), dry_run=True),
        "pks": requeue(stage, Chosen(pks=[slow[0], lost[0]]), dry_run=True),
        "where": requeue(stage, Chosen(where="urgency = 1"), dry_run=True),
        "both": requeue(stage, Chosen(part="took", pks=[slow[0], lost[0]]), dry_run=True),
        "neither": requeue(stage, Chosen(part="took", where="urgency = 2"), dry_run=True),
    }

    assert counted == {"error": 3, "part": 2, "pks": 2, "where": 3, "both": 1, "neither": 0}
    assert requeue(stage, Chosen(error="took # s", limit=2)) == 2
    assert sorted(stage.statuses(slow)) == ["Failed", "Queued", "Queued"]
    assert stage.statuses(lost) == ["Failed", "Failed"]


def test_rows_without_an_error_are_a_group_that_can_be_queued_again(stage):
    silent = failed(stage, 2)
    failed(stage, 1, "took 31 s")
    stage.user.execute(f"update {stage.workflow.quoted_table} set error = null where id = any(%s)", [silent])
    stage.user.execute("update engine.job set last_error = null where pk = any(%s)", [[str(pk) for pk in silent]])

    groups = {group.error: group.rows for group in steering.failures(stage.user, stage.workflow.name)}

    assert groups == {"no error was recorded": 2, "took # s": 1}
    assert requeue(stage, Chosen(error="no error was recorded")) == 2
    assert stage.statuses(silent) == ["Queued", "Queued"]


def test_a_row_that_a_person_gave_the_failed_word_is_queued_again_too(stage):
    (row,) = stage.add(status="Failed")

    assert requeue(stage) == 1
    assert stage.row(row).status == "Queued"


def test_many_rows_go_in_batches_that_commit_one_by_one_and_the_note_counts_along(stage):
    stage.add(5000, status="Failed")
    witness = stage.connect()
    seen = []

    def tell(done, total):
        queued = witness.execute("select count(*) from samples where status = 'Queued'").fetchone()[0]
        (noted,) = witness.execute("select rows from engine.action").fetchone()
        seen.append((done, total, queued, noted))

    assert requeue(stage, tell=tell) == 5000
    assert seen == [(2000, 5000, 2000, 2000), (4000, 5000, 4000, 4000), (5000, 5000, 5000, 5000)]
    assert actions(stage) == [("ann", "requeue", "sampling", 5000, {})]
    assert stage.value("select count(*) from engine.submission where rows = 2000") == 2


def test_between_two_batches_the_connection_is_back_in_the_pool(stage):
    stage.add(5000, status="Failed")
    seen = []

    with open_pool(stage.url, size=1, name="dashboard") as pool:

        def tell(done, total):
            with pool.connection(timeout=30) as only:
                seen.extend(only.execute("select rows from engine.action").fetchone())

        steering.requeue(pool, stage.workflow, ALL, operator="ann", dry_run=False, tell=tell)

    assert seen == [2000, 4000, 5000]


def test_by_job_a_failed_row_without_a_job_is_left_and_by_its_key_it_is_found(stage):
    failed(stage, 2)
    (row,) = stage.add(status="Failed")
    waiting = stage.add(3)

    assert requeue(stage, Chosen(by_job=True), dry_run=True) == 2
    assert requeue(stage, Chosen(by_job=True, pks=[row]), dry_run=True) == 1
    assert requeue(stage, dry_run=True) == 3
    assert cancel(stage, Chosen(by_job=True)) == len(waiting)


def test_whoever_stops_halfway_leaves_whole_batches_and_asks_again_for_the_rest(stage):
    stage.add(5000, status="Failed")

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        requeue(stage, tell=interrupt)

    assert requeue(stage) == 3000
    assert [rows for _, _, _, rows, _ in actions(stage)] == [2000, 3000]


def test_a_rate_takes_small_batches(stage):
    failed(stage, 6)
    steps = []

    requeue(stage, rate=4000, tell=lambda done, _: steps.append(done))
    assert steps == [6]

    stage.run(Failed("again"))
    steps.clear()
    requeue(stage, rate=3, tell=lambda done, _: steps.append(done))
    assert steps == [3, 6]


def test_a_row_that_somebody_is_changing_is_left_to_them_without_a_wait(stage):
    held, free = failed(stage, 2)
    other = stage.connect()
    with other.transaction():
        stage.set(held, by=other, status="Skipped")

        assert requeue(stage) == 1

    assert stage.statuses([held, free]) == ["Skipped", "Queued"]


def test_a_row_that_was_changed_between_the_look_and_the_write_keeps_its_users_word(stage):
    changed, other = failed(stage, 2)
    hand = stage.interrupted(3, lambda: stage.set(changed, status="Skipped"))

    rows = steering.requeue(hand, stage.workflow, ALL, operator="ann", dry_run=False)

    assert rows == 1
    assert stage.statuses([changed, other]) == ["Skipped", "Queued"]


def test_running_rows_are_not_touched_by_a_requeue_and_finish(stage):
    failed(stage, 2)
    (running,) = stage.add()
    batch = stage.claim(1)

    requeue(stage)
    ended = stage.record(batch)

    assert ended[running].verdict == "completed"
    assert stage.row(running).status == "Done"


def test_cancel_withdraws_what_waits_and_the_result_of_what_runs_is_discarded(stage):
    running = stage.add(2)
    batch = stage.claim()
    waiting = stage.add(3)
    done = stage.add(status="Done")

    assert cancel(stage) == 5
    verdicts = {pk: ended.verdict for pk, ended in stage.record(batch).items()}

    assert verdicts == dict.fromkeys(running, "cancelled")
    assert stage.statuses([*running, *waiting]) == [None] * 5
    assert stage.statuses(done) == ["Done"]
    assert keys(stage.claim()) == []
    assert stage.value("select count(*) from engine.job") == 0
    assert stage.value("select count(*) from findings") == 0
    assert actions(stage) == [("ann", "cancel", "sampling", 5, {})]


def test_cancel_of_what_waits_lets_running_rows_finish(stage):
    running = stage.add(1)
    batch = stage.claim()
    waiting = stage.add(2)

    assert cancel(stage, dry_run=True) == 3
    assert cancel(stage, running=False) == 2
    stage.record(batch)

    assert stage.statuses([*running, *waiting]) == ["Done", None, None]


def test_a_row_that_waits_for_its_next_attempt_is_due_at_once_and_keeps_its_count(stage):
    (row,) = stage.add()
    stage.record(stage.claim(), Again("not yet", 3600.0))
    assert keys(stage.claim()) == []

    assert steering.run_now(stage.user, stage.workflow, [row], operator="ann") == 1

    assert [(one.pk, one.attempt) for one in stage.claim().rows] == [(row, 2)]
    assert actions(stage) == [("ann", "run-now", "sampling", 1, {"pks": [row]})]


def test_run_now_queues_what_is_not_queued_and_leaves_what_runs(stage):
    (running,) = stage.add()
    stage.claim()
    done, skipped = *stage.add(status="Done"), *stage.add(status="Skipped")
    (fresh,) = stage.add(status=None)

    assert steering.run_now(stage.user, stage.workflow, [running, done, skipped, fresh], operator="ann") == 3
    assert stage.statuses([running, done, skipped, fresh]) == ["Processing", "Queued", "Queued", "Queued"]


def run_now(stage, chosen):
    return steering.run_now(stage.user, stage.workflow, chosen.pks, operator="ann")


@pytest.mark.parametrize("step", [requeue, cancel, run_now])
def test_what_is_no_key_is_refused_in_one_sentence(stage, step):
    with pytest.raises(SteeringError, match="samples: invalid input syntax for type uuid"):
        step(stage, Chosen(pks=["'; drop table samples; --"]))


@pytest.mark.parametrize("where", ["nonsense", "true; drop table samples", "true or (true", "urgency / 0 = 1"])
def test_a_mistake_in_a_typed_condition_is_told_and_nothing_changes(stage, where):
    failed(stage, 1, urgency=1)

    with pytest.raises(ConditionError, match="--where"):
        requeue(stage, Chosen(where=where))

    assert stage.value("select count(*) from samples where status = 'Failed'") == 1


@pytest.mark.parametrize("where", ["true) or (true", "urgency = 1 --", "id not in (select id from findings)"])
def test_whatever_a_typed_condition_says_only_failed_rows_are_queued(stage, where):
    failed(stage, 1, urgency=1)
    stage.add(2, status="Done", urgency=1)

    assert requeue(stage, Chosen(where=where)) == 1
    assert stage.value("select count(*) from samples where status = 'Done'") == 2


def test_the_claim_of_a_requeued_row_is_not_delayed(stage):
    (row,) = stage.add()
    stage.record(stage.claim(), Again("not yet", timedelta(hours=1).total_seconds()))
    stage.set(row, status="Failed")

    requeue(stage)

    assert keys(stage.claim()) == [row]
