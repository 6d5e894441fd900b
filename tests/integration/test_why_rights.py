"""Who may ask, what no asker gets by it, and that nothing in a question is taken for a command."""

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege, InvalidParameterValue

from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from tests.integration.test_hostile_names import HOSTILE, Hostile
from tests.named_tables import create_table

pytest_plugins = ["tests.why_support"]

SHADOWED = (
    ("format_type(oid, integer)", "text"),
    ("clock_timestamp()", "timestamptz"),
    ("to_char(timestamptz, text)", "text"),
    ("pg_backend_pid()", "integer"),
)


@pytest.fixture(scope="module")
def logins(why_url):
    """Login roles of the whole server, gone after the tests."""
    with psycopg.connect(why_url, autocommit=True) as connection:
        connection.execute("create role why_analyst login in role scrapersky_analyst")
        connection.execute("create role why_stranger login")
        yield
        for role in ("why_analyst", "why_stranger"):
            connection.execute(f"drop owned by {role}")
            connection.execute(f"drop role {role}")


@pytest.fixture
def analyst(desk, logins):
    return desk.connect(user="why_analyst")


def test_an_analyst_may_ask_and_is_told_all(desk, analyst):
    page, place = desk.page(), desk.place()
    holder = desk.connect(application_name="psql")
    holder.execute("begin; select 1 from pages for update")

    told = desk.explain("pages", page, by=analyst)["page_curation"]

    assert told.code == "locked"
    assert f"backend {holder.info.backend_pid} of user scrapersky (psql, idle in transaction," in told.reason
    assert desk.explain("places_staging", place, by=analyst)["deep_scan"].code == "ready"
    (sentence,) = analyst.execute("select engine.why('places_staging', %s)", [place]).fetchone()
    assert sentence.startswith("deep_scan: ready since ")
    events = analyst.execute("select what from engine.history('places_staging', %s)", [place]).fetchall()
    assert events == [("deep_scan: queued by scrapersky",), ("deep_scan: 'Queued' now",)]


def test_an_analyst_can_call_nothing_else_of_the_engine(analyst):
    allowed = analyst.execute(
        "select proname from pg_proc where pronamespace = 'engine'::regnamespace "
        "and has_function_privilege(oid, 'execute') order by 1"
    ).fetchall()
    reached = analyst.execute(
        "select relname from pg_class where relnamespace = 'engine'::regnamespace and relkind in ('r', 'v', 'S') "
        "and case relkind when 'S' then has_sequence_privilege(oid, 'usage, select, update') "
        "else has_table_privilege(oid, 'select, insert, update, delete, truncate, references, trigger') end"
    ).fetchall()

    asking = ["explain", "folded", "history", "is_stopped", "operator", "why"]
    exporting = [
        *("ascii_address", "ascii_host", "idna", "lower_case", "punycode", "host_and_parents", "plain_digits"),
        *("is_suppressed_address", "is_suppressed_host", "is_suppressed_number", "listed_digits", "is_own_number"),
        *("name_readings", "host_readings", "written_addresses", "suppressed_addresses", "suppressed_numbers"),
        *("masked", "mentions_suppressed", "suppressed_parts"),
    ]
    assert [name for (name,) in allowed] == sorted([*asking, *exporting])
    assert sorted(reached) == [("audit",), ("reachable_contact",)]


@pytest.mark.parametrize("function", ["explain", "why", "history"])
def test_a_stranger_may_not_ask(desk, logins, function):
    stranger = desk.connect(user="why_stranger")

    with pytest.raises(InsufficientPrivilege):
        stranger.execute(f"select engine.{function}('pages', '1')")


def test_the_role_that_answers_can_not_log_in_and_writes_nothing_but_statuses(desk):
    role = "select rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = %s"
    written = desk.db.execute(
        "select oid::regclass::text from pg_class where relkind in ('r', 'v') and relnamespace in "
        "('engine'::regnamespace, 'public'::regnamespace) and has_table_privilege('scrapersky_reader', oid, "
        "'insert, update, delete, truncate, references, trigger')"
    ).fetchall()
    owners = desk.db.execute(
        "select distinct proowner::regrole::text from pg_proc where pronamespace = 'engine'::regnamespace "
        "and proname in ('explain', 'why', 'history')"
    ).fetchall()
    columns = desk.db.execute(
        "select attrelid::regclass::text, attname from pg_attribute join pg_class on pg_class.oid = attrelid "
        "where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped "
        "and has_column_privilege('scrapersky_reader', attrelid, attname, 'update')"
    ).fetchall()

    assert desk.db.execute(role, ["scrapersky_reader"]).fetchone() == (False,) * 5
    assert written == []
    assert owners == [("scrapersky_reader",)]
    assert sorted(columns) == sorted((flow.source.name, flow.status) for flow in WORKFLOWS)


