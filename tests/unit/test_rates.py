"""How fast a queue moves: what came in, and by how much less there is of it."""

import pytest

from app.reading import Rates, Reading


def look(at, *, ready, submission=0, submitted=0):
    row = {"workflow": "deep_scan", "ready": ready, "delayed": 0, "running": 0}
    return Reading([row], 1, 0, [], submission, {"deep_scan": submitted}, {"deep_scan": 4.0}, at)


def test_the_first_look_takes_the_rate_that_workers_told():
    rates = Rates()

    assert rates.since is None
    assert rates.of(look(0.0, ready=100, submission=7)) == {"deep_scan": 4.0}
    assert rates.since == 7


def test_what_is_gone_has_ended_and_what_came_in_meanwhile_counts_too():
    rates = Rates()
    rates.of(look(0.0, ready=100))

    assert rates.of(look(2.0, ready=80)) == {"deep_scan": 10.0}
    assert rates.of(look(4.0, ready=100, submitted=60)) == {"deep_scan": 15.0}


def test_a_queue_that_only_grows_has_no_negative_rate():
    rates = Rates()
    rates.of(look(0.0, ready=10))

    assert rates.of(look(1.0, ready=500)) == {"deep_scan": 0.0}


def test_old_looks_are_forgotten():
    rates = Rates()
    for second in range(30):
        last = rates.of(look(float(second), ready=1000 - 10 * second, submission=second))

    assert last == {"deep_scan": pytest.approx(10.0)}
    assert rates.since == 20
