"""The sweeper's manners: bounded passes, honest counts, and who it calls dead."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest

from app import sweeper as sweeping
from app.sweeper import Observer
from db.outcomes import Again, Failed
from tests.lifecycle_support import DONE, keys, wait_until

pytest_plugins = ["tests.stage_support"]

NOTHING = {"lost_claims": 0, "overdue_claims": 0, "missed_rows": 0, "orphaned_rows": 0, "idle_jobs": 0}
EVERYTHING = "samples", "engine.job", "engine.worker", "engine.attempt", "engine.submission", "engine.sweep_position"


@pytest.fixture
def clock(monkeypatch):
    """Monotonic time that moves when the test says so."""
    return Clock(monkeypatch)


class Clock:
    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(sweeping, "time", SimpleNamespace(monotonic=lambda: self.now))

    def passes(self, seconds):
        self.now += seconds


def contents(stage):
    return {table: stage.user.execute(f"select * from {table} order by 1, 2").fetchall() for table in EVERYTHING}


def make_a_mess(stage):
    """Two of everything that a sweep repairs."""
    lost, withdrawn = stage.add(2), stage.add(2)
    stage.set_job(withdrawn, "run_at = now() + interval '1 hour'")
    doomed = stage.register_worker()
    assert sorted(keys(stage.claim(worker=doomed))) == sorted(lost)
    stage.bury(doomed)
    stage.set(withdrawn, status="Skipped")
    by_hand = stage.add(2, status="Skipped")
    stage.set(by_hand, status="Processing")
    stage.user.execute("set session_replication_role = replica")
    stage.add(2)
    stage.user.execute("reset session_replication_role")
    return {"lost_claims": 2, "overdue_claims": 0, "missed_rows": 2, "orphaned_rows": 2, "idle_jobs": 2}


def test_in_a_healthy_system_there_is_nothing_to_repair(stage):
    waiting, retried, failed, done, cancelled, running = stage.add(6)
    stage.set_job([waiting, running], "run_at = now() + interval '1 hour'")
    outcomes = {retried: Again("no answer", 3600.0), failed: Failed("hopeless"), done: DONE}
    stage.run(lambda row: outcomes.get(row.pk, DONE))
    stage.set(cancelled, status="Skipped")
    stage.set_job(running, "run_at = now()")
    assert keys(stage.claim()) == [running]
    before = contents(stage)

    assert stage.sweeper().sweep("sampling", whole=True).counts() == NOTHING

    assert contents(stage) == before
    assert stage.statuses([waiting, retried, failed, done]) == ["Queued", "Queued", "Failed", "Done"]


def test_a_second_sweep_finds_nothing(stage):
    mess = make_a_mess(stage)
    sweeper = stage.sweeper()

    assert sweeper.sweep("sampling", whole=True).counts() == mess
    assert sweeper.sweep("sampling", whole=True).counts() == NOTHING
    while stage.run():
        pass
    assert stage.value("select count(*) from samples where status = 'Done'") == 6


@pytest.mark.parametrize("whole", [True, False])
def test_a_dry_run_counts_what_a_sweep_would_repair_and_changes_nothing(stage, whole):
    mess = make_a_mess(stage)
    before = contents(stage)

    assert stage.sweeper(dry_run=True).sweep("sampling", whole=whole).counts() == mess

    assert contents(stage) == before
    assert stage.sweeper().sweep("sampling", whole=whole).counts() == mess


def test_a_dry_run_counts_a_row_set_to_processing_by_hand_once(stage):
    (row,) = stage.add()
    stage.set(row, status="Processing")

    for dry_run in (True, False):
        swept = stage.sweeper(dry_run=dry_run).sweep("sampling", whole=True)
        assert swept.counts() == {**NOTHING, "orphaned_rows": 1}


def test_a_pass_reads_a_bounded_part_and_the_next_one_goes_on_there(stage, monkeypatch):
    monkeypatch.setattr(sweeping, "SLICE_BLOCKS", 2)
    monkeypatch.setattr(sweeping, "PASS_BLOCKS", 4)
    stage.add(100, status="Processing", note="x" * 500)
    blocks = stage.value("select pg_relation_size('samples') / 8192")
    per_block = "select (ctid::text::point)[0]::int / 4, count(*) from samples group by 1 order by 1"
    expected = [rows for _, rows in stage.user.execute(per_block).fetchall()]
    sweeper = stage.sweeper()

    repaired = [sweeper.sweep("sampling").orphaned_rows for _ in expected]

    assert 8 < blocks < 12
    assert repaired == expected
    assert stage.value("select count(*) from samples where status = 'Queued'") == 100


def test_another_sweeper_goes_on_where_the_last_one_stopped_and_begins_anew_at_the_end(stage, monkeypatch):
    monkeypatch.setattr(sweeping, "SLICE_BLOCKS", 1)
    monkeypatch.setattr(sweeping, "PASS_BLOCKS", 1)
    (first,), *_ = stage.add(status="Processing"), stage.add(20, status=None, note="x" * 500)
    (last,) = stage.add(status="Processing")
    assert stage.value("select pg_relation_size('samples') / 8192") == 2

    statuses = []
    for _ in range(2):
        stage.sweeper().sweep("sampling")
        statuses.append(stage.statuses([first, last]))
    stage.run()
    stage.set(first, status="Processing")
    stage.user.execute("vacuum full samples")
    again = stage.sweeper().sweep("sampling")

    assert statuses == [["Queued", "Processing"], ["Queued", "Queued"]]
    assert again.orphaned_rows == 1


def test_a_table_that_became_shorter_is_swept_from_its_beginning(stage, monkeypatch):
    monkeypatch.setattr(sweeping, "SLICE_BLOCKS", 1)
    monkeypatch.setattr(sweeping, "PASS_BLOCKS", 3)
    stage.add(60, status=None, note="x" * 500)
    sweeper = stage.sweeper()
    sweeper.sweep("sampling")
    stage.user.execute("truncate samples cascade")
    (row,) = stage.add(status="Processing")

    sweeper.sweep("sampling")
    sweeper.sweep("sampling")

    assert stage.row(row).status == "Queued"


@pytest.mark.parametrize("skew", ["-1 day", "1 day"])
def test_a_clock_that_is_wrong_by_a_day_changes_nothing(stage, skew):
    (row,) = stage.add()
    stage.claim()
    stage.user.execute("update engine.worker set last_beat = now() + %s::interval, started_at = last_beat", [skew])
    stage.set_job(row, f"started_at = now() + interval '{skew}'")
    sweeper = stage.sweeper(beat="0.2", lease="1")

    assert sweeper.watch() == []
    assert sweeper.sweep("sampling", whole=True).counts() == NOTHING
    assert stage.row(row).status == "Processing"


def test_a_worker_whose_beats_stand_still_for_a_lease_is_buried_and_its_rows_are_given_back(stage, clock):
    (row,) = stage.add()
    stage.claim()
    beating = stage.register_worker()
    sweeper = stage.sweeper(beat="5", lease="30")

    buried = []
    for _ in range(7):
        buried.append(sweeper.watch())
        clock.passes(5)
        stage.user.execute("update engine.worker set beats = beats + 1 where id = %s", [beating])

    assert buried == [[]] * 6 + [[stage.worker]]
    assert (stage.row(row).status, stage.value("select count(*) from engine.worker")) == ("Queued", 1)


def test_a_worker_that_beats_between_the_look_and_the_burial_lives(stage, clock):
    sweeper = stage.sweeper(beat="5", lease="30")
    for _ in range(6):
        sweeper.watch()
        clock.passes(5)
    heart = stage.connect()

    with ThreadPoolExecutor(1) as pool:
        with heart.transaction():
            heart.execute("update engine.worker set beats = beats + 1")
            watching = pool.submit(sweeper.watch)
            wait_until(lambda: stage.value("select count(*) from pg_locks where not granted"))
        buried = watching.result()

    assert (buried, stage.value("select count(*) from engine.worker")) == ([], 1)


def test_a_child_that_its_parent_saw_die_is_buried_at_once(stage):
    (row,) = stage.add()
    stage.claim()
    supervisor = stage.value("select supervisor from engine.worker")

    assert stage.sweeper().bury_child(str(supervisor), 2) == 0
    assert stage.sweeper().bury_child(str(supervisor), 1) == 1

    assert stage.row(row).status == "Queued"


def test_standing_still_counts_only_for_a_whole_lease_of_uninterrupted_observation(clock):
    worker, observer = uuid4(), Observer(timedelta(seconds=30), timedelta(seconds=5))

    for _ in range(6):
        assert observer.dead({worker: 7}) == {}
        clock.passes(4.9)
    assert observer.dead({worker: 7}) == {}
    clock.passes(4.9)

    assert observer.dead({worker: 7}) == {worker: 7}


def test_a_gap_in_the_observation_clears_the_memory(clock):
    worker, observer = uuid4(), Observer(timedelta(seconds=30), timedelta(seconds=5))

    for gap in (5, 5, 5, 5, 3600, 5, 5, 5, 5, 5):
        assert observer.dead({worker: 7}) == {}
        clock.passes(gap)

    assert observer.dead({worker: 7}) == {}
    clock.passes(5)
    assert observer.dead({worker: 7}) == {worker: 7}


def test_one_beat_is_enough_to_live_and_a_worker_that_went_away_is_forgotten(clock):
    worker, gone, observer = uuid4(), uuid4(), Observer(timedelta(seconds=30), timedelta(seconds=5))

    for look in range(12):
        assert observer.dead({worker: look // 6} if look % 6 else {worker: look // 6, gone: 1}) == {}
        clock.passes(5)


def test_a_sweeper_that_was_told_to_stop_before_it_began_ends_at_once(stage):
    stop = threading.Event()
    stop.set()

    stage.sweeper().run(stop)

    assert stage.value("select count(*) from engine.sweep_position") == 0