def test_objects_that_shadow_ours_get_no_control(desk, analyst):
    page = desk.page()
    desk.db.execute("create schema evil authorization why_analyst; grant usage on schema evil to public")
    trap = "language plpgsql as $$ begin raise exception 'trapped as %', current_user; end $$"
    for signature, result in SHADOWED:
        analyst.execute(f"create function evil.{signature} returns {result} {trap}")
    for name in ("pages", "workflow", "job", "pg_locks", "pg_trigger", "pg_stat_activity"):
        analyst.execute(f"create temp table {name} (id pg_catalog.text)")
    analyst.execute("set search_path = evil, pg_temp, pg_catalog, public")

    told = desk.explain("pages", page, by=analyst)["page_curation"]

    desk.db.execute("drop schema evil cascade")
    assert told.code == "ready"


@pytest.mark.parametrize(
    "text", [*HOSTILE.values(), "", " ", "pg_class", "engine.job", "pages; drop table pages", "x" * 100_000]
)
def test_a_hostile_table_name_is_no_table(desk, text):
    page = desk.page()
    for function in ("explain", "why", "history"):
        with pytest.raises(InvalidParameterValue, match="no workflow has a table called") as refused:
            desk.db.execute(f"select engine.{function}(%s, %s)", [text, page])
        assert "public.pages" in refused.value.diag.message_hint
        assert len(str(refused.value)) < 1000


@pytest.mark.parametrize(
    "text", [*HOSTILE.values(), "", "' or true --", "9" * 40, "0; delete from places_staging", "x" * 100_000]
)
@pytest.mark.parametrize("table", ["pages", "places_staging"])
def test_a_hostile_id_is_no_row(desk, table, text):
    desk.page()
    desk.place()

    ((_, told),) = desk.explain(table, text).items()

    assert told.code == "no_such_row"
    assert len(told.reason) < 500
    assert desk.db.execute("select count(*) from pages, places_staging").fetchone() == (1,)


@pytest.mark.parametrize("name", ["pages", "public.pages", '"pages"'])
def test_a_table_is_known_by_each_of_its_spellings(desk, name):
    assert desk.explain(name, desk.page())["page_curation"].code == "ready"


def test_texts_from_the_web_are_one_line_of_bounded_length(desk):
    page = desk.page()
    desk.db.execute(
        "update pages set page_processing_status = 'Error', page_processing_error = %s", ["a\n\tb\x1b[31m" + "c" * 9999]
    )

    told = desk.of_page(page)

    assert re_control(told.reason) == []
    assert len(told.reason) < 600


def re_control(text):
    return [letter for letter in text if ord(letter) < 32]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_words_and_keys_are_explained_like_others(desk, text):
    hostile = Hostile(text, desk.db)
    create_table(desk.url, hostile.declaration)
    migrate(desk.url, [*WORKFLOWS, hostile.declaration], Settings().default_tenant_id)
    desk.db.execute("create table bystander (id int)")
    desk.register(workflows=None)
    hostile.insert(hostile.words.queued)
    holder = desk.connect()
    holder.execute("begin")
    holder.execute(hostile.names.sql("select 1 from {table} for update"))

    locked = desk.explain(text + "t", text)["naming"]
    holder.execute("rollback")
    ready = desk.explain(hostile.declaration.quoted_table, text)["naming"]
    hostile.execute("update {table} set {status} = null")
    withdrawn = desk.explain(text + "t", text)["naming"]
    desk.db.execute(withdrawn.remedy.partition(": ")[2].encode())

    assert (locked.code, ready.code, withdrawn.code) == ("locked", "ready", "never_queued")
    assert hostile.row()[0] == hostile.words.queued
    assert len(desk.db.execute("select * from engine.history(%s, %s)", [text + "t", text]).fetchall()) == 2
    desk.db.execute("drop table bystander")
