"""Who may do what: an analyst sets statuses and reads; the engine's own schema is closed to everybody else."""

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from actors.registry import INTERNAL, WORKFLOWS
from app.config import Settings
from db import worker_role
from db.analyst import let_analysts_write
from db.migrate import migrate
from db.models import Base
from tests.named_tables import Names, declare
from tests.shared_database import shared_database

ENGINE_TABLES = (
    *("workflow", "job", "usage", "pace", "worker", "attempt"),
    *("submission", "sweep_position", "action", "listener", "lock", "migration"),
    *("suppression_lock", "ended_session"),
)
SUPPRESSING = (
    *("forget_suppressed", "keep_suppressed_off_businesses", "keep_suppressed_off_domains", "keep_suppressed_out"),
    *("normalise_suppression", "share_suppression_lock", "take_suppression_lock"),
)
FORGETTING = ("forget_page_validators", "forget_sitemap_validators", "forget_unsuppressed_validators")
READER_FUNCTIONS = ("explain", "why", "history")
ENGINE_VIEWS = ("overview", "running", "waiting", "failed")


@pytest.fixture(scope="module")
def url(server, template):
    """A migrated database, and login roles of the whole server that are gone after the tests."""
    with shared_database(server, template, "roles") as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create role test_analyst login in role scrapersky_analyst")
        connection.execute("create role test_stranger login")
        connection.execute("create role test_deployer login")
        yield url
        for role in ("test_analyst", "test_stranger", "test_deployer"):
            connection.execute(f"drop owned by {role}")
            connection.execute(f"drop role {role}")


