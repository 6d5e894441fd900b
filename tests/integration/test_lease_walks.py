"""Two listeners and two users in any order: listeners wake, close, lapse and are killed, and no row is lost."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import IsolationLevel

from app.poller import Poller
from tests.lease_support import LAPSE, opened

pytest_plugins = ["tests.trigger_fixtures"]

LEVELS = [IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ]
MOVES = [f"{verb} {number}" for verb in ("step", "wake", "kill", "use") for number in (0, 1)] + ["lapse"]
# Most moves go on with what was begun.
WALKS = st.lists(st.sampled_from([*MOVES, *["step 0", "step 1", "use 0", "use 1"] * 2]), min_size=5, max_size=25)


class Trusting(Poller):
    """Believes that nobody is under way who saw it awake."""

    def _close(self, connection):
        self._horizon = 0
        return super()._close(connection)


@pytest.fixture(scope="module")
def stage(url):
    with opened(url) as stage:
        yield stage


def unserved(stage, walk, level, kind=Poller):
    """How many of the two users' rows were neither rung for nor seen."""
    stage.reset()
    listeners = [stage.listener(kind), stage.listener(kind)]
    users = [stage.user(level, number) for number in (0, 1)]
    for move in walk:
        verb, _, number = move.partition(" ")
        if verb == "lapse":
            stage.admin.execute(LAPSE)
        elif verb == "use":
            users[int(number)].step(stage)
        elif verb == "kill":
            listeners[int(number)] = stage.listener(kind)
        else:
            getattr(stage, verb)(listeners[int(number)])
    for user in users:
        user.finish(stage)
    stage.go_on(*listeners)
    assert [one.state for one in listeners] == ["asleep", "asleep"]
    return sum(not user.is_served(stage) for user in users)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(walk=WALKS, level=st.sampled_from(LEVELS))
def test_no_walk_loses_a_row(stage, walk, level):
    assert unserved(stage, walk, level) == 0


def test_the_walks_can_lose_one(stage):
    walk = ["wake 0", "step 0", "use 0", "use 0", "step 0", "step 0", "step 0", "step 0", "use 0"]

    assert unserved(stage, walk, IsolationLevel.READ_COMMITTED, Trusting) == 1
    assert unserved(stage, walk, IsolationLevel.READ_COMMITTED) == 0
