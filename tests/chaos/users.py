"""People at work while everything breaks: they queue, cancel, delete, lock and insert, and write down what they want.

Each has rows of their own, so no two users ever stand in each other's way: a statement that fails, fails because of us.
"""

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import Connection, IsolationLevel, errors

from tests.chaos import ledger
from tests.chaos.system import System
from tests.chaos.workload import choose_actions

# Longer than any lock that the engine may hold: a worker that is stopped in the middle of its transaction included.
PATIENCE = "20s"
MOST_REMEMBERED = 4000
REPEATS = 30

# Ours by nature, and no fault of the engine: the server is gone, or somebody ended the session.
INTERRUPTED = (
    errors.AdminShutdown,
    errors.CrashShutdown,
    errors.CannotConnectNow,
    errors.IdleInTransactionSessionTimeout,
)


@dataclass
class Shared:
    """What users know of each other: how much waits, and what went wrong."""

    most_waiting: int
    pause: float
    """The longest time between two acts of a user, in seconds."""
    waiting: int = 0
    done: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, what: str, number: int = 1) -> None:
        with self.lock:
            self.done[what] += number


class User(threading.Thread):
    def __init__(self, system: System, shared: Shared, number: int, seed: int) -> None:
        super().__init__(name=f"user {number}", daemon=True)
        self.system = system
        self.shared = shared
        self.number = number
        self.chance = random.Random(f"user {seed} {number}")  # noqa: S311 - whims, not secrets
        self.rows: list[str] = []
        self.made = 0
        self.habits: dict[Callable[[Connection[Any]], None], float] = {
            self.insert: 40,
            self.insert_then_queue: 10,
            self.requeue: 12,
            self.requeue_in_bulk: 0.5,
            self.requeue_in_repeatable_read: 5,
            self.cancel: 12,
            self.delete: 8,
            self.hold_locks: 5,
            self.bypass: 5,
            self.read_idly: 3,
        }

    def run(self) -> None:
        connection: Connection[Any] | None = None
        while not self.system.stopping.is_set():
            try:
                connection = connection or self._connect()
                self._act(connection)
            except psycopg.Error as error:
                if connection is not None and not connection.closed and not isinstance(error, INTERRUPTED):
                    self._complain(error)
                self.shared.count("statements interrupted by an outage")
                if connection is not None:
                    connection.close()
                connection = None
                self.system.stopping.wait(0.2)
            self.system.stopping.wait(self.chance.uniform(0, self.shared.pause))
        if connection is not None:
            connection.close()

    def _connect(self) -> Connection[Any]:
        connection = self.system.connect(f"user {self.number}", autocommit=True)
        connection.execute(f"set lock_timeout = '{PATIENCE}'".encode())
        return connection

    def _complain(self, error: psycopg.Error) -> None:
        with self.shared.lock:
            self.shared.failed.append(f"{type(error).__name__}: {error}".strip())

    def _act(self, connection: Connection[Any]) -> None:
        (habit,) = self.chance.choices(list(self.habits), list(self.habits.values()))
        if habit in {self.insert, self.insert_then_queue} and self.shared.waiting > self.shared.most_waiting:
            self.system.stopping.wait(0.1)
            return
        habit(connection)

    def insert(self, connection: Connection[Any]) -> None:
        with connection.transaction():
            self._remember(intend(connection, "queue", self._insert(connection, "Queued")))
        self.shared.count("inserts")

    def insert_then_queue(self, connection: Connection[Any]) -> None:
        """First the rows, then one bulk UPDATE over them."""
        pks = self._insert(connection, None)
        with connection.transaction():
            self._remember(intend(connection, "queue", set_status(connection, pks, "Queued")))
        self.shared.count("bulk updates")

    def requeue(self, connection: Connection[Any]) -> None:
        with connection.transaction():
            intend(connection, "queue", set_status(connection, self._some(20), "Queued"))
        self.shared.count("queued again")

    def requeue_in_bulk(self, connection: Connection[Any]) -> None:
        """One UPDATE over hundreds of rows, of which some wait, some run and some are done."""
        with connection.transaction():
            intend(connection, "queue", set_status(connection, self.rows[-300:], "Queued"))
        self.shared.count("bulk updates over everything recent")

    def requeue_in_repeatable_read(self, connection: Connection[Any]) -> None:
        """Whoever chooses this isolation must repeat what could not be serialised: that is his rule, not our fault."""
        pks = self._some(3)
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        try:
            for _ in range(REPEATS):
                try:
                    with connection.transaction():
                        connection.execute("select count(*) from samples where id = any(%s::uuid[])", [pks])
                        intend(connection, "queue", set_status(connection, pks, "Queued"))
                except errors.SerializationFailure:
                    self.shared.count("serialisation failures repeated")
                else:
                    break
        finally:
            connection.isolation_level = None
        self.shared.count("repeatable read updates")

    def cancel(self, connection: Connection[Any]) -> None:
        with connection.transaction():
            intend(connection, "cancel", set_status(connection, self._recent(8), "Skipped"))
        self.shared.count("cancelled")

    def delete(self, connection: Connection[Any]) -> None:
        pks = self._recent(4)
        with connection.transaction():
            query = "delete from samples where id = any(%s::uuid[]) returning id::text"
            intend(connection, "delete", listed(connection, query, [pks]))
        gone = set(pks)
        self.rows = [pk for pk in self.rows if pk not in gone]
        self.shared.count("deleted")

    def hold_locks(self, connection: Connection[Any]) -> None:
        """Look at rows for a while with the intention to change them, and then do, or do not."""
        pks = self._recent(5)
        with connection.transaction():
            listed(connection, "select id::text from samples where id = any(%s::uuid[]) for update", [pks])
            self.system.stopping.wait(self.chance.uniform(0.1, 1.5))
            if self.chance.random() < 0.5:
                intend(connection, "cancel", set_status(connection, pks, "Skipped"))
        self.shared.count("locks held")

    def bypass(self, connection: Connection[Any]) -> None:
        """Replication and restores write behind the trigger's back; the sweeper must find these rows."""
        with connection.transaction():
            connection.execute("set local session_replication_role = replica")
            pks = self._insert(connection, "Queued", 5)
            pks += set_status(connection, self._some(5), "Queued")
            self._remember(intend(connection, "queue", pks))
        self.shared.count("triggers bypassed")

    def read_idly(self, connection: Connection[Any]) -> None:
        """The classic: a transaction that somebody forgot."""
        with connection.transaction():
            connection.execute("select count(*) from samples where id = any(%s::uuid[])", [self._some(5)])
            self.system.stopping.wait(self.chance.uniform(0.5, 2))
        self.shared.count("idle transactions")

    def _insert(self, connection: Connection[Any], status: str | None, most: int = 120) -> list[str]:
        actions = choose_actions(self.chance, self.chance.randint(1, most))
        names = [f"{self.number}-{self.made + index}" for index in range(len(actions))]
        self.made += len(actions)
        query = """
            insert into samples (name, action, status)
            select name, action, %s from unnest(%s::text[], %s::text[]) as made (name, action)
            returning id::text
        """
        pks = listed(connection, query, [status, names, actions])
        self.shared.count("rows", len(pks))
        return pks

    def _remember(self, pks: Sequence[str]) -> None:
        self.rows += [pk for pk in pks if pk not in self.rows[-200:]]
        del self.rows[:-MOST_REMEMBERED]

    def _some(self, most: int) -> list[str]:
        return self.chance.sample(self.rows, min(len(self.rows), self.chance.randint(1, most)))

    def _recent(self, most: int) -> list[str]:
        """Rows that are likely to wait or to run."""
        return self.chance.sample(self.rows[-200:], min(len(self.rows), self.chance.randint(1, most)))


def listed(connection: Connection[Any], query: str, arguments: Sequence[Any]) -> list[str]:
    return [pk for (pk,) in connection.execute(query.encode(), arguments).fetchall()]


def set_status(connection: Connection[Any], pks: Sequence[str], status: str) -> list[str]:
    query = "update samples set status = %s where id = any(%s::uuid[]) returning id::text"
    return listed(connection, query, [status, pks])


def intend(connection: Connection[Any], what: str, pks: Sequence[str]) -> list[str]:
    """Write down, in the user's own transaction, what he wants of these rows."""
    ledger.intend(connection, pks, what)
    return list(pks)
