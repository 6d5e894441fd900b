"""Queued -> Processing: who gets which rows, and who must not."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from uuid import uuid4

import pytest
from psycopg.errors import LockNotAvailable

from tests.lifecycle_support import keys, wait_until

pytest_plugins = ["tests.stage_support"]


def test_a_claim_takes_at_most_its_size_and_counts_the_attempt(stage):
    rows = stage.add(5, action="find it")

    batch = stage.claim(3)

    assert len(batch.rows) == 3
    assert batch.full
    assert sorted(stage.statuses(rows)) == ["Processing"] * 3 + ["Queued"] * 2
    for claimed in batch.rows:
        assert (claimed.attempt, claimed.max_attempts, claimed.generation) == (1, 3, 1)
        assert claimed.values == (stage.row(claimed.pk).id, stage.row(claimed.pk).name, "find it")
        assert (stage.job(claimed.pk).token, stage.job(claimed.pk).attempt) == (batch.token, 1)


def test_urgent_rows_come_first_then_those_that_were_submitted_earlier(stage_with):
    stage = stage_with(priority="urgency")
    (late,), (early,), (soon,) = stage.add(urgency=5), stage.add(urgency=5), stage.add(urgency=1)
    (unmarked,) = stage.add()
    stage.set(late, status="Skipped")
    stage.set(late, status="Queued")

    claims = [keys(stage.claim(1)) for _ in range(4)]

    assert claims == [[unmarked], [soon], [early], [late]]


def test_a_worker_that_is_not_registered_gets_nothing(stage):
    (row,) = stage.add()

    assert keys(stage.claim(worker=uuid4())) == []
    assert stage.row(row).status == "Queued"


def test_a_row_that_is_due_later_is_not_claimed_before_its_time(stage):
    later, now = stage.add(2)
    stage.set_job(later, "run_at = now() + interval '1 hour'")

    assert keys(stage.claim()) == [now]

    stage.set_job(later, "run_at = now()")
    assert keys(stage.claim()) == [later]


def test_claimers_who_come_at_once_reach_the_limit_and_never_pass_it(stage_with):
    stage = stage_with(max_in_flight=7)
    stage.add(140)
    connections = [stage.connect() for _ in range(5)]

    for _ in range(20):
        batches = at_once(lambda by: patient_claim(stage, 3, by), connections)
        assert sum(len(batch.rows) for batch in batches) == 7
        for batch in batches:
            stage.record(batch)

    assert stage.value("select count(*) from samples where status = 'Done'") == 140


def test_a_row_in_a_users_open_transaction_steps_aside_for_those_behind_it(stage):
    held, free = [row for _ in range(2) for row in stage.add()]
    user = stage.connect()

    with user.transaction():
        stage.set(held, by=user, note="I am still writing")
        claimed = keys(stage.claim(1))

    assert claimed == [free]
    wait_until(lambda: keys(stage.claim()) == [held])
    assert stage.job(held).attempt == 1


def test_hundreds_of_locked_rows_at_the_head_do_not_starve_the_rest(stage):
    held, free = stage.add(300), stage.add(10)
    user = stage.connect()

    with user.transaction():
        stage.set(held, by=user, note="a long transaction")
        batch = stage.claim(100)

    assert sorted(keys(batch)) == sorted(free)
    assert batch.full


def test_withdrawn_and_deleted_rows_are_forgotten_without_being_run(stage):
    withdrawn, deleted, wanted = stage.add(3)
    stage.set(withdrawn, status="Skipped")
    stage.delete(deleted)

    batch = stage.claim()

    assert keys(batch) == [wanted]
    assert stage.row(withdrawn).status == "Skipped"
    assert stage.job(withdrawn) is stage.job(deleted) is None


def test_two_claimers_never_get_the_same_row(stage):
    rows = stage.add(600)
    connections = [stage.connect() for _ in range(4)]

    def drain(by):
        taken, sizes = [], cycle(range(1, 16))
        while (batch := stage.claim(next(sizes), by=by)).rows or batch.full:
            taken += keys(batch)
        return taken

    taken = [key for part in at_once(drain, connections) for key in part]

    assert sorted(taken) == sorted(rows)


def withdraw(stage, row, by):
    stage.set(row, by=by, status="Skipped")


def delete(stage, row, by):
    stage.delete(row, by=by)


def edit(stage, row, by):
    stage.set(row, by=by, note="edited")


def submit_again(stage, row, by):
    stage.set(row, by=by, status="Skipped")
    stage.set(row, by=by, status="Queued")


@pytest.mark.parametrize(
    ("act", "status"), [(withdraw, "Skipped"), (delete, None), (edit, "Done"), (submit_again, "Done")]
)
def test_a_user_may_act_on_a_row_at_any_moment_of_its_claim(stage, act, status):
    for moment in range(1, 7):
        (row,) = stage.add()
        user = stage.bystander(partial(act, stage, row))

        batch = stage.claim(by=stage.interrupted(moment, user))
        user.finish()
        stage.record(batch)
        wait_until(lambda: not stage.run())

        assert stage.job(row) is None
        assert (stage.row(row) and stage.row(row).status) == status
        assert act is not edit or stage.row(row).note == "edited"


def test_a_user_who_commits_while_the_claim_looks_away_is_respected(stage):
    for moment in range(1, 6):
        withdrawn, edited = stage.add(2)
        user = stage.connect()
        user.execute("begin")
        stage.set(withdrawn, by=user, status="Skipped")
        stage.set(edited, by=user, note="edited")

        stage.record(stage.claim(by=stage.interrupted(moment, user.commit)))
        user.commit()
        wait_until(lambda: not stage.run())

        assert stage.statuses([withdrawn, edited]) == ["Skipped", "Done"]
        assert stage.row(edited).note == "edited"
        assert stage.job(withdrawn) is stage.job(edited) is None


def test_users_who_keep_changing_their_minds_strand_no_row_and_run_none_twice_at_once(stage):
    rows = stage.add(12)
    running, lock, calm = set(), threading.Lock(), threading.Event()

    def change_minds(by):
        for turn in range(180):
            stage.set(rows[turn * 7 % 12], by=by, status="Skipped" if turn % 5 == 0 else "Queued")

    def work(by):
        while (batch := stage.claim(3, by=by)).rows or batch.full or not calm.is_set():
            with lock:
                assert not running & set(keys(batch))
                running.update(keys(batch))
            with lock:
                running.difference_update(keys(batch))
            wait_until(lambda batch=batch: "locked" not in {one.verdict for one in stage.record(batch, by=by).values()})

    users, workers = [stage.connect() for _ in range(2)], [stage.connect() for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        working = [pool.submit(work, by) for by in workers]
        at_once(change_minds, users)
        calm.set()
        for future in working:
            future.result()

    wait_until(lambda: not stage.run() and not stage.value("select count(*) from engine.job"))
    assert set(stage.statuses(rows)) <= {"Done", "Skipped"}


def test_a_row_whose_worker_died_runs_alone_and_the_others_are_not_forgotten(stage):
    suspect, *innocent = stage.add(4)
    stage.set_job(suspect, "lost = 1, run_at = now() - interval '1 minute'")

    alone, rest = stage.claim(), stage.claim()

    assert keys(alone) == [suspect]
    assert alone.full
    assert sorted(keys(rest)) == sorted(innocent)


def test_innocent_rows_do_not_run_together_with_one_whose_worker_died(stage):
    *innocent, suspect = stage.add(4)
    stage.set_job(suspect, "lost = 1, run_at = now()")

    together, alone = stage.claim(), stage.claim()

    assert sorted(keys(together)) == sorted(innocent)
    assert keys(alone) == [suspect]


def patient_claim(stage, size, by):
    """On a busy machine a claim may stand in line for longer than the engine is willing to; it then comes again."""
    while True:
        try:
            return stage.claim(size, by=by)
        except LockNotAvailable:
            continue


def at_once(work, connections):
    with ThreadPoolExecutor(len(connections)) as pool:
        return list(pool.map(work, connections))
