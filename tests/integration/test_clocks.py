"""Clocks that are days wrong, seen in the rows they wrote: nothing is lost or run twice, nobody is buried alive."""

import pytest

from db.outcomes import Again, Lost
from tests.lifecycle_support import keys, wait_until
from tests.process_support import stays

pytest_plugins = ["tests.stage_support"]

WRONG = ("- interval '40 days'", "- interval '1 day'", "+ interval '1 day'", "+ interval '40 days'")
wrong_by = pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.replace("interval ", "").replace("'", ""))
SHORT = {"beat": "0.1", "lease": "0.3"}


def set_worker(stage, worker, change):
    stage.user.execute(f"update engine.worker set {change} where id = %s".encode(), [worker])


@wrong_by
def test_a_worker_whose_last_beat_is_days_off_lives_as_long_as_its_counter_rises(stage, wrong):
    (pk,) = stage.add()
    batch = stage.claim()
    sweeper = stage.sweeper(**SHORT)

    def nobody_is_buried():
        set_worker(stage, stage.worker, f"beats = beats + 1, last_beat = now() {wrong}")
        return sweeper.watch() == []

    lived = stays(nobody_is_buried, 1)
    stage.record(batch)

    assert lived
    assert stage.row(pk).status == "Done"


@wrong_by
def test_a_worker_whose_counter_stands_is_buried_whatever_its_last_beat_says(stage, wrong):
    (pk,) = stage.add()
    stage.claim()
    set_worker(stage, stage.worker, f"last_beat = now() {wrong}, started_at = now() {wrong}")
    sweeper = stage.sweeper(**SHORT)

    wait_until(lambda: sweeper.watch() == [stage.worker])

    assert stage.row(pk).status == "Queued"
    assert stage.job(pk).lost == 1


@wrong_by
def test_a_row_that_began_days_off_is_recorded_and_not_swept(stage, wrong):
    (pk,) = stage.add()
    batch = stage.claim()
    stage.set_job(pk, f"started_at = now() {wrong}, run_at = now() {wrong}")

    swept = stage.sweeper().sweep("sampling", whole=True)
    ended = stage.record(batch)

    assert swept.repairs == 0
    assert ended[pk].verdict == "completed"
    assert stage.job(pk) is None


@wrong_by
def test_a_lost_row_that_began_days_off_is_given_back_once_and_is_due_at_once(stage, wrong):
    (pk,) = stage.add()
    stage.claim()
    stage.set_job(pk, f"started_at = now() {wrong}, run_at = now() {wrong}")
    stage.bury(stage.worker)
    sweeper = stage.sweeper()

    first, second = sweeper.end_lost_claims(), sweeper.end_lost_claims()
    batch = stage.claim(worker=stage.register_worker())

    assert (first, second) == (1, 0)
    assert keys(batch) == [pk]
    assert stage.value("select count(*) from engine.attempt where outcome = 'retried'") == 1


@wrong_by
def test_a_retry_is_due_after_its_delay_whatever_the_job_said_before(stage, wrong):
    (pk,) = stage.add()
    batch = stage.claim()
    stage.set_job(pk, f"run_at = now() {wrong}")

    stage.record(batch, Again("not yet", 0.0))

    assert stage.value("select abs(extract(epoch from run_at - clock_timestamp())) < 5 from engine.job")
    assert keys(stage.claim()) == [pk]


def test_rows_that_were_due_days_ago_run_once_each_and_before_the_others(stage):
    old, new = stage.add(5), stage.add(5)
    stage.set_job(old, "run_at = now() - interval '40 days'")

    first, second, third = stage.claim(5), stage.claim(5), stage.claim(5)

    assert set(keys(first)) == set(old)
    assert set(keys(second)) == set(new)
    assert keys(third) == []


def test_a_row_that_is_due_in_days_is_kept_and_shown_and_due_at_once_when_it_is_queued_anew(stage):
    """What a clock leaves that was days ahead when the row was queued, and was set right since."""
    (pk,) = stage.add()
    stage.set_job(pk, "run_at = now() + interval '3 days'")

    swept = stage.sweeper().sweep("sampling", whole=True)
    not_yet = keys(stage.claim())
    shown = stage.value("select count(*) from engine.waiting where pk = %s", pk)
    stage.set(pk, status=None)
    stage.set(pk, status="Queued")

    assert (swept.repairs, not_yet, shown) == (0, [], 1)
    assert keys(stage.claim()) == [pk]


@wrong_by
def test_the_count_of_lost_workers_does_not_depend_on_when(stage, wrong):
    (pk,) = stage.add()
    for _ in range(2):
        worker = stage.register_worker()
        batch = stage.claim(worker=worker)
        stage.set_job(pk, f"started_at = now() {wrong}")
        stage.record(batch, Lost(3), worker=worker)
        stage.set_job(pk, f"run_at = now() {WRONG[0]}")

    assert (stage.row(pk).status, stage.job(pk).lost, stage.job(pk).attempt) == ("Queued", 2, 2)
