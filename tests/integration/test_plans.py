"""Query plans at 200,000 business rows and 50,000 jobs: every statement finds its rows by an index or by their place.

Each is explained as it runs in production: guarded, with its bound parameters, and once more as the generic plan that a
prepared statement ends up with; with the statistics of an empty queue, and of a full one in which nothing ran.
"""

import re
from copy import copy
from datetime import timedelta
from typing import ClassVar
from uuid import uuid4

import pytest
from psycopg import Connection
from psycopg_pool import ConnectionPool

from app import sweeper as sweeping
from app.config import Settings
from app.lease import DUE
from app.sweeper import LIVENESS, Sweeper
from db.connections import GUARD
from db.declaration import Politeness
from db.lifecycle import Claimer, Recovery
from db.lifecycle.bad_rows import CHECK_AT_ONCE
from db.lifecycle.record import MARK, UNDO
from db.outcomes import Again, Failed, Found, Released
from tests.lifecycle_support import guarded
from tests.samples import Finding

pytest_plugins = ["tests.stage_support"]

PLACE, SLICE, PRIMARY_KEY = "place", "slice of places", "samples_pkey(id)"
# A comparison of rows, (priority, key) > (1, 'host'), is part of the condition and not among these columns.
NEXT_KEY = "job_of_key(workflow, priority)"
CLAIM, JOB = "job_running(workflow, token)", "job_pkey(workflow, pk)"

# How each statement may find the rows of the business table and of engine.job, by alias.
WAYS = {
    "serialise": {"due": ["job_ready(workflow, run_at)"]},
    "take_jobs": {"due": ["job_ready(workflow, run_at)"], "running": ["job_running(workflow)"], "job": [PLACE]},
    "look": {"due": ["job_ready(workflow, run_at)"]},
    "take_chosen": {"job": [JOB]},
    "survey": {"wanted": [PRIMARY_KEY]},
    "take_rows": {"wanted": [PRIMARY_KEY], "item": [PLACE]},
    "take_batch": {"due": ["job_ready(workflow, run_at)"], "job": [PLACE], "source": [PRIMARY_KEY], "item": [PLACE]},
    "not_begun": {"job": [CLAIM]},
    "drop_withdrawn": {"job": [JOB], "item": [PRIMARY_KEY]},
    "give_back": {"job": [JOB]},
    "push_back": {"job": [JOB]},
    "room": {"due": ["job_ready(workflow, run_at)"]},
    "heads": {"job": [NEXT_KEY], "job_1": [NEXT_KEY], "running": ["job_running_key(key)"]},
    "busy_keys": {"job": ["job_running_key(key)"]},
    "take_heads": {"head": [PLACE], "job": [PLACE]},
    "drop_withdrawn_of_keys": {"waiting": ["job_of_key(workflow)"], "job": [PLACE], "item": [PRIMARY_KEY]},
    "end_batch": {"held": [CLAIM], "job": [PLACE], "item": [PRIMARY_KEY]},
    "lock_rows": {"item": [PRIMARY_KEY]},
    "lock_jobs": {"job": [CLAIM]},
    "still_there": {"item": [PRIMARY_KEY]},
    "still_claimed": {"job": [CLAIM, JOB]},
    "rows_of_claim": {"job": [CLAIM]},
    "delete_jobs": {"job": [PLACE]},
    "free_jobs": {"job": [PLACE]},
    "set_rows": {"item": [PLACE]},
    "values": {"item": [PRIMARY_KEY]},
    "claims_of_the_dead": {"job": ["job_running(workflow)"]},
    "claims_of_the_living": {"job": ["job_running(workflow)"]},
    "overdue_claims": {"job": [CLAIM]},
    "claims_of_worker": {"job": ["job_running()"]},
    "missed_rows": {"item": [SLICE], "job": [JOB]},
    "adopt_rows": {"item": [PRIMARY_KEY]},
    "orphan_rows": {"item": [SLICE], "job": [JOB]},
    "adopt_orphans": {"item": [PLACE]},
    "requeue_orphans": {"item": [PLACE]},
    "refuse_orphan": {"item": [PLACE]},
    "idle_jobs": {"job": [SLICE], "item": [PRIMARY_KEY]},
    "drop_idle_jobs": {"job": [PLACE], "item": [PRIMARY_KEY]},
}


class ExplainedConnection(Connection):
    """Keeps the plans of every statement that it runs."""

    plans: ClassVar = {}

    def execute(self, query, parameters=None, **options):
        if isinstance(query, bytes) and query not in {GUARD, CHECK_AT_ONCE, MARK, UNDO}:
            custom = super().execute(b"explain (format json) " + query, parameters, prepare=False)
            generic = super().execute(b"explain (generic_plan, format json) " + numbered(query), prepare=False)
            self.plans.setdefault(query, []).extend(plan.fetchone()[0][0]["Plan"] for plan in (custom, generic))
        return super().execute(query, parameters, **options)


