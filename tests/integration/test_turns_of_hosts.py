"""Claims of polite workflows go from host to host: every host gets its turn, whatever stands before it."""

from datetime import timedelta

import pytest

from db.declaration import Politeness
from db.lifecycle import claim_by_key
from tests.lifecycle_support import guarded, keys

pytest_plugins = ["tests.stage_support"]


def polite(**wishes):
    return Politeness(column="host", group="web", **wishes)


@pytest.fixture
def stage_at_once(stage_with):
    """A stage where so many rows of a host may run at a time, one right after the other."""
    return lambda at_once: stage_with(politeness=polite(at_once=at_once, spacing=timedelta(0)))


@pytest.fixture
def stage_spaced(stage_with):
    """A stage where rows of a host start so many seconds apart, however many run."""
    return lambda seconds, **others: stage_with(
        politeness=polite(at_once=100, spacing=timedelta(seconds=seconds)), **others
    )


def test_a_crowd_of_one_host_at_the_head_does_not_starve_the_others(stage_spaced):
    stage = stage_spaced(3600)
    crowd = stage.add(200, host="busy.example")
    (other,) = stage.add(host="calm.example")

    first, second = stage.claim(50), stage.claim(50)

    assert len(first.rows) == 2
    assert other in keys(first)
    assert set(keys(first)) & set(crowd)
    assert (second.rows, second.full, second.due) == ([], False, True)


def test_every_host_gets_its_turn_before_any_host_gets_a_second_one(stage_at_once):
    stage = stage_at_once(1)
    stage.add(500, host="a crowd.example")
    hosts = [f"host {number}.example" for number in range(20)]
    for host in hosts:
        stage.add(3, host=host)

    turns = []
    for _ in range(9):
        batch = stage.claim(7)
        turns += [row.key for row in batch.rows]
        stage.record(batch)

    rounds = [turns[start : start + 21] for start in range(0, 63, 21)]
    assert [len(set(each)) for each in rounds] == [21] * 3


def test_a_claim_that_looked_at_many_keys_in_vain_goes_on_behind_them(stage_spaced, monkeypatch):
    monkeypatch.setattr(claim_by_key, "LOOKS", 5)
    stage = stage_spaced(3600)
    for number in range(20):
        stage.add(2, host=f"a {number:02}.example")
    stage.user.execute("insert into engine.pace select distinct key, now() + interval '1 hour' from engine.job")
    (last,) = stage.add(host="z.example")

    claims = [keys(stage.claim(10)) for _ in range(3)]

    assert claims[:3] == [[], [], [last]]


def test_rows_that_wait_for_their_host_are_not_written(stage_spaced):
    stage = stage_spaced(3600)
    stage.add(100, host="busy.example")
    stage.record(stage.claim())
    versions = "select pk, ctid, run_at from engine.job order by pk"
    before = stage.user.execute(versions).fetchall()
    stage.add(host="calm.example")

    stage.record(stage.claim())

    assert stage.user.execute(versions).fetchall() == before
    assert len(before) == 99


def test_urgent_rows_are_next_of_their_host_one_after_the_other_however_many_wait_there(stage_with):
    stage = stage_with(politeness=polite(at_once=1, spacing=timedelta(0)), priority="urgency")
    stage.add(500, host="busy.example", urgency=5)
    stage.record(stage.claim(100))
    urgent = stage.add(2, host="busy.example", urgency=1)

    begun = [stage.claim(100)]
    stage.record(begun[0])
    begun.append(stage.claim(100))

    assert sorted(pk for batch in begun for pk in keys(batch)) == sorted(urgent)


def test_urgent_rows_of_another_host_come_before_the_rest_of_the_round(stage_with):
    stage = stage_with(politeness=polite(at_once=1, spacing=timedelta(0)), priority="urgency")
    for number in range(10):
        stage.add(host=f"host {number}.example", urgency=5)
    stage.claim(3)
    (urgent,) = stage.add(host="a.example", urgency=1)

    assert keys(stage.claim(1)) == [urgent]


def test_claims_do_not_wait_for_each_other(stage_at_once):
    stage = stage_at_once(1)
    stage.add(3, host="busy.example")
    (other,) = stage.add(host="calm.example")
    slow = stage.connect()

    with guarded(slow):
        first = stage.claimer.claim(slow, stage.worker, 1)
        meanwhile = stage.claim(10)

    assert len(first.rows) == 1
    assert keys(meanwhile) == [other]


def test_a_crowd_of_withdrawn_rows_does_not_hold_up_the_next_row_of_its_host(stage_at_once):
    stage = stage_at_once(1)
    withdrawn = stage.add(1_000, host="busy.example")
    stage.set(withdrawn, status=None)
    (wanted,) = stage.add(host="busy.example")

    claims = next(number for number in range(1, 100) if keys(stage.claim(10)) == [wanted])

    assert claims <= 5


@pytest.mark.parametrize("size", [1, 50])
def test_two_thousand_rows_of_one_host_hold_up_another_for_no_more_than_one_claim(stage_spaced, size):
    stage = stage_spaced(3600)
    stage.add(2_000, host="busy.example")
    stage.record(stage.claim(size))
    (other,) = stage.add(host="calm.example")

    assert keys(stage.claim(size)) == [other]
