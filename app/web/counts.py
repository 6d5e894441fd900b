"""How many rows have ended well: counted in the business tables, rarely, and never by a page that waits for it.

Counting may take a fiftieth of the time, no more: what takes a second is counted again after fifty. Of a very large
table only some blocks are read, and the figure is marked as an estimate.
"""

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import Connection, sql

from actors._workflow import Workflow
from app.logs import event
from db.connections import Pool, transaction
from db.people.leisure import at_leisure
from db.statements import statements

log = logging.getLogger(__name__)

SHARE_OF_TIME = 50
SHORTEST_PAUSE = 2.0
READ_AT_MOST = 256 * 1024 * 1024
FIRST_WAIT = 0.5
LONGEST_COUNT = "30s"
CONTACTS = "contacts"


@dataclass(frozen=True)
class Count:
    """Rows of a table by the words of one column; rows without a word stand under None."""

    words: Mapping[str | None, int]
    is_exact: bool

    @property
    def rows(self) -> int:
        return sum(self.words.values())


class Counts:
    def __init__(self, pool: Pool, workflows: Sequence[Workflow]) -> None:
        self._pool = pool
        self._workflows = workflows
        self._known: dict[str, Count] = {}
        self._first = threading.Event()
        self._turn = threading.Lock()
        self._next_at = float("-inf")

    def get(self) -> Mapping[str, Count]:
        """By workflow, as far as it is known; what has become old is counted again in the background."""
        if time.monotonic() >= self._next_at and self._turn.acquire(blocking=False):
            threading.Thread(target=self._count, name="counts", daemon=True).start()
        self._first.wait(FIRST_WAIT)
        return self._known

    def _count(self) -> None:
        began = time.monotonic()
        try:
            known = {flow.name: self._count_one(flow.source.name, flow.status) for flow in self._workflows}
            self._known = known | {CONTACTS: self._count_one(CONTACTS, "email_type")}
        except psycopg.Error as error:
            event(log, logging.WARNING, "counts.failed", error=str(error))
        finally:
            self._first.set()
            self._next_at = time.monotonic() + max(SHORTEST_PAUSE, SHARE_OF_TIME * (time.monotonic() - began))
            self._turn.release()

    def _count_one(self, table: str, column: str) -> Count:
        with transaction(self._pool) as connection, at_leisure(connection, LONGEST_COUNT):
            return _count(connection, table, column)


def _count(connection: Connection[Any], table: str, column: str) -> Count:
    size = connection.execute("select pg_table_size(%s::regclass)", [sql.Identifier(table).as_string(None)]).fetchone()
    share = min(1.0, READ_AT_MOST / max(1, size[0] if size else 1))
    sample = sql.SQL("") if share == 1 else sql.SQL("tablesample system ({})").format(sql.Literal(100 * share))
    names = {"table": sql.Identifier(table), "column": sql.Identifier(column), "sample": sample}
    found = connection.execute(statements("dashboard/counts.sql", **names)["by_word"]).fetchall()
    return Count({word: round(rows / share) for word, rows in found}, is_exact=share == 1)
