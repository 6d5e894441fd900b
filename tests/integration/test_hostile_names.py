"""Names, words and keys are data: whatever stands in them, the engine works and runs nothing that stands in them."""

from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection

from actors.registry import WORKFLOWS
from app.config import Settings
from db.declaration import Words
from db.lifecycle import Claimer, Ending, Recorder, Recovery
from db.migrate import migrate
from db.outcomes import Failed, Found
from tests.named_tables import COLUMNS, Names, create_table, declare
from tests.shared_database import shared_database

HOSTILE = {
    "quotes": 'it\'s "quoted"',
    "semicolons": "x'; drop table bystander; --",
    "dollar quotes": "$$ $engine$ $1",
    "backslashes": "back\\slash\\'",
    "percent signs": "100% %s %(pks)s %%",
    "braces": "{table} {} }{ {…}",
    "unicode": "größe 名前 🕷",
    "spaces": "  two  spaces ",
    "line breaks": "x\ndrop table bystander;\r\n--",
    "comments": "/* x -- */",
    "63 bytes": "n" * 62,
}


class Hostile:
    """A workflow in which every name, word and value is the hostile text."""

    def __init__(self, text: str, db: Connection) -> None:
        self.text = text
        self.db = db
        columns = {column: text + column[0] for column in COLUMNS}
        self.words = Words(*(text[:31] + letter for letter in "qrdf"))
        self.names = Names(table=text + "t", schema=text + "c", **columns, group=text, words=self.words)
        self.declaration = declare(self.names)

    def execute(self, template: str, **values):
        return self.db.execute(self.names.sql(template, **values))

    def insert(self, status: str | None) -> None:
        insert = "insert into {table} ({pk}, {status}, {urgency}, {host}) values ({id}, {word}, 5, {id})"
        self.execute(insert, id=self.text, word=status)

    def row(self):
        return self.execute(
            "select {status}, {error}, {result} from {table} where {pk} = {id}", id=self.text
        ).fetchone()

    def jobs(self):
        columns = "workflow, pk, priority, key, generation, token is not null"
        return self.db.execute(f"select {columns} from engine.job").fetchall()

    def claim(self):
        worker = uuid4()
        self.db.execute("insert into engine.worker (id, host, pid, version) values (%s, 'here', 1, '1')", [worker])
        claimer = Claimer(self.declaration, [self.names.pk, self.names.host])
        with self.db.transaction():
            return worker, claimer.claim(self.db, worker, 10)

    def record(self, worker, batch, outcome):
        row = batch.rows[0]
        ending = Ending(row.pk, row.generation, row.attempt, row.max_attempts, outcome, 0.1)
        with self.db.transaction():
            (ended,) = Recorder(self.declaration).record(self.db, worker, batch.token, [ending])
        return ended.verdict


@pytest.fixture(scope="module")
def url(server, template):
    with shared_database(server, template, "hostile_names") as url:
        yield url


@pytest.fixture(scope="module", params=HOSTILE.values(), ids=HOSTILE)
def migrated(request, url):
    """The hostile workflow in place, and the one before it retired."""
    with psycopg.connect(url, autocommit=True) as db:
        hostile = Hostile(request.param, db)
        create_table(url, hostile.declaration)
        migrate(url, [*WORKFLOWS, hostile.declaration], Settings().default_tenant_id)
        yield hostile


@pytest.fixture
def hostile(migrated):
    migrated.execute("truncate {table}, engine.job, engine.worker, engine.pace")
    migrated.db.execute("drop table if exists bystander")
    migrated.db.execute("create table bystander (id int)")
    yield migrated
    assert migrated.db.execute("select count(*) from bystander").fetchone() == (0,)


def test_a_row_is_submitted_by_update_and_by_insert(hostile):
    hostile.insert(None)

    hostile.execute("update {table} set {status} = {word}", word=hostile.words.queued)

    job = ("naming", hostile.text, 5, f"{hostile.text}:{hostile.text}")
    assert hostile.jobs() == [(*job, 1, False)]
    hostile.execute("delete from {table}")
    hostile.insert(hostile.words.queued)
    assert hostile.jobs() == [(*job, 2, False)]


