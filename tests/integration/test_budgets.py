"""A budget: so many rows in a minute and in a day, by all processes together; the rest waits and burns nothing."""

import pytest

from actors._workflow import Budget
from tests.lifecycle_support import keys

pytest_plugins = ["tests.stage_support"]


def move_window_back(stage, period, interval):
    stage.user.execute(
        "update engine.usage set starts_at = starts_at - %s::interval where period = %s", [interval, period]
    )


def stay_in_the_minute(stage):
    """As if a minute that ended between two claims had not."""
    stage.user.execute(
        "update engine.usage set starts_at = date_trunc('minute', clock_timestamp()) where period = 'minute'"
    )


@pytest.mark.parametrize(
    ("budget", "period", "length"),
    [(Budget(per_minute=2), "minute", "1 minute"), (Budget(per_day=2), "day", "1 day")],
    ids=["minute", "day"],
)
def test_no_more_rows_start_than_the_budget_allows_until_the_next_period(stage_with, budget, period, length):
    stage = stage_with(budget=budget)
    rows = stage.add(3)

    first = stage.claim()
    stage.record(first)
    stay_in_the_minute(stage)
    refused = stage.claim()
    move_window_back(stage, period, length)
    second = stage.claim()

    assert [len(batch.rows) for batch in (first, refused, second)] == [2, 0, 1]
    assert sorted(keys(first) + keys(second)) == sorted(rows)


def test_two_workers_share_one_budget(stage_with):
    stage = stage_with(budget=Budget(per_day=3))
    stage.add(10)

    taken = [len(stage.claim(2, worker=stage.register_worker()).rows) for _ in range(3)]

    assert taken == [2, 1, 0]


def test_a_row_over_the_budget_stays_queued_with_all_its_attempts(stage_with):
    stage = stage_with(budget=Budget(per_minute=1))
    first, second = stage.add(2)

    stage.claim()

    (waiting,) = {first, second} - {pk for pk in (first, second) if stage.job(pk).token}
    assert (stage.row(waiting).status, stage.job(waiting).attempt) == ("Queued", 0)


def test_the_operators_budget_beats_the_declared_one(stage_with):
    stage = stage_with(budget=Budget(per_day=1))
    stage.add(5)
    stage.user.execute("update engine.workflow set per_day = 4 where name = 'sampling'")

    assert len(stage.claim().rows) == 4


def test_an_operator_can_give_a_budget_to_a_workflow_that_has_none(stage):
    stage.add(5)
    stage.user.execute("update engine.workflow set per_minute = 2 where name = 'sampling'")

    first = stage.claim()
    stay_in_the_minute(stage)

    assert [len(first.rows), len(stage.claim().rows)] == [2, 0]


def test_the_day_of_a_budget_begins_at_midnight_of_its_zone(stage_with):
    stage = stage_with(budget=Budget(per_day=1, zone="Asia/Tokyo"))
    stage.add()

    stage.claim()

    began = stage.value("select starts_at at time zone 'Asia/Tokyo' from engine.usage where period = 'day'")
    assert (began.hour, began.minute) == (0, 0)


def test_the_overview_shows_what_the_day_has_used_of_its_budget(stage_with):
    stage = stage_with(budget=Budget(per_day=5))
    stage.add(2)

    stage.claim()

    query = "select used_today, per_day from engine.overview where workflow = 'sampling'"
    assert stage.user.execute(query).fetchone() == (2, 5)
