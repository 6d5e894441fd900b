"""A listener falls asleep while a user queues a row: in every order of their steps, a bell rings or the row is seen."""

from itertools import combinations

import psycopg
import pytest
from psycopg import IsolationLevel

from app.poller import Poller
from tests.lease_support import LAPSE, opened

pytest_plugins = ["tests.trigger_fixtures"]

# Two looks, of which the second finds it quiet; the lease is withdrawn; two looks more.
LISTENER_STEPS, USER_STEPS = 5, 3
SCHEDULES = [
    tuple("user" if number in places else "listener" for number in range(LISTENER_STEPS + USER_STEPS))
    for places in combinations(range(LISTENER_STEPS + USER_STEPS), USER_STEPS)
]
LEVELS = [IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE]
CHECKS_LEVEL = "current_setting('transaction_isolation') = 'read committed'"


class Trusting(Poller):
    """Believes that nobody is under way who saw it awake."""

    def _close(self, connection):
        self._horizon = 0
        return super()._close(connection)


class Hasty(Poller):
    """Reads its horizon while it is still awake."""

    def _close(self, connection):
        if not self._withdrawn:
            self._horizon = self.lease.look(connection).next
        return super()._close(connection)


@pytest.fixture
def stage(url):
    with opened(url) as stage:
        yield stage


@pytest.fixture
def heedless_trigger(url):
    """A trigger that believes what it reads of the lease at any isolation level."""
    with psycopg.connect(url, autocommit=True) as db:
        (text,) = db.execute("select pg_get_functiondef('engine.submit_sampling'::regproc)").fetchone()
        assert CHECKS_LEVEL in text
        db.execute(text.replace(CHECKS_LEVEL, "true"))
        yield
        db.execute(text)


def losses(stage, level, kind=Poller):
    """The orders in which the row was neither rung for nor seen."""
    return [schedule for schedule in SCHEDULES if not is_served(stage, schedule, level, kind)]


def is_served(stage, schedule, level, kind):
    stage.reset()
    listener, user = stage.listener(kind), stage.user(level)
    stage.wake(listener)
    assert listener.state == "awake"
    for who in schedule:
        stage.step(listener) if who == "listener" else user.step(stage)
    stage.go_on(listener)
    assert listener.state == "asleep"
    return user.is_served(stage)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name.lower())
def test_no_order_of_steps_loses_a_row(stage, level):
    assert losses(stage, level) == []


@pytest.mark.parametrize("kind", [Trusting, Hasty])
def test_a_listener_that_does_not_wait_for_those_who_saw_it_awake_loses_a_row(stage, kind):
    assert losses(stage, IsolationLevel.READ_COMMITTED, kind) != []


def test_a_trigger_that_believes_an_old_snapshot_loses_a_row(stage, heedless_trigger):
    assert losses(stage, IsolationLevel.REPEATABLE_READ) != []


def test_nobody_rings_while_a_listener_is_awake_and_everybody_does_afterwards(stage, samples, bells):
    listener = stage.listener()
    stage.wake(listener)
    samples.execute("update samples set status = 'Queued' where name = 'ann'")
    silent = bells()

    stage.go_on(listener)
    samples.execute("update samples set status = 'Queued' where name = 'bob'")

    assert (silent, bells()) == ([], ["sampling"])


@pytest.mark.parametrize("level", LEVELS[1:], ids=lambda level: level.name.lower())
def test_a_transaction_above_read_committed_rings_although_a_listener_is_awake(stage, level):
    listener, user = stage.listener(), stage.user(level)
    stage.wake(listener)

    for _ in range(3):
        user.step(stage)

    assert (listener.state, user.is_heard) == ("awake", True)


def test_a_lease_that_was_not_renewed_silences_nobody(stage, samples, bells):
    stage.wake(stage.listener())
    stage.admin.execute(LAPSE)

    samples.execute("update samples set status = 'Queued' where name = 'ann'")

    assert bells() == ["sampling"]


def test_a_clock_that_was_set_back_ends_the_lease(stage, samples, bells):
    stage.wake(stage.listener())
    stage.admin.execute(
        "update engine.lease set renewed_at = now() + interval '1 hour', expires_at = now() + interval '2 hours'"
    )

    samples.execute("update samples set status = 'Queued' where name = 'ann'")

    assert bells() == ["sampling"]


def test_only_one_listener_is_awake(stage):
    first, second = stage.listener(), stage.listener()

    stage.wake(first)
    stage.wake(second)

    assert (first.state, second.state) == ("awake", "asleep")


def test_the_rows_of_a_listener_that_was_killed_while_awake_are_seen_by_the_next(stage):
    killed, next_one, user = stage.listener(), stage.listener(), stage.user(IsolationLevel.READ_COMMITTED)
    stage.wake(killed)
    user.step(stage)
    user.step(stage)

    stage.go_on(next_one)
    state = next_one.state
    user.step(stage)
    stage.go_on(next_one)

    assert (state, next_one.state) == ("closing", "asleep")
    assert not user.is_heard
    assert user.is_served(stage)


def test_a_listener_that_lost_its_lease_while_it_stood_still_falls_asleep(stage):
    frozen, next_one = stage.listener(), stage.listener()
    stage.wake(frozen)
    stage.admin.execute(LAPSE)
    stage.wake(next_one)

    stage.step(frozen)

    assert (frozen.state, next_one.state) == ("asleep", "awake")


def test_what_a_listener_that_stops_has_not_seen_is_left_to_the_next(stage):
    stopped, next_one, user = stage.listener(), stage.listener(), stage.user(IsolationLevel.READ_COMMITTED)
    stage.wake(stopped)
    user.step(stage)
    user.step(stage)

    stopped.abandon()
    stage.step(next_one)
    user.step(stage)
    stage.go_on(next_one)

    assert not user.is_heard
    assert user.is_served(stage)


def test_a_listener_rings_for_the_others_where_work_is_left_at_its_second_look(stage, samples, bells):
    listener = stage.listener()
    stage.admin.execute(
        "insert into engine.listener (id, host, pid, poll, echo, hears) "
        "values (gen_random_uuid(), 'mill', 1, '1 s', '5 s', true)"
    )
    stage.wake(listener)
    samples.execute("update samples set status = 'Queued'")
    stage.step(listener)
    first = bells()

    stage.step(listener)

    assert (first, bells()) == ([], ["sampling"])


def test_many_renewals_leave_one_page(stage):
    listener = stage.listener()
    stage.wake(listener)

    for _ in range(500):
        stage.admin.execute("update engine.lease set renewed_at = clock_timestamp()")
    listener.step()

    assert stage.admin.execute("select pg_relation_size('engine.lease') <= 2 * 8192").fetchone() == (True,)
