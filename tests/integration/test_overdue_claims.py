"""A claim that outlives every limit of its workflow is ended, though its worker lives: no row stays for ever."""

import time
from datetime import timedelta

import pytest

from db import declaration
from tests.lifecycle_support import wait_until

pytest_plugins = ["tests.stage_support", "tests.runner_support"]

LONGEST = 0.5


@pytest.fixture
def stage(stage_with, monkeypatch):
    """Its claims last for half a second at most, by what is declared."""
    monkeypatch.setattr(declaration, "RECORDING", timedelta(seconds=LONGEST - 0.2))
    return stage_with(time_limit=timedelta(seconds=0.1), rescue_after=timedelta(seconds=0.2))


@pytest.fixture
def sweeper(stage):
    return stage.sweeper(sweep="10")


def overdue(sweeper):
    return sweeper.sweep("sampling").overdue_claims


def test_a_forgotten_claim_is_ended_and_its_late_result_is_refused(stage, sweeper):
    forgotten = stage.add(3)
    batch = stage.claim()

    wait_until(lambda: overdue(sweeper) == len(forgotten))

    assert set(stage.statuses(forgotten)) == {"Queued"}
    assert "outlived every limit" in stage.row(forgotten[0]).error
    assert {one.verdict for one in stage.record(batch).values()} == {"stale"}
    assert stage.value("select overdue_claims from engine.sweep where workflow = 'sampling'") == 3
    assert stage.claim().rows[0].attempt == 2, "an attempt that brought this about counts"


def test_a_row_whose_claims_are_always_forgotten_comes_to_an_end(stage, sweeper):
    (row,) = stage.add(1)

    for _ in range(stage.workflow.max_attempts):
        assert stage.claim().rows
        wait_until(lambda: overdue(sweeper) == 1)

    assert stage.row(row).status == "Failed"


def test_claims_that_come_and_go_are_left_alone(stage, sweeper):
    began = time.monotonic()
    while time.monotonic() < began + 3 * LONGEST:
        stage.add(1)
        batch = stage.claim()
        assert overdue(sweeper) == 0
        stage.record(batch)


def test_a_clock_that_jumps_ends_no_claim(stage, sweeper):
    (row,) = stage.add(1)
    stage.claim()
    stage.set_job(row, "started_at = now() - interval '1 year'")

    assert overdue(sweeper) == 0
    assert stage.value("select code from engine.explain('samples', %s)", row) == "overdue"
    assert "longer than every limit" in stage.value("select engine.why('samples', %s)", row)


def test_a_sweeper_that_looked_away_begins_to_count_anew(stage):
    stage.add(1)
    stage.claim()
    sweeper = stage.sweeper(sweep="0.05")  # a gap of three intervals is too long

    for _ in range(4):
        assert overdue(sweeper) == 0
        time.sleep(LONGEST / 2)


def test_a_result_that_waits_for_a_lock_is_kept_and_its_claim_is_not_overdue(stage_with, run_once, monkeypatch):
    longest = 2.0
    monkeypatch.setattr(declaration, "RECORDING", timedelta(seconds=longest - 0.2))
    stage = stage_with(time_limit=timedelta(seconds=0.1), rescue_after=timedelta(seconds=0.2))
    sweeper = stage.sweeper(sweep="10")
    (row,) = stage.add(action="find")
    stage.user.execute("insert into findings (name) select name from samples")
    holder = stage.connect()
    holder.execute("begin")
    holder.execute("select from findings for update")
    late = run_once(stage.url, stage.workflow, beat=0.05)

    began = time.monotonic()
    while time.monotonic() < began + 2 * longest:
        assert overdue(sweeper) == 0
        late.bring()
    # A heartbeat of 50 ms comes late on a busy machine, and the worker is silent for that moment.
    wait_until(
        lambda: late.bring() or stage.value("select code from engine.explain('samples', %s)", row) == "result_waits"
    )

    holder.execute("commit")
    late.bring()
    assert (stage.row(row).status, stage.value("select count(*) from engine.attempt")) == ("Done", 0)
    wait_until(lambda: late.bring() or stage.value("select count(*) from engine.worker where late <> '{}'") == 0)


def test_a_claim_that_its_worker_no_longer_brings_is_overdue_though_it_was_late_once(stage, sweeper):
    stage.add(1)
    stage.claim()
    stage.user.execute("update engine.worker set late_said = 7, late = (select array_agg(token) from engine.job)")

    wait_until(lambda: overdue(sweeper) == 1)


def test_who_keeps_the_suppression_list_open_is_named_with_the_remedy(stage):
    (row,) = stage.add(1)
    stage.claim()
    stage.user.execute("update engine.worker set late = (select array_agg(token) from engine.job)")
    lister = stage.connect()
    lister.execute("begin")
    lister.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com')")

    told = stage.value("select engine.why('samples', %s)", row)

    assert f"its result waits for backend {lister.info.backend_pid} of user " in told
    assert "which has engine.suppression_lock" in told
    assert f"select pg_terminate_backend({lister.info.backend_pid}); the result is kept" in told