def numbered(query):
    """The query with $1, $2 … for its parameters, as the server knows it."""
    names = {}
    text = re.sub(rb"%\((\w+)\)s", lambda found: b"$%d" % names.setdefault(found[1], len(names) + 1), query)
    return re.sub(rb"%s", b"$1", text)


@pytest.fixture(scope="module")
def big(shared_stage_with):
    politeness = Politeness(column="host", group="web", spacing=timedelta(0))
    stage = shared_stage_with(max_in_flight=1_000, politeness=politeness, priority="urgency")
    stage.user.execute("alter table samples set (autovacuum_enabled = off)")
    stage.user.execute("alter table engine.job set (autovacuum_enabled = off)")
    stage.user.execute("vacuum analyze engine.job")
    stage.user.execute(
        """insert into samples (name, urgency, host, note, status)
           select 'big ' || n, n % 3, 'host ' || n, repeat(md5(n::text), 10), case when n % 4 = 0 then 'Queued' end
           from generate_series(1, 200000) as n"""
    )
    stage.user.execute("update samples set status = 'Failed' where name like 'big 1%000'")
    stage.user.execute(
        "update engine.job set dead = true where pk in (select id::text from samples where status = 'Failed')"
    )
    assert stage.value("select count(*) from engine.job") == 50_000
    stage.by_key, plain = stage.claimer, copy(stage.workflow)
    plain.politeness = None
    stage.claimer = Claimer(plain, plain.columns)
    return stage


@pytest.fixture(scope="module")
def plans(big):
    """The plans of every statement, by name, in both states of the statistics."""
    ExplainedConnection.plans = {}
    live_through(big, "1")
    big.user.execute("vacuum analyze samples, engine.job")
    live_through(big, "2")
    named = {}
    for query, plans in ExplainedConnection.plans.items():
        named.setdefault(names(big).get(query) or kind_of_result(query), []).extend(plans)
    return named


def names(stage):
    own = {"claims_of_worker": LIVENESS["claims_of_worker"]}
    files = (stage.by_key.sql, stage.recorder.sql, Recovery(stage.workflow).sql, own)
    return {query: name for statements in files for name, query in statements.items()}


def kind_of_result(query):
    if query.startswith(b"with ended as"):
        return "end_batch"
    return "values" if query.startswith(b'update "samples"') else "other"


def live_through(stage, last_digit):
    """A day in which everything happens that has a statement of its own."""
    connection = stage.connect(ExplainedConnection)
    due = "select pk from engine.job where not dead and token is null order by priority, run_at limit 2"
    withdrawn, held = (pk for (pk,) in stage.user.execute(due).fetchall())
    user = stage.connect()
    user.execute("begin")
    stage.set(withdrawn, status="Skipped")
    stage.set(held, by=user, note="still writing")
    stage.record(stage.claim(1, by=connection), by=connection)
    stage.record(stage.claim(by=connection), Found(values={"note": "noted"}), by=connection)
    user.execute("rollback")
    found = Found(rows=[Finding(name="a find")], values={"note": "noted"}, reason="so it is")
    outcomes = [Again("no answer", 1.0), Failed("hopeless"), Released(), found] * 25
    batch = stage.claim(by=connection)
    stage.delete(batch.rows[3].pk)
    stage.set_job(batch.rows[7].pk, "token = null, worker_id = null")
    stage.record(batch, lambda row: outcomes[batch.rows.index(row)], by=connection)
    claim_by_key(stage, connection)
    take_at_once(stage, connection)
    give_up_claims(stage, connection)
    doomed = stage.register_worker()
    stage.claim(worker=doomed)
    stage.bury(doomed)
    stage.user.execute("set session_replication_role = replica")
    for number, word in enumerate(("Queued", "Processing", "Skipped"), start=1):
        stage.user.execute("update samples set status = %s where name = %s", [word, f"big {number * 4}{last_digit}"])
    stage.user.execute("update samples set status = 'Skipped' where status = 'Queued' and name like 'big 77%'")
    stage.user.execute("reset session_replication_role")
    (refused,) = stage.add(status="Processing")
    refuse(stage, refused)
    sweep(stage)


def claim_by_key(stage, connection):
    """Once with a row at the head of its key that was withdrawn."""
    order = 'order by priority, key collate "C", run_at limit 1'
    stage.set(stage.value(f"select pk from engine.job where not dead and token is null {order}"), status="Skipped")
    with guarded(connection):
        batch = stage.by_key.claim(connection, stage.worker, 50)
    assert len(batch.rows) == 49
    stage.record(batch, by=connection)


