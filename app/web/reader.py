"""What pages ask the database: statements of sql/dashboard, one short transaction each, rows as dictionaries."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from flask import abort, current_app
from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from actors._workflow import Workflow
from app.web.counts import Counts
from db.connections import Pool, transaction
from db.people.leisure import at_leisure

Value = TypeVar("Value")

SHARE_OF_TIME = 20
LONGEST_WAIT = 3.0
LONGEST_DEED = "30s"
# Seconds after which a database that hangs is given up, for a look and for a change.
LONGEST_LOOK = 12.0
LONGEST_CHANGE = 150.0


class Reader:
    def __init__(self, pool: Pool, workflows: Sequence[Workflow], counts: Counts) -> None:
        self.pool = pool
        self.workflows = {workflow.name: workflow for workflow in workflows}
        self.counts = counts
        self._kept: dict[str, tuple[float, Any]] = {}
        self._turns: dict[str, threading.Lock] = {}
        self._keeping = threading.Lock()

    def rows(self, statement: bytes, **parameters: Any) -> list[DictRow]:
        with (
            self.connection(LONGEST_LOOK) as connection,
            connection.cursor(row_factory=dict_row) as cursor,
        ):
            return cursor.execute(statement, parameters).fetchall()

    def row(self, statement: bytes, **parameters: Any) -> DictRow | None:
        found = self.rows(statement, **parameters)
        return found[0] if found else None

    @contextmanager
    def connection(self, longest: float = LONGEST_CHANGE) -> Iterator[Connection[Any]]:
        """One transaction with the guards of the engine: behind a pooler they come with it alone."""
        with transaction(self.pool, longest=longest) as connection:
            yield connection

    @contextmanager
    def patient(self) -> Iterator[Connection[Any]]:
        """For what an operator does: it waits for others a little longer than the engine does."""
        with self.connection() as connection, at_leisure(connection, LONGEST_DEED):
            yield connection

    def kept(self, name: str, seconds: float, ask: Callable[[], Value]) -> Value:
        """An answer for everybody who asks within so many seconds: ten open browsers cost as much as one.

        An answer that took long is kept for longer, so that no question takes more than a twentieth of the time.
        While one asks, the others get the answer from before; without one they wait, but not for long.
        """
        with self._keeping:
            turn, kept = self._turns.setdefault(name, threading.Lock()), self._kept
        if not turn.acquire(timeout=0 if name in kept else LONGEST_WAIT):
            if name not in kept:
                abort(503, "The database takes long for a question that this page shares with others. Try again soon.")
            before: Value = kept[name][1]
            return before
        try:
            began = time.monotonic()
            if name in kept and began <= kept[name][0]:
                still_good: Value = kept[name][1]
                return still_good
            answer = ask()
            ended = time.monotonic()
            kept[name] = ended + max(seconds, SHARE_OF_TIME * (ended - began)), answer
            return answer
        finally:
            turn.release()

    def forget(self) -> None:
        """After a change: whoever made it wants to see it."""
        self._kept = {}

    def workflow(self, name: str) -> Workflow:
        if name not in self.workflows:
            abort(404, f"There is no workflow '{name}'; known are {', '.join(self.workflows)}.")
        return self.workflows[name]


def reader() -> Reader:
    """The reader of the site that answers this request."""
    found: Reader = current_app.extensions["reader"]
    return found
