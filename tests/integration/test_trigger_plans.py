"""Functions that read transition tables: their plans are linear for any number of rows, whatever the session did first.

Such a plan is made for as many rows as the first statement of the session has, and kept for all later statements.
"""

import re

import psycopg
import pytest
from psycopg import sql

from db.connections import GUARD
from tests.plan_trees import PlanLog
from tests.shared_database import shared_database

QUEUE = "update pages set page_processing_status = 'Queued' where id in (select id from chosen)"
# Of rows that wait already, so that old and new ones are compared.
REQUEUE = "update pages set page_processing_status = 'Queued', title = 'new' where id in (select id from chosen)"
WAIT = """set session_replication_role = replica;
          update pages set page_processing_status = 'Queued';
          set session_replication_role = origin"""
PAGES = "select domain_id, url || '{}', 'Queued' from chosen join pages using (id)"
MERGE = """merge into pages using chosen on pages.id = chosen.id
           when matched then update set page_processing_status = 'Queued'
           when not matched then do nothing"""
UPSERT = f"""insert into pages (domain_id, url, page_processing_status)
             {PAGES.format("")}
             on conflict (domain_id, url) do update set page_processing_status = excluded.page_processing_status"""
LIST = "insert into suppressions (kind, value) select '{}', 'a-' || id || '{}' from chosen"
LIST_PHONES = """insert into suppressions (kind, value)
                 select 'phone', '+1' || 5125550000 + row_number() over () from chosen"""
RELIST = "update suppressions set value = 'new-' || value where id in (select id from suppressions limit {})"
FEW, MANY = 1, 1_100

# What fires them, by function. `chosen` is a temporary table of page ids.
STATEMENTS = {
    "submit_page_curation": [
        QUEUE,
        REQUEUE,
        f"insert into pages (domain_id, url, page_processing_status) {PAGES.format('/new')}",
        MERGE,
        UPSERT,
    ],
    "forget_suppressed": [
        LIST.format("email", "@gum.com"),
        LIST_PHONES,
        LIST.format("domain", ".gum.com"),
        RELIST,
    ],
    "forget_page_validators": ["delete from contacts where page_id in (select id from chosen)"],
    "forget_sitemap_validators": [
        "delete from pages where id in (select id from chosen)",
        "delete from sitemap_files where id in (select id from sitemap_files limit {})",
    ],
    "forget_unsuppressed_validators": [
        RELIST,
        "delete from suppressions where id in (select id from suppressions limit {})",
    ],
}
CASES = [(function, statement) for function, statements in STATEMENTS.items() for statement in statements]

FILL = """
    insert into domains (domain) select 'smile-' || n || '.com' from generate_series(1, 1_100) as n;
    insert into pages (domain_id, url, etag) select id, 'https://' || domain || '/page', 'x' from domains;
    insert into sitemap_files (domain_id, url, etag) select id, 'https://' || domain || '/map', 'x' from domains;
    insert into contacts (domain_id, page_id, email) select domain_id, id, id || '@smile.com' from pages;
    insert into suppressions (kind, value) select 'email', 'e-' || id || '@away.com' from pages;
    analyze
"""
# What takes the place of the grouping, as it once was.
GROUPED = re.compile(r"select \S+, seen.pk.*?having not bool_or\(seen.was_queued\)", re.DOTALL)
OLD_JOINS = {
    "left join": """
        select 'page_curation', new_row.id::text, 0, null, ask.number
        from new_rows as new_row left join old_rows as old_row on old_row.id = new_row.id
        where new_row.page_processing_status = 'Queued' and old_row.page_processing_status is distinct from 'Queued'
    """,
    "not exists": """
        select 'page_curation', new_row.id::text, 0, null, ask.number
        from new_rows as new_row
        where new_row.page_processing_status = 'Queued'
          and not exists (select from old_rows as old_row
                          where old_row.id = new_row.id and old_row.page_processing_status = 'Queued')
    """,
}
NESTED_LOOP = ("submit_page_curation", "NESTLOOP over NAMEDTUPLESTORESCAN")


@pytest.fixture(scope="module")
def url(server, template):
    with shared_database(server, template, "trigger_plans") as url:
        with psycopg.connect(url) as db:
            db.execute(FILL)
        yield url


@pytest.fixture(params=["a user's session", "a session of the engine"])
def session(request, url):
    """A fresh session in a transaction that leaves nothing behind; the engine's is guarded against full scans."""
    with psycopg.connect(url) as connection:
        if request.param == "a session of the engine":
            connection.execute(GUARD)
        yield connection
        connection.rollback()


def fire(session, statement, rows):
    session.execute("create temporary table chosen as select id from pages limit %s", [rows])
    if statement == REQUEUE:
        session.execute(WAIT)
    assert session.execute(statement.format(rows)).rowcount == rows


@pytest.mark.parametrize("rows", [FEW, MANY], ids=["one row first", "many rows first"])
@pytest.mark.parametrize(("function", "statement"), CASES)
def test_no_kept_plan_reads_a_table_once_for_each_row_of_another(session, function, statement, rows):
    log = PlanLog(session)

    fire(session, statement, rows)

    assert function in log.functions
    assert log.repeated == set()


def test_every_function_that_reads_transition_tables_is_looked_at(url):
    with psycopg.connect(url) as db:
        named = db.execute(
            "select distinct proname from pg_trigger join pg_proc on pg_proc.oid = tgfoid "
            "where tgoldtable is not null or tgnewtable is not null"
        ).fetchall()

    # Those of the workflows have one text.
    others = {name for (name,) in named if not name.startswith("submit_")}
    assert others | {"submit_page_curation"} == STATEMENTS.keys()


@pytest.mark.parametrize("join", OLD_JOINS.values(), ids=OLD_JOINS)
def test_a_function_that_joins_is_seen_to_keep_a_nested_loop(url, join):
    with psycopg.connect(url) as session:
        session.execute(GUARD)
        (source,) = session.execute("select prosrc from pg_proc where proname = 'submit_page_curation'").fetchone()
        old, replaced = GROUPED.subn(join, source)
        assert replaced == 1
        session.execute(
            sql.SQL(
                "create or replace function engine.submit_page_curation() returns trigger language plpgsql as {}"
            ).format(old)
        )
        log = PlanLog(session)
        fire(session, REQUEUE, FEW)
        session.rollback()

    assert log.repeated == {NESTED_LOOP}


def test_a_subplan_that_reads_a_table_for_each_row_is_seen(url):
    with psycopg.connect(url) as session:
        session.execute(
            """create function engine.look() returns void language plpgsql as $$ begin
               perform (select count(*) from domains where length(domain) > length(pages.url)) from pages;
               end $$"""
        )
        log = PlanLog(session)
        session.execute("select engine.look()")
        session.rollback()

    assert log.repeated == {("look", "SUBPLAN over SEQSCAN")}
