"""Politeness: at most so many rows of one key at a time, their starts apart, and nobody else held up by it."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from app.config import Settings
from db.declaration import Declaration, Politeness, Words
from db.lifecycle import Claimer
from db.migrate import migrate
from db.models import LocalBusiness
from tests.lifecycle_support import guarded, keys, wait_until

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


@pytest.mark.parametrize("at_once", [1, 3])
def test_at_most_so_many_rows_of_a_host_run_at_a_time(stage_at_once, at_once):
    stage = stage_at_once(at_once)
    rows = stage.add(5, host="smile.example")

    running = [stage.claim() for _ in range(at_once)]
    refused = stage.claim()

    assert ([len(batch.rows) for batch in running], len(refused.rows), refused.due) == ([1] * at_once, 0, True)
    for batch in running:
        stage.record(batch)
    wait_until(lambda: stage.record(stage.claim()) == {} and stage.statuses(rows) == ["Done"] * 5)


def test_the_starts_of_a_host_are_apart_though_nothing_runs_any_more(stage_spaced):
    stage = stage_spaced(3600)
    first, second = stage.add(2, host="smile.example")

    (done,) = stage.record(stage.claim())
    too_early = keys(stage.claim())
    stage.user.execute("update engine.pace set next_start = now()")
    in_time = keys(stage.claim())

    assert too_early == []
    assert {done, *in_time} == {first, second}


def test_rows_of_a_host_start_one_after_the_other_with_the_spacing_between_them(stage_spaced):
    stage = stage_spaced(0.4)
    rows, started = stage.add(4, host="smile.example"), []

    def start_another():
        started.extend(stage.job(row).started_at for row in keys(stage.claim()))
        return len(started) == len(rows)

    wait_until(start_another)

    gaps = [later - earlier for earlier, later in pairwise(started)]
    assert min(gaps) >= timedelta(seconds=0.4)


def test_rows_of_other_hosts_and_of_no_host_are_not_held_back(stage_spaced):
    stage = stage_spaced(3600)
    crowd, other, hostless = stage.add(5, host="busy.example"), stage.add(host="calm.example"), stage.add(2)

    claimed = keys(stage.claim())

    assert len(set(claimed) & set(crowd)) == 1
    assert set(claimed) - set(crowd) == {*other, *hostless}


def test_rows_that_a_user_withdrew_hold_up_nobody(stage):
    withdrawn = stage.add(2_000)
    stage.set(withdrawn, status=None)
    (wanted,) = stage.add()

    claims = next(number for number in range(1, 100) if keys(stage.claim(1)) == [wanted])

    assert claims <= 7


def test_rows_that_a_user_has_locked_hold_up_nobody(stage):
    stage.add(2_000)
    locking = stage.connect()
    with locking.transaction():
        locking.execute("select 1 from samples for update")
        (free,) = stage.add()

        claims = next(number for number in range(1, 100) if keys(stage.claim(1)) == [free])

    assert claims <= 7


def test_a_long_look_begins_no_more_rows_than_the_limit_in_flight_allows(stage_with):
    stage = stage_with(max_in_flight=2, politeness=polite(at_once=1, spacing=timedelta(seconds=3600)))
    stage.add(100, host="busy.example")
    stage.record(stage.claim())
    calm = [*stage.add(host="calm.example"), *stage.add(host="still.example"), *stage.add(host="mild.example")]

    begun = keys(stage.claim())

    assert len(begun) == len(set(begun) & set(calm)) == 2
    assert stage.statuses(calm).count("Queued") == 1


def test_rows_that_are_spared_wait_in_queued_and_burn_no_attempt(stage_spaced):
    stage = stage_spaced(60)
    rows = stage.add(4, host="smile.example")

    (running,) = keys(stage.claim())

    spared = [row for row in rows if row != running]
    assert stage.statuses(spared) == ["Queued"] * 3
    assert [stage.job(row).attempt for row in spared] == [0] * 3
    assert [stage.row(row).error for row in spared] == [None] * 3


def test_workflows_of_one_group_share_their_hosts(stage_with):
    politeness = polite(at_once=1, spacing=timedelta(0))
    stage = stage_with(politeness=politeness)
    second = Declaration(
        name="second",
        table=LocalBusiness,
        status="domain_extraction_status",
        error="domain_extraction_error",
        words=Words("Queued", "Processing", "Completed", "Error"),
        politeness=replace(politeness, column="city"),
    )
    migrate(stage.url, [stage.workflow, second], Settings().default_tenant_id)
    for host in ("smile.example", "other.example"):
        query = "insert into local_businesses (city, domain_extraction_status) values (%s, 'Queued')"
        stage.user.execute(query, [host])
    stage.add(host="smile.example")

    running = stage.claim()
    meanwhile = claim_hosts(stage, second)
    stage.record(running)
    afterwards = claim_hosts(stage, second)

    assert (len(running.rows), meanwhile, afterwards) == (1, ["other.example"], ["smile.example"])


def claim_hosts(stage, declaration):
    with guarded(stage.engine):
        batch = Claimer(declaration, ["city"]).claim(stage.engine, stage.worker, 10)
    return [row.values[0] for row in batch.rows]


def test_a_host_that_asked_for_a_rest_gets_it_from_every_workflow_of_the_group(stage_at_once):
    stage = stage_at_once(1)
    first, _ = stage.add(2, host="smile.example")

    batch = stage.claim()
    with guarded(stage.engine):
        stage.recorder.rest(stage.engine, {"web:smile.example": 3600.0})
    stage.record(batch)

    assert keys(batch) == [first]
    assert keys(stage.claim()) == []


def test_a_rest_never_shortens_a_longer_one(stage_at_once):
    stage = stage_at_once(1)

    for seconds in (3600.0, 1.0):
        stage.recorder.rest(stage.engine, {"web:smile.example": seconds})

    assert stage.value("select next_start > now() + interval '30 minutes' from engine.pace")


def test_workers_and_users_among_crowds_never_make_a_host_run_twice_and_end_every_row(stage_at_once):
    stage = stage_at_once(1)
    # No commit may leave a second run of a host.
    stage.user.execute(
        "alter table engine.job add constraint one_of_a_host exclude (key with =) where (token is not null) "
        "deferrable initially deferred"
    )
    rows = [row for host in ("busy.example", "calm.example", "still.example") for row in stage.add(150, host=host)]
    over = threading.Event()

    def work(seed):
        connection, dice, begun = stage.connect(), random.Random(seed), 0  # noqa: S311 - no secret
        while not over.is_set():
            batch = stage.claim(dice.choice([1, 5, 50]), by=connection)
            begun += len(batch.rows)
            stage.record(batch, by=connection)
        return begun

    def hinder():
        connection, dice = stage.connect(), random.Random(4)  # noqa: S311 - no secret
        while not over.is_set():
            some = dice.sample(rows, 40)
            with connection.transaction():
                connection.execute("select from samples where id = any(%s::uuid[]) for update skip locked", [some])
                over.wait(0.01)
            held = "update samples set status = null where id = any(%s::uuid[]) and status = 'Queued' returning id"
            withdrawn = [row for (row,) in connection.execute(held, [some]).fetchall()]
            connection.execute("update samples set status = 'Queued' where id = any(%s)", [withdrawn])

    with ThreadPoolExecutor(5) as crowd:
        workers, user = [crowd.submit(work, seed) for seed in range(4)], crowd.submit(hinder)
        people = [*workers, user]
        try:
            wait_until(lambda: set(stage.statuses(rows)) == {"Done"} or any(each.done() for each in people), timeout=60)
        finally:
            over.set()

    user.result()
    assert sum(worker.result() for worker in workers) == len(rows)
    assert stage.value("select count(*) from engine.job") == 0
