"""How many rows may be in flight: it grows while there is room on the machine, and no workflow starves another."""

import pytest

from app import in_flight
from app.in_flight import FEWEST, FIRST_LIMIT, InFlight

PLENTY = 2**40


@pytest.fixture(autouse=True)
def quiet_machine(monkeypatch):
    """Every look adapts the limit; neither this interpreter nor the memory is short of anything."""
    monkeypatch.setattr(in_flight, "STEP_SECONDS", 0.0)
    monkeypatch.setattr(in_flight, "FULL_INTERPRETER", float("inf"))
    monkeypatch.setattr(in_flight, "memory_left", lambda: PLENTY)


def limit_after(flights, looks, *, workflow="pages", seconds=0.0, waited=0.0):
    """The limit when all rows that may begin have begun before each of so many looks."""
    for _ in range(looks):
        flights.begun(workflow, room := flights.room(workflow), wanted=room)
        for _ in range(room):
            flights.ended(workflow, seconds=seconds, waited=waited)
    return flights.limit


def test_the_limit_grows_while_rows_are_turned_away_and_no_further_than_allowed():
    flights = InFlight(most=200)

    assert flights.limit == FIRST_LIMIT
    assert limit_after(flights, 2) > FIRST_LIMIT
    assert limit_after(flights, 20) == 200


def test_the_limit_stays_where_fewer_rows_are_due_than_may_begin():
    flights = InFlight(most=200)

    for _ in range(5):
        flights.begun("pages", 3, wanted=flights.room("pages"))
        for _ in range(3):
            flights.ended("pages", seconds=1.0, waited=0.0)

    assert flights.limit == FIRST_LIMIT


def test_the_limit_shrinks_when_rows_mostly_wait_for_a_parser_but_some_may_always_run():
    flights = InFlight(most=200)

    shrunk = limit_after(flights, 3, seconds=1.0, waited=0.9)

    assert shrunk < FIRST_LIMIT
    assert limit_after(flights, 50, seconds=1.0, waited=0.9) == FEWEST


def test_the_limit_does_not_grow_when_parsers_or_the_interpreter_are_busy(monkeypatch):
    busy_parsers = InFlight(most=200)
    assert limit_after(busy_parsers, 5, seconds=1.0, waited=0.4) == FIRST_LIMIT

    monkeypatch.setattr(in_flight, "FULL_INTERPRETER", 0.0)
    assert limit_after(InFlight(most=200), 5) == FIRST_LIMIT


def test_the_limit_shrinks_when_memory_runs_short(monkeypatch):
    flights = InFlight(most=200)
    monkeypatch.setattr(in_flight, "memory_left", lambda: 0)

    assert limit_after(flights, 3) < FIRST_LIMIT


def test_a_workflow_may_begin_its_share_though_another_has_taken_all_places():
    flights = InFlight(most=FIRST_LIMIT)
    flights.begun("pages", FIRST_LIMIT, wanted=FIRST_LIMIT)

    assert flights.room("pages") == 0
    assert flights.room("sitemaps") == FIRST_LIMIT // 2


def test_the_memory_that_is_left_is_what_the_machine_has_at_most(monkeypatch, tmp_path):
    monkeypatch.undo()
    (tmp_path / "memory.max").write_text("1000000")
    (tmp_path / "memory.current").write_text("400000")
    monkeypatch.setattr(in_flight, "_CGROUP", tmp_path)

    assert in_flight.memory_left() == 600_000
