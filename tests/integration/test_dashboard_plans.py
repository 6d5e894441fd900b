"""A page of a list costs the same with fifty rows and with many thousands: its plan reads little more than it shows.

Asked as the dashboard asks, on a connection of its pool, where few of very many rows failed and some run.
"""

import json
from datetime import UTC, datetime

import pytest
from psycopg import sql

from actors.registry import WORKFLOWS
from app.web.contact_list import contact_statements
from app.web.grids import GRIDS, grid_statements
from app.web.keyset import Place
from app.web.labels import name_of
from app.web.looking import LONGEST_LOOK
from app.web.pages.workflow import FIRST
from db.connections import open_pool, transaction
from db.people.choosing import LONGEST, Chosen, Rows
from db.people.leisure import at_leisure, lent
from db.statements import statements
from tests.shared_database import shared_database

MANY = 20_000
DOMAINS = 200_000
SHOWN = 51
ENOUGH = 500
ID = "5f0c21d7-0000-4000-8000-000000000000"
WORKFLOW = statements("dashboard/workflow.sql")
PEOPLE = statements("dashboard/people.sql")
PIPELINE = statements("dashboard/pipeline.sql")
METADATA = next(workflow for workflow in WORKFLOWS if workflow.name == "domain_metadata")

FILL = f"""
insert into domains (domain, created_at, status, status_error)
select 'd' || n || '.example', now() - n * interval '1 second',
       case when n % {MANY} = 0 then 'error' when n % {MANY} < 3 then 'pending' else 'completed' end,
       case when n % {MANY} = 0 then 'no answer within ' || n || ' s' end
from generate_series(1, {DOMAINS}) n;
insert into places_staging (place_id, name, created_at)
select 'place ' || n, 'a place', now() - n * interval '1 second' from generate_series(1, {MANY}) n;
insert into local_businesses (place_id, business_name, created_at)
select 'place ' || n, 'a business', now() - n * interval '1 second' from generate_series(1, {MANY}) n;
insert into sitemap_files (domain_id, url, created_at)
select id, 'https://' || domain || '/sitemap.xml', created_at from domains limit {MANY};
insert into pages (domain_id, url, created_at)
select id, 'https://' || domain || '/contact', created_at from domains limit {MANY};
insert into contacts (domain_id, email, created_at)
select id, 'ann@' || domain, created_at from domains limit {MANY};
insert into engine.job (workflow, pk, dead, last_error, token, worker_id, started_at)
select workflow, n::text, n = {MANY}, 'error',
       case when n <= 20 then gen_random_uuid() end, case when n <= 20 then gen_random_uuid() end, now()
from unnest(array['deep_scan', 'page_curation']) as workflow, generate_series(1, {MANY}) n;
insert into engine.job (workflow, pk, dead, last_error)
select 'domain_metadata', id::text, true, status_error from domains where status = 'error';
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
def pool(database, db):
    if not db.execute("select exists (select from engine.submission)").fetchone()[0]:
        for statement in FILL.split(";"):
            db.execute(statement)
    with open_pool(database, size=1, name="dashboard") as pool:
        yield pool


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        (WORKFLOW["waiting"], {"workflow": "deep_scan", "rows": SHOWN, **FIRST}),
        (WORKFLOW["waiting"], {"workflow": "deep_scan", "rows": SHOWN, **FIRST, "skip": 100}),
        (WORKFLOW["failed"], {"workflow": "deep_scan", "rows": SHOWN, "pk": ""}),
        (WORKFLOW["failed"], {"workflow": "deep_scan", "rows": SHOWN, "pk": "15000"}),
        (WORKFLOW["running"], {"workflow": "deep_scan", "rows": SHOWN}),
        (WORKFLOW["rates"], {"workflow": "deep_scan", "step": 1, "steps": 60}),
        (PEOPLE["workers"], {"rows": SHOWN}),
        (PEOPLE["submissions"], {"rows": SHOWN, "before": MANY // 2}),
        (PEOPLE["actions"], {"rows": SHOWN, "before": MANY}),
        (PIPELINE["troubles"], {"rows": 8}),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else "-".join(map(str, value.values())),
)
def test_a_page_reads_little_more_than_it_shows(pool, statement, parameters):
    with transaction(pool) as connection:
        plan = explained(connection, statement, parameters)

    assert most_read(plan) <= ENOUGH, json.dumps(plan, indent=1)


@pytest.mark.parametrize("side", [None, "older", "newer"])
@pytest.mark.parametrize("kind", [*GRIDS, "contacts"])
def test_a_page_of_a_grid_reads_little_more_than_it_shows_at_any_depth(pool, kind, side):
    pk = "1" if kind == "places" else ID
    place = Place(side, datetime(2020, 1, 1, tzinfo=UTC), pk) if side == "newer" else Place(side, datetime.now(UTC), pk)
    known = contact_statements({}, place) if kind == "contacts" else grid_statements(GRIDS[kind], {}, place)

    with transaction(pool) as connection:
        some = explained(connection, known["some"], {"pks": [pk]})
        with at_leisure(connection, LONGEST_LOOK):
            page = explained(connection, known["page"], {})

    assert most_read(page) <= ENOUGH, json.dumps(page, indent=1)
    assert most_read(some) <= ENOUGH, json.dumps(some, indent=1)


@pytest.mark.parametrize(
    ("statement", "table", "column", "value"),
    [
        ("by_key", "pages", "id", ID),
        ("by_key", "places_staging", "id", 1),
        ("by_key", "contacts", "email", "ann@d7.example"),
        ("by_key", "places_staging", "place_id", "place 7"),
        ("by_key", "local_businesses", "place_id", "place 7"),
        ("by_key", "domains", "domain", "d7.example"),
        ("domains_from", "domains", "id", None),
        ("by_url", "pages", "id", None),
        ("by_url", "sitemap_files", "id", None),
    ],
)
def test_a_search_is_a_look_into_one_index(pool, statement, table, column, value):
    names = {"table": sql.Identifier(table), "column": sql.Identifier(column), "pk": sql.Identifier("id")}
    known = statements("dashboard/search.sql", **names, name=name_of(table))
    given = {"value": value, "rows": 20, "start": "d7", "domain": "d7.example", "url": "https://d7.example/contact"}

    with transaction(pool) as connection:
        plan = explained(connection, known[statement], given)

    assert most_read(plan) <= ENOUGH, json.dumps(plan, indent=1)


@pytest.mark.parametrize("statement", ["count", "choose"])
@pytest.mark.parametrize(
    ("words", "chosen", "found"),
    [
        (["error"], Chosen(by_job=True), 10),
        (["error"], Chosen(by_job=True, error="no answer within # s"), 10),
        (["pending", "processing"], Chosen(by_job=True), 20),
    ],
)
def test_what_an_operator_steers_is_reached_from_its_jobs(pool, statement, words, chosen, found):
    rows = Rows(pool, METADATA, chosen, words)

    with lent(pool, LONGEST) as connection:
        plan = explained(connection, rows.sql[statement], rows.parameters)

    assert rows.count() == found
    assert most_read(plan) <= ENOUGH, json.dumps(plan, indent=1)


def test_what_has_no_job_is_found_by_reading_the_table_once_and_not_by_an_index_of_all_of_it(pool):
    rows = Rows(pool, METADATA, Chosen(), ["error"])

    with lent(pool, LONGEST) as connection:
        plan = explained(connection, rows.sql["choose"], rows.parameters)

    assert "Seq Scan" in json.dumps(plan)


def explained(connection, statement, parameters):
    return connection.execute(b"explain (analyze, format json) " + statement, parameters).fetchone()[0][0]["Plan"]


def most_read(node: dict) -> float:
    """The largest number of rows that any step of the plan took into its hands."""
    loops = node["Actual Loops"]
    mine = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * loops
    return max([mine, *(most_read(child) for child in node.get("Plans", []))])
