"""Three hands at once, and a migrate among people and workers who do not wait for it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from tests.interleavings import LAST_WORDS, NO_OVERLAP, scene
from tests.samples import sample_workflow

pytestmark = pytest.mark.slow

pytest_plugins = ["tests.stage_support"]

ROWS = 6
MOMENTS = range(1, 7)
# The sweeper is interrupted by a worker, who is interrupted by a user.
CROWDS = [
    ("queued", "sweep_rows", "claim", "requeue"),
    ("queued", "sweep_jobs", "claim", "cancel"),
    ("queued", "sweep_rows", "claim", "edit"),
    ("running", "recover", "record", "requeue"),
    ("running", "recover", "record", "cancel"),
    ("lost", "recover", "claim", "requeue"),
    ("orphaned", "sweep_rows", "claim", "requeue"),
    ("missed", "sweep_rows", "sweep_rows", "cancel"),
]

EFFECTS = {"requeue": (1, 2), "cancel": (0, 1), "edit": (1, 1)}


@pytest.fixture(scope="module")
def stage(shared_stage_with):
    stage = shared_stage_with(max_attempts=5)
    stage.user.execute(NO_OVERLAP)
    return stage


@pytest.fixture(scope="module")
def hands(stage):
    """Two connections that are interrupted, and a user with a bulk update."""
    return stage.interrupted(0, print), stage.interrupted(0, print), stage.bystander(lambda _: None)


@pytest.mark.parametrize("crowd", CROWDS, ids=" ".join)
def test_a_bulk_update_between_a_worker_and_a_sweeper_has_the_last_word(stage, hands, crowd):
    state, first, second, third = crowd
    outer, inner, user = hands
    for outer_moment, inner_moment in product(MOMENTS, MOMENTS):
        made = scene(stage, state, ROWS)
        user.act, user.acting = partial(made.act, third), None
        inner.act, inner.statements_left = user, inner_moment
        outer.act, outer.statements_left = partial(made.act, second, inner), outer_moment

        made.act(first, outer)
        user.finish()
        made.calm_down()

        assert set(stage.statuses(made.rows)) == {LAST_WORDS[third]}
        least, most = EFFECTS[third]
        assert all(least <= made.effects(row) == made.completed.count(row) <= most for row in made.rows)
        assert stage.value("select count(*) from engine.job") == 0


def test_a_migrate_among_people_and_workers_makes_nobody_fail_and_loses_nothing(stage_with):
    stage = stage_with()
    stage.user.execute(NO_OVERLAP)
    made = scene(stage, "queued", 40)
    over = threading.Event()

    def wish(by):
        turns = 0
        while not over.is_set():
            row = made.rows[turns % len(made.rows)]
            stage.set(row, by=by, status="Skipped" if turns % 3 else "Queued")
            turns += 1
        stage.set(made.rows, by=by, status="Queued")
        return turns

    def work(by):
        while not over.is_set():
            for hand in ("claim", "record", "sweep_rows", "sweep_jobs"):
                made.act(hand, by)

    with ThreadPoolExecutor(3) as people:
        turns = people.submit(wish, stage.connect())
        working = people.submit(work, stage.connect())
        try:
            for number in range(1, 4):
                stage.user.execute("comment on schema engine is 'to be applied again'")
                workflows = [*WORKFLOWS, sample_workflow(batch=number, max_in_flight=number)]
                migrate(stage.url, workflows, Settings().default_tenant_id)
        finally:
            over.set()
        assert turns.result() > 3
        working.result()
    made.calm_down()

    assert set(stage.statuses(made.rows)) == {"Done"}
    assert all(made.completed.count(row) == made.effects(row) >= 1 for row in made.rows)
    assert stage.value("select count(*) from engine.job") == 0