def test_a_session_with_the_old_rules_for_backslashes_submits_too(hostile):
    hostile.insert(None)
    hostile.db.execute("set standard_conforming_strings = off")
    hostile.db.execute("set escape_string_warning = off")

    hostile.execute("update {table} set {status} = {word}", word=hostile.words.queued)

    hostile.db.execute("reset all")
    assert [(pk, key) for _, pk, _, key, *_ in hostile.jobs()] == [(hostile.text, f"{hostile.text}:{hostile.text}")]


@pytest.mark.parametrize("reason", [None, "a reason"])
def test_a_row_is_claimed_and_its_result_is_recorded(hostile, reason):
    hostile.insert(hostile.words.queued)

    worker, batch = hostile.claim()
    claimed = hostile.row()
    other = hostile.declaration.table(**{hostile.names.pk: "other", hostile.names.error: hostile.text})
    found = Found(rows=[other], values={hostile.names.host: "new"}, reason=reason and hostile.text)
    verdict = hostile.record(worker, batch, found)

    assert [row.values for row in batch.rows] == [(hostile.text, hostile.text)]
    assert claimed == (hostile.words.processing, None, None)
    assert verdict == "completed"
    assert hostile.row() == (hostile.words.done, None, reason and " ".join(hostile.text.split()))
    rest = hostile.execute("select {pk}, {host}, {error} from {table} order by {pk} = 'other'").fetchall()
    assert rest == [(hostile.text, "new", None), ("other", None, hostile.text)]
    assert hostile.jobs() == []


def test_a_row_fails_with_its_reason(hostile):
    hostile.insert(hostile.words.queued)

    verdict = hostile.record(*hostile.claim(), Failed(hostile.text))

    assert verdict == "failed"
    assert hostile.row() == (hostile.words.failed, " ".join(hostile.text.split()) + " (attempt 1 of 5)", None)


def test_a_withdrawn_row_is_not_claimed(hostile):
    hostile.insert(hostile.words.queued)
    hostile.execute("update {table} set {status} = null")

    _, batch = hostile.claim()

    assert list(batch.rows) == []
    assert hostile.jobs() == []


def test_a_row_whose_worker_died_is_queued_again(hostile):
    hostile.insert(hostile.words.queued)
    hostile.claim()
    hostile.db.execute("delete from engine.worker")

    with hostile.db.transaction():
        swept, _ = Recovery(hostile.declaration).end_lost_claims(hostile.db, "", 10)

    assert swept.lost_claims == 1
    assert hostile.row()[0] == hostile.words.queued
    assert [job[4:] for job in hostile.jobs()] == [(1, False)]


@pytest.mark.parametrize(("word", "repaired"), [("queued", "missed_rows"), ("processing", "orphaned_rows")])
def test_a_row_that_came_past_the_trigger_is_adopted(hostile, word, repaired):
    hostile.execute("alter table {table} disable trigger user")
    hostile.insert(getattr(hostile.words, word))
    hostile.execute("alter table {table} enable trigger user")

    recovery = Recovery(hostile.declaration)
    (blocks,) = hostile.db.execute(recovery.sql["table_blocks"], {}).fetchone()
    with hostile.db.transaction():
        swept = recovery.sweep_rows(hostile.db, 0, blocks)

    assert swept.counts() == {**dict.fromkeys(swept.counts(), 0), repaired: 1}
    assert hostile.row()[0] == hostile.words.queued
    assert hostile.jobs() == [("naming", hostile.text, 5, f"{hostile.text}:{hostile.text}", 1, False)]


def test_a_job_whose_row_is_gone_is_forgotten(hostile):
    hostile.insert(hostile.words.queued)
    hostile.execute("delete from {table}")

    with hostile.db.transaction():
        swept = Recovery(hostile.declaration).sweep_jobs(hostile.db, 0, 1)

    assert swept.idle_jobs == 1
    assert hostile.jobs() == []
