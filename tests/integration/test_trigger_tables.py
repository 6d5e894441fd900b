"""Tables of other shapes: keys of every kind, names that need quotes, two workflows on one table."""

from typing import ClassVar
from uuid import uuid4

import pytest
from sqlalchemy import BigInteger, Integer, String, Text, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from actors._workflow import Words
from actors.registry import WORKFLOWS
from app.config import Settings
from db.declaration import Declaration
from db.lifecycle import Claimer, Ending, Recorder, Recovery
from db.migrate import migrate
from db.models.base import one_of
from db.outcomes import Found, Outcome
from tests.named_tables import NamedBase, Names, create_table, declare

PLAIN = Found()
LOUD = Words("Queued", "Processing", "Complete", "Error")
QUIET = Words("queued", "processing", "submitted", "failed")


class Leaflet(NamedBase):
    """Printed, then posted: two status columns with words of their own."""

    __tablename__ = "leaflets"
    __natural_key__: ClassVar = ("id",)

    id: Mapped[int] = mapped_column(primary_key=True)
    print_status: Mapped[str | None] = mapped_column(one_of("print_status", *LOUD))
    print_error: Mapped[str | None]
    post_status: Mapped[str | None] = mapped_column(one_of("post_status", *QUIET))
    post_error: Mapped[str | None]


PRINTING = Declaration(name="printing", table=Leaflet, status="print_status", error="print_error", words=LOUD)
POSTING = Declaration(name="posting", table=Leaflet, status="post_status", error="post_error", words=QUIET)

KEYS = {
    "text": (Text(), "a b/c,{}"),
    "long text": (Text(), "x" * 2000),
    "empty text": (Text(), ""),
    "varchar": (String(20), "NULL"),
    "text with a collation of its own": (Text(collation="POSIX"), "a"),
    "uuid": (Uuid(), uuid4()),
    "integer": (Integer(), -7),
    "bigint": (BigInteger(), 2**53 + 1),
}


@pytest.fixture
def leaflets(database, db):
    create_table(database, PRINTING)
    migrate(database, [*WORKFLOWS, PRINTING, POSTING], Settings().default_tenant_id)
    db.execute("insert into leaflets values (1), (2)")
    return db


@pytest.mark.parametrize(
    "outcome", [PLAIN, Found(values={"host": "x"}), Found(reason="no use")], ids=["done", "values", "reason"]
)
@pytest.mark.parametrize(("kind", "key"), KEYS.values(), ids=KEYS)
def test_a_row_is_submitted_claimed_and_recorded_whatever_its_key_is_made_of(database, db, kind, key, outcome):
    declaration = declare(Names(), kind)
    create_table(database, declaration)
    migrate(database, [*WORKFLOWS, declaration], Settings().default_tenant_id)
    db.execute("insert into things (id) values (%s)", [key])

    db.execute("update things set status = 'Queued'")

    assert db.execute("select pk, generation from engine.job").fetchall() == [(str(key), 1)]
    run_once(db, declaration, outcome)
    expected = (key, "Done", outcome.values.get("host"), outcome.reason)
    assert db.execute("select id, status, host, result from things").fetchall() == [expected]
    assert db.execute("select pk from engine.job").fetchall() == []


@pytest.mark.parametrize(("kind", "key"), KEYS.values(), ids=KEYS)
def test_a_row_is_swept_and_withdrawn_whatever_its_key_is_made_of(database, db, kind, key):
    declaration = declare(Names(), kind)
    create_table(database, declaration)
    migrate(database, [*WORKFLOWS, declaration], Settings().default_tenant_id)
    db.execute("insert into things (id, status) values (%s, 'Processing')", [key])
    recovery = Recovery(declaration)

    with db.transaction():
        rows = recovery.sweep_rows(db, 0, 1)
        healthy = (recovery.sweep_rows(db, 0, 1).repairs, recovery.sweep_jobs(db, 0, 1).repairs)
    db.execute("update things set status = 'Failed'")
    with db.transaction():
        jobs = recovery.sweep_jobs(db, 0, 1)
    db.execute("update things set status = 'Queued'")
    db.execute("update things set status = 'Failed'")
    run_once(db, declaration)

    assert (rows.orphaned_rows, healthy, jobs.idle_jobs) == (1, (0, 0), 1)
    assert db.execute("select pk from engine.job").fetchall() == []
    assert db.execute("select status from things").fetchall() == [("Failed",)]


