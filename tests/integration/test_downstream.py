"""A workflow whose rows make rows for the next one starts none while too many of those wait."""

import pytest

from db.lifecycle import Claimer
from db.lifecycle.downstream import Downstream
from db.people import steering
from tests.dashboard_support import visitor_of
from tests.lifecycle_support import guarded, keys, wait_until

pytest_plugins = ["tests.stage_support", "tests.why_support"]

WAIT = (
    "insert into engine.job (workflow, pk) select 'page_curation', number from generate_series(%s::int, %s) as number"
)
LIMIT = "update engine.workflow set max_downstream = %s where name = 'sampling'"


def claim(stage):
    """By a process that has not asked before, and so remembers nothing."""
    with guarded(stage.engine):
        return Claimer(stage.workflow, stage.workflow.columns).claim(stage.engine, stage.worker, 1)


def test_no_row_is_begun_while_as_many_wait_downstream_as_may(stage_with):
    stage = stage_with(feeds="page_curation", max_downstream=3)
    rows = stage.add(2)
    stage.user.execute(WAIT, [1, 2])
    (first,) = keys(claim(stage))
    stage.user.execute(WAIT, [3, 3])

    held_back = keys(claim(stage))
    stage.user.execute("delete from engine.job where workflow = 'page_curation' and pk = '1'")
    after = keys(claim(stage))

    assert held_back == []
    assert {first, *after} == set(rows)


def test_rows_that_run_or_failed_downstream_hold_nobody_back(stage_with):
    stage = stage_with(feeds="page_curation", max_downstream=1)
    stage.add(1)
    stage.user.execute(WAIT, [1, 2])
    stage.user.execute("update engine.job set dead = true where workflow = 'page_curation' and pk = '1'")
    stage.user.execute(
        "update engine.job set token = gen_random_uuid(), worker_id = gen_random_uuid(), started_at = now() "
        "where workflow = 'page_curation' and pk = '2'"
    )

    assert len(claim(stage).rows) == 1


def test_an_answer_that_took_long_is_kept_for_a_while(stage):
    stage.user.execute("create table answer as select true as now")
    downstream = Downstream(b"select now from answer, pg_sleep(0.05)", "sampling")

    answers = [downstream.holds_back(stage.engine)]
    stage.user.execute("update answer set now = false")
    answers.append(downstream.holds_back(stage.engine))

    assert answers == [True, True]
    wait_until(lambda: not downstream.holds_back(stage.engine))


def test_an_operators_limit_overrides_the_declared_one(stage_with):
    stage = stage_with(feeds="page_curation", max_downstream=1)
    stage.add(1)
    stage.user.execute(WAIT, [1, 4])

    stage.user.execute(LIMIT, [4])
    assert keys(claim(stage)) == []
    stage.user.execute(LIMIT, [5])
    assert len(claim(stage).rows) == 1


def test_who_is_held_back_is_seen_in_the_overview(stage_with):
    stage = stage_with(feeds="page_curation", max_downstream=2)
    seen = "select feeds, max_downstream, held_back from engine.overview where workflow = 'sampling'"

    before = stage.user.execute(seen).fetchone()
    stage.user.execute(WAIT, [1, 2])

    assert before == ("page_curation", 2, False)
    assert stage.user.execute(seen).fetchone() == ("page_curation", 2, True)


@pytest.fixture
def held_back(desk):
    """A domain whose metadata wait, because another waits for the discovery of its sitemaps."""
    desk.domain(sitemap_analysis_status="queued")
    desk.set("domain_metadata", max_downstream=1)
    return desk.domain(status="pending")


def test_why_names_the_workflow_downstream_and_how_to_allow_more(desk, held_back):
    told = desk.explain("domains", held_back)["domain_metadata"]

    assert told.code == "downstream_limit"
    assert told.reason == "held back by the limit downstream: 1 row or more wait for sitemap_discovery"
    assert told.remedy.endswith("scrapersky limit domain_metadata --max-downstream 2")


def test_the_dashboard_says_who_holds_a_workflow_back(desk, held_back):
    with visitor_of(desk.url) as visitor:
        assert "1 or more wait for sitemap_discovery" in visitor.text("/")
        assert "held back by the limit downstream" in visitor.text(f"/rows/domains/{held_back}")
        assert "max_downstream" in visitor.text("/workflows/domain_metadata")
        assert "max_downstream" not in visitor.text("/workflows/page_curation")


def test_the_last_workflow_has_nothing_downstream_to_be_limited_by(desk):
    with pytest.raises(steering.SteeringError, match="page_curation is the last workflow"):
        steering.set_limits(desk.db, "page_curation", {"max_downstream": 10}, operator="ann")


def test_the_limit_is_recorded_like_any_other(desk):
    steering.set_limits(desk.db, "sitemap_import", {"max_downstream": 20_000}, operator="ann")

    found = desk.db.execute("select operator, action, workflow, detail from engine.action").fetchall()

    assert found == [("ann", "limit", "sitemap_import", {"max_downstream": [None, 20_000]})]