def take_at_once(stage, connection):
    """As if nothing limited the workflow."""
    token = uuid4()
    more = {"token": token, "worker": stage.worker, "size": 100, "suspects": True}
    with guarded(connection):
        connection.execute(stage.claimer.sql["take_batch"], {**stage.claimer.parameters, **more})
        connection.execute(stage.claimer.sql["not_begun"], {**stage.claimer.parameters, "token": token})


def give_up_claims(stage, connection):
    """A claim in doubt, one that outlived every limit, and one of a row that can not be updated."""
    with guarded(connection):
        connection.execute(LIVENESS["claims_of_worker"], {"worker": stage.worker})
        stage.recorder.release(connection, stage.worker, stage.claim().token)
        Recovery(stage.workflow).end_overdue_claims(connection, [stage.claim().token])
    refuse(
        stage,
        stage.value(
            "select pk from engine.job where token is null and run_at < now() and not dead"
            " order by priority, run_at limit 1"
        ),
    )
    with guarded(connection):
        assert stage.claimer.claim(connection, stage.worker, 10, row_by_row=True).pushed_back == 1


def refuse(stage, pk):
    stage.user.execute(f"alter table samples add check (id <> '{pk}') not valid".encode())


def sweep(stage):
    kwargs = {"autocommit": True, "prepare_threshold": None}
    with (
        ConnectionPool(stage.url, min_size=1, connection_class=ExplainedConnection, kwargs=kwargs) as pool,
        pytest.MonkeyPatch.context() as monkeypatch,
    ):
        # A slice of a narrow table has that many more rows.
        monkeypatch.setattr(sweeping, "SLICE_BLOCKS", 8 * sweeping.SLICE_BLOCKS)
        Sweeper(pool, [stage.workflow], Settings()).sweep("sampling", whole=True)


def nodes(plan):
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


def way(scan):
    """How a scan finds its rows: its place, or index(columns that are looked up in it)."""
    match scan["Node Type"]:
        case "Tid Scan":
            return PLACE
        case "Tid Range Scan":
            return SLICE
        case "Bitmap Heap Scan":
            return " and ".join(way(node) for node in nodes(scan) if node["Node Type"] == "Bitmap Index Scan")
        case "Index Scan" | "Index Only Scan" | "Bitmap Index Scan":
            columns = re.findall(r"[(](\w+) [<=]", scan.get("Index Cond", ""))
            return f"{scan['Index Name']}({', '.join(columns)})"
        case other:
            return other


def ways(plan):
    scans = [node for node in nodes(plan) if node.get("Relation Name") in {"samples", "job"}]
    return {(scan["Alias"], way(scan)) for scan in scans if scan["Node Type"] != "ModifyTable"}


@pytest.mark.parametrize("statement", WAYS)
def test_a_statement_finds_its_rows_without_reading_a_table(plans, statement):
    allowed = {(alias, way) for alias, ways in WAYS[statement].items() for way in ways}

    for plan in plans[statement]:
        assert {alias for alias, _ in ways(plan)} == WAYS[statement].keys()
        assert ways(plan) <= allowed


def test_every_statement_that_touches_rows_or_jobs_is_explained_here(big):
    touching = {
        name for query, name in names(big).items() if re.search(rb'(from|into|update) (engine\.job|"samples")', query)
    }

    assert touching <= WAYS.keys()


def test_the_overview_reads_one_range_of_one_index_per_state_and_no_business_table(big, plans):
    explained = big.value("explain (format json) select * from engine.overview")[0]["Plan"]

    relations = {node["Relation Name"] for node in nodes(explained) if "Relation Name" in node}
    assert relations == {"workflow", "job", "usage"}
    assert {way for _, way in ways(explained)} == {
        "job_ready(workflow)",
        "job_running(workflow)",
        "job_dead(workflow)",
    }


@pytest.mark.parametrize(("view", "found_by"), [("running", "job_running()"), ("failed", "job_dead()")])
def test_a_view_of_few_jobs_does_not_read_them_all(big, plans, view, found_by):
    explained = big.value(f"explain (format json) select * from engine.{view}")[0]["Plan"]

    assert {way for _, way in ways(explained)} == {found_by}


def test_the_listeners_look_for_due_work_does_not_read_all_jobs(big, plans):
    explained = big.value(f"explain (format json) {DUE}")[0]["Plan"]

    assert {way for _, way in ways(explained)} == {"job_ready(workflow, run_at)"}
