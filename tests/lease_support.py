"""Listeners that are moved step by step, and users whose transactions come between their steps."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from uuid import uuid4

import psycopg
from dramatiq.brokers.stub import StubBroker
from psycopg import Connection, IsolationLevel

from app.broker import Nudger
from app.config import Settings
from app.poller import Poller
from db.connections import open_pool
from tests.trigger_support import heard_bells

# More than any listener needs to fall asleep once nobody writes.
ENOUGH_STEPS = 20
USERS = 2
LAPSE = "update engine.lease set renewed_at = '-infinity', expires_at = '-infinity'"
QUEUE = "insert into samples (name, status) values (%s, 'Queued')"


class User:
    """Queues one row in a transaction of its own."""

    def __init__(self, connection: Connection[Any], level: IsolationLevel, bells: Callable[[], list[str]]) -> None:
        self.connection = connection
        self.connection.isolation_level = level
        self.bells = bells
        self.steps = iter((self._begin, self._write, self._commit))
        self.is_heard = False
        """Whether a doorbell rang for it."""

        self.nudges_before: int | None = None

    def step(self, stage: "Stage") -> None:
        if act := next(self.steps, None):
            act(stage)

    def _begin(self, _: "Stage") -> None:
        """What the transaction sees of the lease is decided here, if it is above READ COMMITTED."""
        self.connection.execute("select count(*) from samples")

    def _write(self, _: "Stage") -> None:
        self.connection.execute(QUEUE, [str(uuid4())])

    def _commit(self, stage: "Stage") -> None:
        self.nudges_before = stage.nudges
        self.connection.commit()
        self.is_heard = bool(self.bells())

    def finish(self, stage: "Stage") -> None:
        for act in self.steps:
            act(stage)

    def is_served(self, stage: "Stage") -> bool:
        """Whether it was rung for, or a listener has seen the row since."""
        return self.nudges_before is not None and (self.is_heard or stage.nudges > self.nudges_before)


class Stage:
    """Some listeners without threads, and users. No row is ever claimed, so that each look finds all there are."""

    def __init__(self, url: str, stack: ExitStack) -> None:
        self.url = url
        self.bells = stack.enter_context(heard_bells(url))
        self.nudger = CountingNudger(StubBroker(), ["sampling"])
        self.pool = open_pool(url, size=1, name="stage")
        stack.callback(self.pool.close)
        self.admin = stack.enter_context(psycopg.connect(url, autocommit=True))
        self.connections = [stack.enter_context(psycopg.connect(url)) for _ in range(USERS)]
        self.seconds = 0.0
        self.reset()

    def reset(self) -> None:
        """Nobody has a row or the lease."""
        for connection in self.connections:
            connection.rollback()
        self.admin.execute("delete from samples")
        self.admin.execute("delete from engine.job")
        self.admin.execute("delete from engine.listener")
        self.admin.execute("update engine.lease set holder = null, awake = false")
        self.admin.execute(LAPSE)

    @property
    def nudges(self) -> int:
        return self.nudger.count

    def listener(self, kind: type[Poller] = Poller) -> Poller:
        settings = Settings(database_url=self.url, poll="3600")
        return kind(settings, self.pool, self.nudger, uuid4(), lambda: self.seconds)

    def user(self, level: IsolationLevel, number: int = 0) -> User:
        return User(self.connections[number], level, self.bells)

    def step(self, listener: Poller) -> None:
        """As late as can be without a lease that runs out: whatever is to be done in time is due."""
        self.seconds += 1.0
        listener.step()

    def wake(self, listener: Poller) -> None:
        """So many doorbells that it takes the lease, if it can have it."""
        for _ in range(ENOUGH_STEPS):
            listener.rang()
        self.step(listener)

    def go_on(self, *listeners: Poller) -> None:
        """For long enough that all fall asleep who can; a lease that nobody renews runs out."""
        for _ in range(ENOUGH_STEPS):
            if all(one.state == "asleep" for one in listeners):
                self.admin.execute(LAPSE)
            for one in listeners:
                self.step(one)


class CountingNudger(Nudger):
    """Takes nudges that nobody works off: the real one folds them."""

    count = 0

    def nudge(self, _workflow: str) -> None:
        self.count += 1


@contextmanager
def opened(url: str) -> Iterator[Stage]:
    with ExitStack() as stack:
        yield Stage(url, stack)