@pytest.mark.parametrize(
    "names",
    [
        Names(schema="Sales", table="Cold Leads", pk="Lead-Id", status="Scan Status", error="Scan Error"),
        Names(schema="order", table="select", pk="user", status="from", error="table", urgency="limit", host="group"),
        Names(table="job", pk="pk", status="workflow", error="token", result="ending", urgency="priority", host="key"),
        Names(
            table="item", pk="ctid2", status="item", error="job", result="excluded", urgency="new_row", host="old_row"
        ),
        Names(
            table="new_rows", pk="submitted", status="found", error="new", result="old", urgency="tg_op", host="tg_name"
        ),
    ],
    ids=["mixed case", "key words", "the engine's columns", "the engine's aliases", "the trigger's variables"],
)
def test_names_that_need_quotes_or_mean_something_elsewhere_are_names(database, db, names):
    declaration = declare(names)
    create_table(database, declaration)
    migrate(database, [*WORKFLOWS, declaration], Settings().default_tenant_id)

    db.execute(names.sql("insert into {table} ({pk}, {status}, {urgency}, {host}) values ('a', 'Queued', 3, 'x')"))
    db.execute(names.sql("insert into {table} ({pk}, {urgency}, {host}) values ('b', 4, 'y')"))
    db.execute(names.sql("update {table} set {status} = 'Queued'"))

    jobs = db.execute("select pk, generation, priority, key from engine.job order by pk").fetchall()
    assert jobs == [("a", 1, 3, "web:x"), ("b", 1, 4, "web:y")]
    run_once(db, declaration)
    assert db.execute(names.sql("select {status} from {table}")).fetchall() == [("Done",), ("Done",)]


def test_two_workflows_on_one_table_do_not_disturb_each_other(leaflets):
    leaflets.execute("update leaflets set print_status = 'Queued' where id = 1")
    leaflets.execute("update leaflets set post_status = 'queued'")

    leaflets.execute("update leaflets set print_status = 'Error' where id = 1")
    leaflets.execute("update leaflets set print_status = 'Queued' where id = 1")

    assert jobs(leaflets) == [("posting", "1", 1), ("posting", "2", 1), ("printing", "1", 2)]


def test_one_statement_can_submit_to_two_workflows(leaflets):
    leaflets.execute("update leaflets set print_status = 'Queued', post_status = 'queued' where id = 1")

    assert jobs(leaflets) == [("posting", "1", 1), ("printing", "1", 1)]
    submissions = leaflets.execute("select workflow, rows from engine.submission order by workflow").fetchall()
    assert submissions == [("posting", 1), ("printing", 1)]


def test_finishing_one_workflow_leaves_the_other_ones_status_and_job_alone(leaflets):
    leaflets.execute("update leaflets set print_status = 'Queued', post_status = 'queued' where id = 1")

    run_once(leaflets, PRINTING)

    assert leaflets.execute("select * from leaflets where id = 1").fetchall() == [(1, "Complete", None, "queued", None)]
    assert jobs(leaflets) == [("posting", "1", 1)]


def test_a_row_that_gets_another_key_in_the_statement_that_queues_it_has_a_job_under_that_key(leaflets):
    leaflets.execute("update leaflets set id = id + 10, print_status = 'Queued' where id = 1")

    assert jobs(leaflets) == [("printing", "11", 1)]


def test_a_queued_row_that_gets_another_key_has_a_job_under_that_key(leaflets):
    leaflets.execute("update leaflets set print_status = 'Queued' where id = 2")

    leaflets.execute("update leaflets set id = id + 10")

    assert jobs(leaflets) == [("printing", "12", 1), ("printing", "2", 1)]
    run_once(leaflets, PRINTING)
    assert jobs(leaflets) == []
    assert leaflets.execute("select id from leaflets where print_status = 'Complete'").fetchall() == [(12,)]


def run_once(db, declaration: Declaration, outcome: Outcome = PLAIN) -> None:
    """Claim all there is and record what became of it."""
    worker = uuid4()
    db.execute("insert into engine.worker (id, host, pid, version) values (%s, 'here', 1, '1')", [worker])
    with db.transaction():
        batch = Claimer(declaration, [declaration.primary_key.name]).claim(db, worker, 10)
    endings = [Ending(row.pk, row.generation, row.attempt, row.max_attempts, outcome, 0.1) for row in batch.rows]
    with db.transaction():
        Recorder(declaration).record(db, worker, batch.token, endings)


def jobs(db):
    return db.execute("select workflow, pk, generation from engine.job order by workflow, pk").fetchall()
