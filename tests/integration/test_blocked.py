"""A workflow that can not succeed at all stops itself: its rows stay queued, and the reason is where people look."""

from datetime import UTC, datetime, timedelta

import pytest

from db.outcomes import Blocked
from tests.lifecycle_support import keys

pytest_plugins = ["tests.stage_support"]

FOR_GOOD = Blocked("the key is wrong; set a new one", None)


def overview(stage):
    query = "select paused, paused_reason, paused_until from engine.overview where workflow = 'sampling'"
    return stage.user.execute(query).fetchone()


def test_a_row_that_finds_its_workflow_blocked_goes_back_with_its_attempt_and_the_reason(stage):
    (row,) = stage.add()

    verdicts = stage.run(FOR_GOOD)

    assert verdicts == {row: "released"}
    assert (stage.row(row).status, stage.row(row).error) == ("Queued", "the key is wrong; set a new one")
    assert (stage.job(row).attempt, stage.job(row).dead) == (0, False)


def test_nothing_of_a_blocked_workflow_starts_and_the_overview_says_why(stage):
    stage.add(2)

    stage.run(FOR_GOOD)

    assert keys(stage.claim()) == []
    assert overview(stage) == (True, "the key is wrong; set a new one", None)


def test_a_block_with_an_end_ends_by_itself(stage):
    (row,) = stage.add()
    stage.run(Blocked("the day's quota is used up", datetime.now(UTC) + timedelta(hours=1)))
    blocked = keys(stage.claim())

    stage.user.execute("update engine.workflow set blocked_until = now() - interval '1 second'")

    assert blocked == []
    assert overview(stage) == (False, None, None)
    assert keys(stage.claim()) == [row]


def test_setting_paused_to_false_resumes_whoever_stopped_it(stage):
    (row,) = stage.add()
    stage.run(FOR_GOOD)
    ear = stage.connect()
    ear.execute("listen engine")

    stage.user.execute("update engine.workflow set paused = false where name = 'sampling'")

    assert [notice.payload for notice in ear.notifies(timeout=10, stop_after=1)] == ["sampling"]
    assert keys(stage.claim()) == [row]


def test_an_operators_pause_stands_before_a_block(stage):
    stage.add()
    stage.run(FOR_GOOD)

    stage.user.execute("update engine.workflow set paused = true, paused_reason = 'holiday' where name = 'sampling'")

    assert overview(stage) == (True, "holiday", None)


def test_the_sweeper_forgets_blocks_that_are_over(stage):
    stage.add()
    stage.run(Blocked("the day's quota is used up", datetime.now(UTC) - timedelta(seconds=1)))

    stage.sweeper().retention.prune()

    assert stage.value("select blocked_reason from engine.workflow where name = 'sampling'") is None


@pytest.mark.parametrize("blocked", [True, False])
def test_a_retried_row_of_another_attempt_keeps_counting_after_a_block(stage, blocked):
    (row,) = stage.add()
    if blocked:
        stage.run(FOR_GOOD)
        stage.user.execute("update engine.workflow set paused = false")

    stage.claim()

    assert stage.job(row).attempt == 1
