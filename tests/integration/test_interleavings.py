"""Two hands on one row, the second acting before every statement of the first: the same end as one after the other."""

from functools import partial

import pytest

from tests.interleavings import LAST_WORDS, NO_OVERLAP, scene

pytestmark = pytest.mark.slow

pytest_plugins = ["tests.stage_support"]

USERS = ("cancel", "requeue", "edit", "delete")
# The state of the row, whose statements are counted, and who comes between.
PAIRS = {
    "queued": (("claim", "sweep_rows", "sweep_jobs"), ("claim", "sweep_rows", "sweep_jobs", *USERS)),
    "running": (("record", "sweep_rows"), ("record", "recover", "claim", "sweep_rows", "sweep_jobs", *USERS)),
    "lost": (("recover", "record"), ("recover", "record", "claim", "sweep_rows", "sweep_jobs", *USERS)),
    "orphaned": (("sweep_rows", "sweep_jobs"), ("sweep_rows", "sweep_jobs", "claim", *USERS)),
    "missed": (("sweep_rows",), ("sweep_rows", "claim", *USERS)),
    "withdrawn": (("sweep_jobs", "claim"), ("sweep_jobs", "sweep_rows", "claim", *USERS)),
}
SCHEDULES = [
    (state, first, second) for state, (firsts, seconds) in PAIRS.items() for first in firsts for second in seconds
]


@pytest.fixture(scope="module")
def stage(shared_stage_with):
    stage = shared_stage_with(max_attempts=5)
    stage.user.execute(NO_OVERLAP)
    return stage


@pytest.fixture(scope="module")
def hands(stage):
    """A connection that is interrupted, and whoever interrupts it."""
    return stage.interrupted(0, lambda: None), stage.bystander(lambda _: None)


@pytest.mark.parametrize(("state", "first", "second"), SCHEDULES)
def test_whoever_comes_between_the_row_ends_as_its_user_wants_and_once(stage, hands, state, first, second):
    connection, other = hands
    moment, interrupted = 0, True
    while interrupted:
        moment += 1
        made = scene(stage, state)
        other.act, other.acting = partial(made.act, second), None
        connection.act, connection.statements_left = other, moment

        made.act(first, connection)
        interrupted = other.acting is not None
        other.finish()
        made.calm_down()

        check_end(made, state, second)
    assert moment > 1


def check_end(made, state, second):
    (row,) = made.rows
    kept = "Skipped" if state == "withdrawn" and second != "requeue" else LAST_WORDS.get(second, "Done")
    found, effects = made.stage.row(row), made.effects(row)
    assert (found and found.status) == (None if second == "delete" else kept)
    assert made.stage.job(row) is None
    assert made.completed.count(row) == effects
    if second in {"cancel", "delete"} or kept == "Skipped":
        assert effects <= 1
    elif second == "requeue":
        assert 1 <= effects <= 2
    else:
        assert effects == 1
