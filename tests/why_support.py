"""A desk from which rows are looked at: the real tables and workflows, and an engine that seems to be in good health.

A test file takes the fixtures with `pytest_plugins = ["tests.why_support"]`.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import Connection

from actors.registry import WORKFLOWS
from db.embedded import EmbeddedPostgres
from db.lifecycle import Batch, Claimer, Recorder
from db.outcomes import Found, Outcome
from tests.lifecycle_support import ending, guarded
from tests.shared_database import shared_database

NUMBERS = count(1)
FLOWS = {workflow.name: workflow for workflow in WORKFLOWS}

TABLES = (
    *("contacts", "pages", "sitemap_files", "domains", "local_businesses", "places_staging", "place_searches"),
    *("engine." + name for name in ("job", "worker", "listener", "pace", "usage", "attempt", "submission", "action")),
    "engine.sweep_position",
)
CLEAR = """
update engine.workflow
set paused = false, paused_reason = null, max_in_flight = null, per_minute = null, per_day = null, max_attempts = null,
    max_downstream = null, blocked_reason = null, blocked_until = null;
"""


class Told(NamedTuple):
    code: str
    reason: str
    remedy: str


class Desk:
    """What people, workers and listeners do to one database, and what is then said of a row."""

    def __init__(self, url: str, closing: ExitStack) -> None:
        self.url = url
        self._closing = closing
        self.db = self.connect()
        self.db.execute(CLEAR)
        for table in TABLES:
            self.db.execute(f"delete from {table}".encode())
        self.worker = self.register()
        self.listen()

    def connect(self, **options: Any) -> Connection[Any]:
        return self._closing.enter_context(psycopg.connect(self.url, autocommit=True, **options))

    def register(self, **columns: Any) -> UUID:
        """A worker process that has just beaten."""
        given = {"id": uuid4(), "host": "mill", "pid": 4711, "version": "1", "workflows": list(FLOWS), **columns}
        self._insert("engine.worker", given)
        return UUID(str(given["id"]))

    def listen(self, **columns: Any) -> None:
        given = {"id": uuid4(), "host": "mill", "pid": 4711, "poll": "1 s", "echo": "5 s", "hears": True, **columns}
        self._insert("engine.listener", given)

    def domain(self, **columns: Any) -> str:
        return self._insert("domains", {"domain": f"smile-{next(NUMBERS)}.com", **columns})

    def page(self, **columns: Any) -> str:
        domain = columns.pop("domain_id", None) or self.domain()
        url = f"https://smile.com/{next(NUMBERS)}"
        return self._insert("pages", {"domain_id": domain, "url": url, "page_processing_status": "Queued", **columns})

    def sitemap(self, **columns: Any) -> str:
        url = f"https://smile.com/sitemap-{next(NUMBERS)}.xml"
        given = {"domain_id": self.domain(), "url": url, "sitemap_import_status": "Queued", **columns}
        return self._insert("sitemap_files", given)

    def place(self, **columns: Any) -> str:
        given = {"place_id": f"ChIJ{next(NUMBERS)}", "deep_scan_status": "Queued", **columns}
        return self._insert("places_staging", given)

    def _insert(self, table: str, columns: dict[str, Any]) -> str:
        values = ", ".join(f"%({name})s" for name in columns)
        query = f"insert into {table} ({', '.join(columns)}) values ({values}) returning id::text"
        row = self.db.execute(query.encode(), columns).fetchone()
        assert row is not None
        return str(row[0])

    def claim(self, flow: str, *, worker: UUID | None = None, row_by_row: bool = False) -> Batch:
        with guarded(self.db):
            claimer = Claimer(FLOWS[flow], FLOWS[flow].columns)
            return claimer.claim(self.db, worker or self.worker, 10, row_by_row=row_by_row)

    def run(self, flow: str, outcome: Outcome | None = None, *, keep_successes: bool = False) -> None:
        """Claim what is due and end it."""
        batch = self.claim(flow)
        assert batch.rows
        with guarded(self.db):
            recorder = Recorder(FLOWS[flow], keep_successes=keep_successes)
            recorder.record(self.db, self.worker, batch.token, [ending(row, outcome or Found()) for row in batch.rows])

    def set(self, flow: str, **columns: Any) -> None:
        """An operator's UPDATE of engine.workflow."""
        changes = ", ".join(f"{name} = %({name})s" for name in columns)
        self.db.execute(
            f"update engine.workflow set {changes} where name = %(flow)s".encode(), {**columns, "flow": flow}
        )

    def explain(self, table: str, row: str, *, by: Connection[Any] | None = None) -> dict[str, Told]:
        """What is said of a row, by workflow."""
        found = (by or self.db).execute("select * from engine.explain(%s, %s)", [table, row]).fetchall()
        return {workflow: Told(*told) for workflow, *told in found}

    def of_page(self, row: str) -> Told:
        return self.explain("pages", row)["page_curation"]

    def of_place(self, row: str) -> Told:
        return self.explain("places_staging", row)["deep_scan"]


@pytest.fixture(scope="module")
def why_url(request: pytest.FixtureRequest, server: EmbeddedPostgres, template: str) -> Iterator[str]:
    with shared_database(server, template, request.module.__name__.rpartition(".")[2]) as url:
        yield url


@pytest.fixture
def desk(why_url: str) -> Iterator[Desk]:
    with ExitStack() as closing:
        yield Desk(why_url, closing)
