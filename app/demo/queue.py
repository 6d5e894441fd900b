"""The demo's questions to its database: what is queued, what is done, what was found."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, LiteralString

import psycopg
from psycopg import Connection, Cursor, sql
from psycopg.rows import class_row, dict_row

from actors._workflow import Workflow
from actors.registry import WORKFLOWS
from app.demo.stack import Stack
from app.demo.truth import Found
from app.demo.world.listing import SEARCHES, TOWN

START_SECONDS = 120
TICK_SECONDS = 0.1

IS_READY = "select to_regclass('engine.worker') is not null"
HAS_WORKERS = "select exists (select from engine.worker)"
OVERVIEW = "select workflow, ready + delayed as waiting, running, paused, paused_reason from engine.overview"
COUNTS = """
select count(*) filter (where {status} = %(done)s), count(*) filter (where {status} = %(failed)s) from {table}
"""
# A row that waits for longer than this waits for something that will not happen in a demo.
UNFINISHED = """
select exists (
    select from engine.job
    where token is not null or (not dead and run_at < now() + interval '30 seconds')
)
"""
HURRY = """
update engine.workflow
set max_in_flight = case name when 'deep_scan' then 8 else max_in_flight end,
    per_minute = case name when 'deep_scan' then 10000 else per_minute end,
    per_day = case name when 'deep_scan' then 1000000 else per_day end,
    max_attempts = 2
"""
SEARCH = """
insert into place_searches (business_type, location, status)
select %(kind)s, %(town)s, 'pending'
where not exists (select from place_searches where business_type = %(kind)s and location = %(town)s)
"""
CONTACTS = """
select domains.domain, contacts.email, contacts.phone_number as phone
from contacts join domains on domains.id = contacts.domain_id
"""
DIGEST = """
select count(*), coalesce(md5(string_agg(line, E'\\n' order by line)), '')
from (
    select concat_ws(' ', domains.domain, email, email_type, name, role, phone_number, fax_number, source_url, method)
    from contacts join domains on domains.id = contacts.domain_id
) as lines (line)
"""
# One reason per site and step; a query string or a path more or less says nothing new.
REFUSALS = """
select distinct on (domain) domain, reason from (
    select 1 as step, domain, status_error as reason from domains where status = 'error'
    union all
    select 2, domain, status_result from domains where is_parked or alias_of is not null
    union all
    select 3, domain, sitemap_import_error from sitemap_files join domains on domains.id = domain_id
    where sitemap_import_status = 'Error'
    union all
    select 4, domain, page_processing_error from pages join domains on domains.id = domain_id
    where page_processing_status = 'Error'
) as refusals
order by domain, step
"""


@dataclass(frozen=True, slots=True)
class Progress:
    workflow: str
    waiting: int
    running: int
    done: int
    failed: int
    paused: str | None = None


class Queue:
    """Each question is a transaction of its own."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def hurry(self) -> None:
        """Here details of places cost nothing, and what fails twice fails for good."""
        self._connection.execute(HURRY)

    def ask(self) -> bool:
        """Put the searches in; false when they were there already, from an earlier run."""
        added = [self._connection.execute(SEARCH, {"kind": kind, "town": TOWN}).rowcount for kind in SEARCHES]
        return any(added)

    def ask_again(self) -> None:
        """Everything that has ended is queued once more, at all stages at once."""
        for workflow in WORKFLOWS:
            self._about(workflow, "update {table} set {status} = %(queued)s where {status} in (%(done)s, %(failed)s)")

    def is_idle(self) -> bool:
        return not self._one(UNFINISHED)

    def progress(self) -> dict[str, Progress]:
        overview = self._connection.cursor(row_factory=dict_row).execute(OVERVIEW).fetchall()
        counts = {workflow.name: self._about(workflow, COUNTS).fetchone() or (0, 0) for workflow in WORKFLOWS}
        return {
            row["workflow"]: Progress(
                row["workflow"],
                row["waiting"],
                row["running"],
                done=counts[row["workflow"]][0],
                failed=counts[row["workflow"]][1],
                paused=(row["paused_reason"] or "paused") if row["paused"] else None,
            )
            for row in overview
        }

    def contacts(self) -> list[Found]:
        return self._connection.cursor(row_factory=class_row(Found)).execute(CONTACTS).fetchall()

    def refusals(self) -> list[tuple[str, str]]:
        """The sites that gave nothing or not everything, each with its first reason."""
        return self._connection.execute(REFUSALS).fetchall()

    def digest(self) -> tuple[int, str]:
        """The number of contacts, and a fingerprint of all that they say."""
        row = self._connection.execute(DIGEST).fetchone()
        return (row[0], row[1]) if row else (0, "")

    def _about(self, workflow: Workflow, statement: LiteralString) -> Cursor[Any]:
        """Run a statement on a workflow's table, its status column and its words."""
        table, status = sql.Identifier(workflow.source.name), sql.Identifier(workflow.status)
        return self._connection.execute(sql.SQL(statement).format(table=table, status=status), asdict(workflow.words))

    def _one(self, question: str) -> Any:
        row = self._connection.execute(question).fetchone()
        return row[0] if row else None


@contextmanager
def open_queue(url: str, stack: Stack) -> Iterator[Queue]:
    """As soon as the stack has made its tables and its workers are there."""
    with psycopg.connect(url, autocommit=True, application_name="scrapersky demo") as connection:
        deadline = time.monotonic() + START_SECONDS
        while not _has(connection, IS_READY) or not _has(connection, HAS_WORKERS):
            stack.check()
            if time.monotonic() > deadline:
                raise TimeoutError(f"no worker within {START_SECONDS} s; see {stack.log}")
            time.sleep(TICK_SECONDS)
        yield Queue(connection)


def _has(connection: Connection[Any], question: str) -> bool:
    row = connection.execute(question).fetchone()
    return bool(row and row[0])