@pytest.fixture
def db(url):
    """The owner's connection; there is one business."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("truncate local_businesses, engine.job, engine.submission cascade")
        connection.execute("insert into local_businesses (business_name) values ('Baker')")
        yield connection


@pytest.fixture
def analyst(url, db):
    """A connection of somebody who is a member of scrapersky_analyst and nothing else."""
    with psycopg.connect(url, user="test_analyst", autocommit=True) as connection:
        yield connection


def test_an_analyst_can_queue_a_row_and_the_job_appears(analyst, db):
    analyst.execute("update local_businesses set domain_extraction_status = 'Queued' where business_name = 'Baker'")

    assert db.execute("select workflow, generation from engine.job").fetchall() == [("domain_extraction", 1)]
    assert db.execute("select role, rows from engine.submission").fetchall() == [("test_analyst", 1)]


@pytest.mark.parametrize("table", [table.name for table in Base.metadata.sorted_tables])
def test_an_analyst_can_read_every_business_table(analyst, table):
    assert analyst.execute(f"select count(*) from {table}").fetchone() >= (0,)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.name)
def test_an_analyst_can_set_the_status_of_every_workflow_and_not_its_error(analyst, workflow):
    may_update = "select has_column_privilege(%s, %s, 'update')"

    assert analyst.execute(may_update, [workflow.quoted_table, workflow.status]).fetchone() == (True,)
    assert analyst.execute(may_update, [workflow.quoted_table, workflow.error]).fetchone() == (False,)


def test_an_analyst_can_write_the_declared_columns_and_no_other(db):
    declared = {(flow.source.name, flow.status) for flow in WORKFLOWS}
    declared |= {(flow.source.name, flow.curation) for flow in WORKFLOWS if flow.curation}

    assert writable(db) == declared
    assert ("pages", "contact_scrape_status") not in declared


def test_a_grant_of_an_earlier_version_is_taken_back_by_migrate(db, url):
    db.execute("grant update (contact_scrape_status) on pages to scrapersky_analyst")
    before = writable(db)

    migrate(url, WORKFLOWS, Settings().default_tenant_id)

    assert before - writable(db) == {("pages", "contact_scrape_status")}


def test_a_grant_of_an_administrator_stays(db, url):
    db.execute("grant update (page_type) on pages to scrapersky_analyst")

    migrate(url, WORKFLOWS, Settings().default_tenant_id)

    assert ("pages", "page_type") in writable(db)
    db.execute("revoke update (page_type) on pages from scrapersky_analyst")


def test_a_workflow_on_a_table_of_another_schema_with_the_name_of_ours_gives_analysts_nothing(db):
    """Its columns are not those of our table, so a grant of them would fail."""
    before = writable(db)

    with db.transaction():
        let_analysts_write(db, "scrapersky_analyst", [*WORKFLOWS, declare(Names(schema="sales", table="pages"))])

    assert writable(db) == before


def writable(db):
    return set(
        db.execute(
            "select table_name, column_name from information_schema.columns where table_schema = 'public' and "
            "has_column_privilege('scrapersky_analyst', table_name::regclass, column_name, 'update')"
        ).fetchall()
    )


@pytest.mark.parametrize(
    "statement",
    [
        *(f"select * from engine.{name}" for name in ENGINE_TABLES + ENGINE_VIEWS),
        *(f"insert into engine.{name} default values" for name in ENGINE_TABLES),
        *(f"delete from engine.{name}" for name in ENGINE_TABLES),
        "update engine.workflow set paused = true",
        "update engine.job set priority = -1",
        "truncate engine.job",
        "select engine.submit_domain_extraction()",
        "select engine.ring_after_control()",
        "select engine.record_control()",
        "create table engine.mine ()",
        "create temp table my (); create trigger my after insert on my execute function engine.ring_after_control()",
        "set role scrapersky_owner",
        "alter table local_businesses disable trigger user",
        "drop trigger engine_domain_extraction_update on local_businesses",
    ],
)
def test_an_analyst_can_not_touch_the_engine(analyst, statement):
    with pytest.raises(InsufficientPrivilege):
        analyst.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "update local_businesses set business_name = 'Mine'",
        "update local_businesses set domain_extraction_status = 'Queued', domain_extraction_error = 'none'",
        "insert into local_businesses (business_name) values ('Mine')",
        "insert into local_businesses (domain_extraction_status) values ('Queued')",
        "delete from local_businesses",
        "truncate local_businesses",
        "update tenants set name = 'Mine'",
    ],
)
def test_an_analyst_can_not_change_anything_but_statuses(analyst, db, statement):
    with pytest.raises(InsufficientPrivilege):
        analyst.execute(statement)

    assert db.execute("select business_name from local_businesses").fetchall() == [("Baker",)]
    assert db.execute("select 1 from engine.job").fetchall() == []


def test_an_analyst_can_read_who_did_what(analyst, db):
    analyst.execute("update local_businesses set domain_extraction_status = 'Queued'")
    db.execute("update engine.workflow set paused = not paused where name = 'deep_scan'")

    told = analyst.execute("select operator, action, workflow, rows from engine.audit order by happened_at").fetchall()

    assert told[-2:] == [
        ("test_analyst", "submit", "domain_extraction", 1),
        ("scrapersky", "pause", "deep_scan", None),
    ]


def test_a_stranger_can_neither_read_nor_queue(url):
    with psycopg.connect(url, user="test_stranger", autocommit=True) as stranger:
        for statement in ("select * from local_businesses", "update local_businesses set status = 'New'"):
            with pytest.raises(InsufficientPrivilege):
                stranger.execute(statement)


def test_the_suppression_list_holds_for_one_who_may_write_contacts_and_not_read_it(url, db):
    db.execute("grant insert on contacts to test_stranger")
    (domain,) = db.execute("insert into domains (domain) values ('smile.com') returning id").fetchone()
    db.execute("insert into suppressions (kind, value) values ('email', 'bob@smile.com')")

    with psycopg.connect(url, user="test_stranger", autocommit=True) as stranger:
        for email in ("ann@smile.com", "bob@smile.com"):
            stranger.execute("insert into contacts (domain_id, email) values (%s, %s)", [domain, email])

    assert db.execute("select email from contacts").fetchall() == [("ann@smile.com",)]


def test_the_trigger_functions_belong_to_a_role_that_can_not_log_in_and_is_nobody_special(db):
    owners = db.execute(
        "select distinct rolname, rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls "
        "from pg_proc join pg_roles on pg_roles.oid = proowner where proname ~ '^submit_'"
    ).fetchall()

    assert owners == [("scrapersky_owner", False, False, False, False, False)]


def test_that_role_reaches_the_jobs_the_submissions_and_the_lease_and_no_business_table(db):
    reached = db.execute(
        "select oid::regclass::text from pg_class where relkind in ('r', 'v') and relnamespace in "
        "('engine'::regnamespace, 'public'::regnamespace) and has_table_privilege('scrapersky_owner', oid, "
        "'select, insert, update, delete, truncate, references, trigger') order by 1"
    ).fetchall()

    assert reached == [("engine.job",), ("engine.lease",), ("engine.submission",)]


def test_every_function_that_runs_with_its_owners_rights_has_a_fixed_search_path(db):
    functions = db.execute(
        "select proname, proconfig[1] from pg_proc where pronamespace = 'engine'::regnamespace and prosecdef order by 1"
    ).fetchall()

    submitting = [f"submit_{one.name}" for one in (*WORKFLOWS, *INTERNAL)]
    standing = ("record_control", "ring_after_control", "unblock", *SUPPRESSING, *FORGETTING)
    names = sorted([*standing, *submitting, *READER_FUNCTIONS])
    assert functions == [(name, "search_path=pg_catalog, pg_temp") for name in names]


def test_objects_that_shadow_ours_get_no_control(analyst, db):
    db.execute("create schema evil authorization test_analyst")
    db.execute("grant usage on schema evil to public")
    trap = "language plpgsql as $$ begin raise exception 'trapped as %', current_user; end $$"
    for signature, result in (
        ("pg_notify(text, text)", "void"),
        ("current_setting(text)", "text"),
        ("now()", "timestamptz"),
        ("pg_current_xact_id()", "xid8"),
        ("inet_client_addr()", "inet"),
        ("equal(text, text)", "boolean"),
        ("equal(uuid, uuid)", "boolean"),
    ):
        analyst.execute(f"create function evil.{signature} returns {result} {trap}")
    analyst.execute("create operator evil.= (leftarg = text, rightarg = text, function = evil.equal)")
    analyst.execute("create operator evil.= (leftarg = uuid, rightarg = uuid, function = evil.equal)")
    analyst.execute("create domain evil.text as integer")
    for name in ("new_rows", "old_rows", "job", "submission"):
        analyst.execute(f"create temp table {name} (id uuid, domain_extraction_status pg_catalog.text)")
    analyst.execute("set search_path = evil, pg_temp, pg_catalog, public")

    analyst.execute("update public.local_businesses set domain_extraction_status = 'Queued'")

    with pytest.raises(psycopg.errors.RaiseException, match="trapped as test_analyst"):
        analyst.execute("select now()")
    assert db.execute("select workflow, generation from engine.job").fetchall() == [("domain_extraction", 1)]
    assert db.execute("select role from engine.submission").fetchall() == [("test_analyst",)]


def test_a_migrate_by_an_ordinary_role_works_and_says_that_the_roles_are_left_out(db, empty_database, caplog):
    name = empty_database.rpartition("/")[2].partition("?")[0]
    db.execute(f"alter database {name} owner to test_deployer")
    deployer = empty_database.replace("//scrapersky@", "//test_deployer@")
    migrate(deployer, WORKFLOWS, Settings().default_tenant_id)

    with psycopg.connect(deployer, autocommit=True) as connection:
        connection.execute("insert into local_businesses (domain_extraction_status) values ('Queued')")

        assert connection.execute("select workflow from engine.job").fetchall() == [("domain_extraction",)]
    assert [record.message for record in caplog.records] == ["migrate.roles_skipped"]
    db.execute(f"alter database {name} owner to scrapersky")


def test_without_the_right_to_create_the_role_of_workers_all_else_is_granted(db, empty_database, caplog, monkeypatch):
    monkeypatch.setattr(worker_role, "WORKER", "scrapersky_worker_elsewhere")
    name = empty_database.rpartition("/")[2].partition("?")[0]
    db.execute(f"alter database {name} owner to test_deployer")
    db.execute("grant scrapersky_owner, scrapersky_reader, scrapersky_analyst to test_deployer")
    deployer = empty_database.replace("//scrapersky@", "//test_deployer@")
    try:
        migrate(deployer, WORKFLOWS, Settings().default_tenant_id)

        with psycopg.connect(deployer, autocommit=True) as connection:
            rights = "select has_table_privilege('scrapersky_analyst', 'domains', 'select'), "
            rights += "has_function_privilege('public', 'engine.explain(text, text)', 'execute')"
            assert connection.execute(rights).fetchone() == (True, False)
    finally:
        db.execute("revoke scrapersky_owner, scrapersky_reader, scrapersky_analyst from test_deployer")
        db.execute(f"alter database {name} owner to scrapersky")
    (skipped,) = caplog.records
    assert skipped.message == "migrate.worker_role_skipped"
    assert "permission denied to create role" in skipped.fields["reason"]
    assert "create role" in skipped.fields["hint"]
