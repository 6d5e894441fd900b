"""A row moves whenever somebody writes to it, and its old place may belong to another row when its run ends."""

from uuid import uuid4

import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from db.lifecycle import Claimer, Ending, Recorder
from db.migrate import migrate
from db.outcomes import Found
from tests.samples import create_sample_tables, sample_workflow

WORKFLOW = sample_workflow(priority="urgency")


@pytest.mark.parametrize("values", [{"note": "found by ann's run"}, {}], ids=["a note", "nothing"])
def test_a_run_never_ends_another_row_that_came_to_stand_where_its_own_row_was(database, db, values):
    create_sample_tables(database)
    migrate(database, [*WORKFLOWS, WORKFLOW], Settings().default_tenant_id)
    worker = uuid4()
    db.execute("insert into engine.worker (id, host, pid, version) values (%s, 'here', 1, '1')", [worker])
    db.execute("insert into samples (name, status, urgency) values ('ann', 'Queued', 1), ('bob', 'Queued', 2)")
    ann = claim_one(db, worker)
    place = place_of(db, "ann")
    db.execute("update samples set note = 'from a user' where name = 'ann'")
    db.execute("vacuum samples")
    claim_one(db, worker)
    assert place_of(db, "bob") == place

    (row,) = ann.rows
    ending = Ending(row.pk, row.generation, row.attempt, row.max_attempts, Found(values=values), 0.1, tid=row.tid)
    with db.transaction():
        (ended,) = Recorder(WORKFLOW).record(db, worker, ann.token, [ending])

    assert ended.verdict == "completed"
    assert db.execute("select name, status, note from samples order by name").fetchall() == [
        ("ann", "Done", values.get("note", "from a user")),
        ("bob", "Processing", None),
    ]
    assert db.execute("select name from engine.job join samples on id::text = pk").fetchall() == [("bob",)]


def claim_one(db, worker):
    with db.transaction():
        return Claimer(WORKFLOW, WORKFLOW.columns).claim(db, worker, 1)


def place_of(db, name: str) -> str:
    (place,) = db.execute("select ctid::text from samples where name = %s", [name]).fetchone()
    return place
