"""What a scrape reads of the database: the right figures, from the engine's own tables, at a bounded price."""

import os
import signal
import time
from uuid import uuid4

import pytest

from app.figures import FigureReader, read_figures
from db.connections import GUARD, open_pool
from db.models.base import Base
from db.outcomes import Failed
from db.statements import statements
from tests.process_support import wait_until

pytest_plugins = ["tests.stage_support"]


@pytest.fixture
def pool(stage):
    pool = open_pool(stage.url, size=1, name="test")
    yield pool
    pool.close()


def figures(stage):
    """Every figure of the sample workflow, and those that are nobody's, by name and other labels."""
    with stage.connect() as connection:
        samples = read_figures(connection)
    others = [sample for sample in samples if not sample.labels or sample.labels[0] not in WORKFLOW_NAMES]
    ours = [sample._replace(labels=sample.labels[1:]) for sample in samples if sample.labels[:1] == ("sampling",)]
    return {(name.removeprefix("scrapersky_"), *labels): value for name, labels, value in ours + others}


WORKFLOW_NAMES = {
    *("place_search", "deep_scan", "domain_extraction", "domain_metadata"),
    *("sitemap_discovery", "sitemap_import", "page_curation", "sampling"),
}


def test_an_empty_queue_has_a_zero_for_every_state(stage):
    found = figures(stage)

    assert {found["rows", state] for state in ("ready", "delayed", "running", "failed")} == {0}
    assert (found["oldest_ready_seconds",], found["oldest_processing_seconds",]) == (0, 0)


def test_rows_are_counted_by_state_and_the_oldest_has_its_age(stage):
    stage.add(1)
    stage.run(Failed("hopeless"))
    stage.add(2)
    stage.claim()
    stage.user.execute("update engine.job set started_at = now() - interval '5 minutes' where token is not null")
    stage.set_job(stage.add(3), "run_at = now() + interval '1 hour'")
    stage.set_job(stage.add(4), "run_at = now() - interval '1 hour', priority = 7")
    stage.set_job(stage.add(1), "run_at = now() - interval '1 minute', priority = 3")

    found = figures(stage)

    assert [found["rows", state] for state in ("ready", "delayed", "running", "failed")] == [5, 3, 2, 1]
    assert found["oldest_ready_seconds",] == pytest.approx(3600, abs=60)
    assert found["oldest_processing_seconds",] == pytest.approx(300, abs=60)


def test_rows_that_nobody_looked_after_are_shown_as_the_last_sweep_found_them(stage):
    stage.set(stage.add(2, status="Skipped"), status="Processing")
    stage.user.execute("set session_replication_role = replica")
    stage.add(3)
    stage.user.execute("reset session_replication_role")
    before = figures(stage)

    stage.sweeper().sweep("sampling", whole=True)
    found = figures(stage)
    stage.sweeper().sweep("sampling", whole=True)

    assert before["last_sweep_timestamp_seconds",] == 0
    assert (found["unowned_rows", "queued_without_job"], found["unowned_rows", "processing_without_claim"]) == (3, 2)
    assert found["last_sweep_timestamp_seconds",] == pytest.approx(time.time(), abs=60)
    assert figures(stage)["unowned_rows", "queued_without_job"] == 0


def test_a_dry_run_of_the_sweep_leaves_the_figures_alone(stage):
    stage.sweeper(dry_run=True).sweep("sampling", whole=True)

    assert figures(stage)["last_sweep_timestamp_seconds",] == 0


def test_claims_of_a_worker_that_is_gone_are_seen_before_any_sweep(stage):
    doomed = stage.register_worker()
    stage.add(2)
    stage.claim(worker=doomed)
    held = figures(stage)
    stage.bury(doomed)

    assert held["unowned_rows", "claimed_by_lost_worker"] == 0
    assert figures(stage)["unowned_rows", "claimed_by_lost_worker"] == 2


def test_a_person_who_paused_and_a_workflow_that_stopped_itself_are_told_apart(stage):
    stage.user.execute("update engine.workflow set blocked_reason = 'no key' where name = 'sampling'")
    blocked = figures(stage)
    stage.user.execute("update engine.workflow set paused = true where name = 'sampling'")
    paused = figures(stage)

    assert (blocked["paused",], blocked["blocked",]) == (0, 1)
    assert (paused["paused",], paused["blocked",]) == (1, 0)


