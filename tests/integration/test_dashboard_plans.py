"""A page of a list costs the same with fifty rows and with many thousands: its plan reads little more than it shows."""

import json

import pytest

from app.web.pages.workflow import FIRST
from db.statements import statements
from tests.shared_database import shared_database

MANY = 20_000
SHOWN = 51
WORKFLOW = statements("dashboard/workflow.sql")
PEOPLE = statements("dashboard/people.sql")
PIPELINE = statements("dashboard/pipeline.sql")

FILL = f"""
insert into engine.job (workflow, pk, dead, last_error)
select case n % 2 when 0 then 'deep_scan' else 'page_curation' end, n::text, n % 4 < 2, 'error'
from generate_series(1, {MANY}) n;
insert into engine.submission (workflow, rows, role, application_name)
select 'deep_scan', 1, 'ann', 'psql' from generate_series(1, {MANY});
insert into engine.attempt (workflow, pk, generation, attempt, outcome)
select 'deep_scan', n::text, 1, 1, 'failed' from generate_series(1, {MANY}) n;
insert into engine.rate (workflow, minute)
select name, date_trunc('minute', now()) - n * interval '1 minute'
from engine.workflow, generate_series(0, {MANY // 8}) n;
analyze
"""


@pytest.fixture(scope="module")
def database(server, template):
    with shared_database(server, template, "dashboard_plans") as url:
        yield url


@pytest.fixture
def filled(db):
    if not db.execute("select exists (select from engine.submission)").fetchone()[0]:
        for statement in FILL.split(";"):
            db.execute(statement)
    return db


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        (WORKFLOW["waiting"], {"workflow": "deep_scan", "rows": SHOWN, **FIRST}),
        (WORKFLOW["waiting"], {"workflow": "deep_scan", "rows": SHOWN, **FIRST, "skip": 100}),
        (WORKFLOW["failed"], {"workflow": "deep_scan", "rows": SHOWN, "pk": ""}),
        (WORKFLOW["failed"], {"workflow": "deep_scan", "rows": SHOWN, "pk": "15000"}),
        (WORKFLOW["running"], {"workflow": "deep_scan", "rows": SHOWN}),
        (WORKFLOW["rates"], {"workflow": "deep_scan", "step": 1, "steps": 60}),
        (PEOPLE["submissions"], {"rows": SHOWN, "before": MANY // 2}),
        (PEOPLE["actions"], {"rows": SHOWN, "before": MANY}),
        (PIPELINE["troubles"], {"rows": 8}),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else "-".join(map(str, value.values())),
)
def test_a_page_reads_little_more_than_it_shows(filled, statement, parameters):
    plan = filled.execute(b"explain (analyze, format json) " + statement, parameters).fetchone()[0][0]["Plan"]

    assert most_read(plan) <= 500, json.dumps(plan, indent=1)


def most_read(node: dict) -> float:
    """The largest number of rows that any step of the plan took into its hands."""
    loops = node["Actual Loops"]
    mine = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * loops
    return max([mine, *(most_read(child) for child in node.get("Plans", []))])
