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
from db.connections import Pool

Value = TypeVar("Value")


class Reader:
    def __init__(self, pool: Pool, workflows: Sequence[Workflow], counts: Counts) -> None:
        self.pool = pool
        self.workflows = {workflow.name: workflow for workflow in workflows}
        self.counts = counts
        self._kept: dict[str, tuple[float, Any]] = {}
        self._keeping = threading.Lock()

    def rows(self, statement: bytes, **parameters: Any) -> list[DictRow]:
        with self.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(statement, parameters).fetchall()

    def row(self, statement: bytes, **parameters: Any) -> DictRow | None:
        found = self.rows(statement, **parameters)
        return found[0] if found else None

    @contextmanager
    def connection(self) -> Iterator[Connection[Any]]:
        with self.pool.connection() as connection:
            yield connection

    def kept(self, name: str, seconds: float, ask: Callable[[], Value]) -> Value:
        """An answer for everybody who asks within so many seconds: ten open browsers cost as much as one."""
        with self._keeping:
            asked_at, answer = self._kept.get(name, (float("-inf"), None))
            if time.monotonic() - asked_at > seconds:
                answer = ask()
                self._kept[name] = time.monotonic(), answer
            return answer  # type: ignore[no-any-return]

    def workflow(self, name: str) -> Workflow:
        if name not in self.workflows:
            abort(404, f"There is no workflow '{name}'; known are {', '.join(self.workflows)}.")
        return self.workflows[name]


def reader() -> Reader:
    """The reader of the site that answers this request."""
    found: Reader = current_app.extensions["reader"]
    return found