def test_a_workflow_that_is_held_back_from_downstream_is_shown(stage_with):
    stage = stage_with(feeds="page_curation", max_downstream=1)
    free = figures(stage)
    stage.user.execute("insert into engine.job (workflow, pk) values ('page_curation', '1')")

    assert (free["held_back",], figures(stage)["held_back",]) == (0, 1)


def test_a_budget_is_shown_by_how_much_of_it_is_used(stage_with):
    stage = stage_with()
    without = figures(stage)
    stage.user.execute("update engine.workflow set per_day = 8 where name = 'sampling'")
    unused = figures(stage)
    stage.add(2)
    stage.run()

    assert ("budget_used_ratio",) not in without
    assert unused["budget_used_ratio",] == 0
    assert figures(stage)["budget_used_ratio",] == 0.25


def test_workers_and_the_state_of_the_server_are_shown(stage):
    stage.user.execute("update engine.worker set draining = true where id = %s", [stage.register_worker()])
    with stage.connect() as forgetful, forgetful.transaction():
        forgetful.execute("select 1")
        wait_until(lambda: figures(stage)["oldest_transaction_seconds",] > 0.2)

    found = figures(stage)

    assert (found["workers", "alive"], found["workers", "draining"]) == (1, 1)
    assert 0 <= found["notification_queue_usage_ratio",] < 1
    assert found["job_bytes",] > 0
    assert found["job_dead_tuples",] >= 0
    assert [len(labels[1]) for labels in found if labels[0] == "schema_info"] == [12]


def test_no_business_table_is_read(stage, pool):
    """Nobody can read them, and the figures come all the same."""
    stage.add(5)
    tables = ", ".join([*Base.metadata.tables, "samples", "findings"])
    with stage.user.transaction():
        stage.user.execute(f"lock table {tables} in access exclusive mode")

        samples = FigureReader(pool).samples()

    assert samples is not None
    assert ("scrapersky_rows", ("sampling", "ready"), 5) in samples


@pytest.mark.parametrize(
    ("statement", "index"), [("waiting", "job_ready"), ("running", "job_running"), ("failed", "job_dead")]
)
def test_jobs_are_counted_by_the_index_of_their_state(stage, statement, index):
    stage.set_job(stage.add(3000), "run_at = now()")
    stage.user.execute("vacuum analyze engine.job")
    with stage.engine.transaction():
        stage.engine.execute(GUARD)

        plan = stage.engine.execute(b"explain (format json) " + statements("figures.sql")[statement]).fetchone()[0]

    scans = [node for node in nodes(plan[0]["Plan"]) if node.get("Relation Name") == "job"]
    assert [scan.get("Index Name") for scan in scans] == [index]
    assert statement != "waiting" or scans[0]["Node Type"] == "Index Only Scan"


def nodes(plan):
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)


def test_many_who_scrape_at_once_cost_one_query(stage, pool):
    reader = FigureReader(pool)
    first = reader.samples()
    stage.add(1)

    assert all(reader.samples() is first for _ in range(5))


def test_a_table_that_somebody_has_locked_is_not_waited_for(stage, pool):
    with stage.user.transaction():
        stage.user.execute("lock table engine.job in access exclusive mode")

        assert FigureReader(pool).samples() is None


def test_a_database_that_nobody_serves_is_told_as_such():
    pool = open_pool("postgresql://nobody@127.0.0.1:1/nothing", size=1, name="test")

    assert FigureReader(pool).samples() is None
    pool.close()


def test_a_server_that_hangs_is_not_waited_for_and_is_read_again_when_it_goes_on(stage, pool):
    with pool.connection() as connection:
        server_process = connection.info.backend_pid
    reader = FigureReader(pool)
    assert reader.samples() is not None

    os.kill(server_process, signal.SIGSTOP)
    try:
        wait_until(lambda: reader.samples() is None)
    finally:
        os.kill(server_process, signal.SIGCONT)

    wait_until(lambda: reader.samples() is not None)


def test_a_worker_id_that_never_registered_owns_nothing(stage):
    stage.set_job(stage.add(1), f"token = gen_random_uuid(), worker_id = '{uuid4()}'")

    assert figures(stage)["unowned_rows", "claimed_by_lost_worker"] == 1
