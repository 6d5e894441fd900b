"""Who stopped it, who raised the limit: recorded, by whatever way it was done."""

import psycopg
import pytest

from db.people import steering
from db.people.steering import SteeringError

ACTIONS = "select operator, action, workflow, detail from engine.action order by id"


def actions(db):
    return db.execute(ACTIONS).fetchall()


def test_a_pause_and_a_resume_are_recorded_with_their_operator_and_reason(db):
    steering.pause(db, "deep_scan", "the bill", operator="ann")
    steering.resume(db, "deep_scan", operator="bob")

    assert actions(db) == [
        ("ann", "pause", "deep_scan", {"reason": "the bill"}),
        ("bob", "resume", "deep_scan", {"reason": "the bill"}),
    ]


def test_hand_typed_sql_is_recorded_with_the_role_the_application_and_the_time(database):
    with psycopg.connect(database, autocommit=True, application_name="a prompt") as prompt:
        prompt.execute("update engine.workflow set paused = true where name = 'deep_scan'")

        recorded = prompt.execute(
            "select operator, action, detail, role, application_name, happened_at <= clock_timestamp() "
            "from engine.action"
        ).fetchall()

    assert recorded == [("scrapersky", "pause", {"reason": None}, "scrapersky", "a prompt", True)]


def test_an_operators_name_lasts_for_one_transaction(db):
    steering.pause(db, "deep_scan", None, operator="ann")
    db.execute("update engine.workflow set paused = false where name = 'deep_scan'")

    assert [operator for operator, *_ in actions(db)] == ["ann", "scrapersky"]


def test_a_changed_limit_is_recorded_with_what_it_was(db):
    steering.set_limits(db, "deep_scan", {"max_in_flight": 4, "per_day": 0}, operator="ann")
    steering.set_limits(db, "deep_scan", {"max_in_flight": 8}, operator="ann")
    steering.set_limits(db, "deep_scan", {"max_in_flight": None, "per_day": None}, operator="ann")

    assert [detail for *_, detail in actions(db)] == [
        {"max_in_flight": [None, 4], "per_day": [None, 0]},
        {"max_in_flight": [4, 8]},
        {"max_in_flight": [8, None], "per_day": [0, None]},
    ]


def test_a_statement_that_changes_nothing_is_not_recorded_and_one_that_changes_all_is_once_each(db):
    db.execute("update engine.workflow set paused = false, max_in_flight = null")
    assert actions(db) == []

    db.execute("update engine.workflow set paused = true, batch = 7")
    workflows = db.execute("select count(*) from engine.workflow").fetchone()[0]
    assert len(actions(db)) == 2 * workflows


def test_to_resume_what_blocked_itself_is_an_action_and_the_block_is_none(db):
    db.execute("update engine.workflow set blocked_reason = 'a wrong key' where name = 'deep_scan'")
    assert actions(db) == []

    steering.resume(db, "deep_scan", operator="ann")

    assert actions(db) == [("ann", "resume", "deep_scan", {"reason": "a wrong key"})]


def test_an_old_reason_does_not_explain_the_next_pause(db):
    steering.pause(db, "deep_scan", "the bill", operator="ann")
    steering.resume(db, "deep_scan", operator="ann")
    db.execute("update engine.workflow set paused = true where name = 'deep_scan'")

    assert db.execute("select paused_reason from engine.workflow where name = 'deep_scan'").fetchone() == (None,)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_inflight": 1}, "unknown limit 'max_inflight', did you mean 'max_in_flight'?"),
        ({"batch": 0}, "batch: expected a number from 1 to 2147483647, got 0"),
        ({"per_day": -1}, "per_day: expected a number from 0 to 2147483647, got -1"),
        ({"per_day": 2**31}, "per_day: expected a number from 0 to 2147483647, got 2147483648"),
    ],
)
def test_a_wrong_limit_is_refused_and_nothing_changes(db, limits, message):
    with pytest.raises(SteeringError, match=message.replace("?", r"\?")):
        steering.set_limits(db, "deep_scan", {"max_attempts": 2, **limits}, operator="ann")

    assert db.execute("select max_attempts from engine.workflow where name = 'deep_scan'").fetchone() == (None,)
    assert actions(db) == []


def test_an_unknown_workflow_is_answered_with_a_guess(db):
    with pytest.raises(SteeringError, match="unknown workflow 'deep_scna', did you mean 'deep_scan'"):
        steering.pause(db, "deep_scna", None, operator="ann")
