"""`scrapersky migrate` beside users who write: it waits for nobody the second time, and nobody waits for it."""

import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from actors.registry import WORKFLOWS
from app.config import Settings
from db.engine_schema import PARTS, schema_mark
from db.errors import MigrationError
from db.migrate import migrate
from db.statements import read
from tests.samples import create_sample_tables, sample_workflow

TENANT = Settings().default_tenant_id
OTHER_TENANT = UUID("00000000-0000-4000-8000-000000000001")
QUICKLY = 60  # seconds; a migrate that waits for a lock tries for 300


@pytest.fixture
def other(database):
    """A second user's connection."""
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def background():
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.mark.parametrize(
    "held",
    [
        "update local_businesses set business_name = 'Bakery'",
        "update local_businesses set domain_extraction_status = 'Queued'",
        "lock table local_businesses, domains, pages in access exclusive mode",
        "select * from engine.overview",
    ],
    ids=["an open update", "an open submission", "a lock on whole tables", "an open look at the overview"],
)
def test_a_second_migrate_waits_for_no_open_transaction(database, db, other, background, held):
    db.execute("insert into local_businesses (business_name) values ('Baker')")
    with other.transaction():
        other.execute(held)

        again = background.submit(migrate, database, WORKFLOWS, TENANT)

        again.result(timeout=QUICKLY)


@pytest.mark.parametrize(
    "held",
    [
        "update pages set title = 'Contact'",
        "update engine.job set priority = 1; update engine.worker set beats = 1; delete from engine.attempt",
        "lock table engine.job, engine.attempt, engine.worker in row exclusive mode",
        "select * from engine.overview",
    ],
    ids=["an open update of pages", "open updates of the engine", "locks of writers", "an open look at the overview"],
)
def test_a_migrate_that_only_changes_functions_waits_for_no_open_transaction(database, db, other, background, held):
    db.execute("insert into domains (domain) values ('smile.example')")
    db.execute(
        "insert into pages (domain_id, url, page_processing_status) select id, 'https://a', 'Queued' from domains"
    )
    db.execute("drop function engine.history(text, text)")
    forget(db, "functions")
    with other.transaction():
        other.execute(held)

        again = background.submit(migrate, database, WORKFLOWS, TENANT)

        again.result(timeout=QUICKLY)
    db.execute("select * from engine.history('pages', (select id::text from pages))")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_the_engine_that_changed_is_applied_and_marked(database, db, part):
    forget(db, part)
    assert mark(db) != schema_mark()

    migrate(database, WORKFLOWS, TENANT)

    assert mark(db) == schema_mark()


@pytest.mark.parametrize("part", ["functions", "views"])
def test_functions_and_views_stand_apart_from_what_locks_tables(part):
    text = "\n".join(map(read, PARTS[part]))

    assert re.findall(r"^(?:alter|create (?:or replace )?(?:table|trigger|index)).*", text, re.MULTILINE) == []


def test_a_second_migrate_changes_nothing(database, db):
    before = catalog(db)

    migrate(database, WORKFLOWS, TENANT)

    assert catalog(db) == before


def test_migrates_that_start_together_take_turns(empty_database):
    together = Barrier(3)

    def deploy(_number: int) -> None:
        together.wait()
        migrate(empty_database, WORKFLOWS, TENANT)

    with ThreadPoolExecutor(3) as deployments:
        list(deployments.map(deploy, range(3)))

    with psycopg.connect(empty_database) as connection:
        names = connection.execute("select name from engine.workflow").fetchall()
        assert connection.execute("select count(*) from tenants").fetchone() == (1,)
        assert connection.execute("select count(*) from schema_version").fetchone() == (1,)
    assert {name for (name,) in names} == {workflow.name for workflow in WORKFLOWS}


def test_a_first_trigger_waits_for_the_open_transaction_and_lets_others_write(database, db, other, background, caplog):
    create_sample_tables(database)
    db.execute("insert into samples (name) values ('held'), ('free')")
    db.execute("set statement_timeout = '1500ms'")
    with other.transaction():
        other.execute("update samples set note = 'open' where name = 'held'")

        first = background.submit(migrate, database, [*WORKFLOWS, sample_workflow()], TENANT)
        writes = write_until(db, lambda: waits(caplog) >= 2)

        assert not first.done()
        assert writes > 2
    first.result(timeout=QUICKLY)
    db.execute("update samples set status = 'Queued'")
    assert db.execute("select count(*) from engine.job").fetchone() == (2,)


def test_what_an_operator_set_survives_and_what_is_declared_follows(database, db):
    create_sample_tables(database)
    migrate(database, [*WORKFLOWS, sample_workflow(batch=10, max_attempts=3)], TENANT)
    db.execute(
        "update engine.workflow set paused = true, paused_reason = 'holiday', max_in_flight = 2, batch = 7, "
        "max_attempts = 9 where name = 'sampling'"
    )

    migrate(database, [*WORKFLOWS, sample_workflow(batch=20, max_attempts=4, max_in_flight=50)], TENANT)

    operators = "paused, paused_reason, max_in_flight, batch, max_attempts"
    declared = "declared_max_in_flight, declared_batch, declared_max_attempts"
    row = db.execute(f"select {operators}, {declared} from engine.workflow where name = 'sampling'").fetchone()
    assert row == (True, "holiday", 2, 7, 9, 50, 20, 4)


def test_a_workflow_that_left_the_registry_loses_its_triggers_and_its_row(database, db):
    create_sample_tables(database)
    migrate(database, [*WORKFLOWS, sample_workflow()], TENANT)

    migrate(database, WORKFLOWS, TENANT)

    db.execute("insert into samples (name, status) values ('ann', 'Queued')")
    assert db.execute("select count(*) from engine.job").fetchone() == (0,)
    assert (
        db.execute("select tgname from pg_trigger where tgrelid = 'samples'::regclass and not tgisinternal").fetchall()
        == []
    )
    assert db.execute("select 1 from engine.workflow where name = 'sampling'").fetchall() == []


def test_a_workflow_that_came_back_works_again(database, db):
    create_sample_tables(database)
    migrate(database, [*WORKFLOWS, sample_workflow()], TENANT)
    migrate(database, WORKFLOWS, TENANT)

    migrate(database, [*WORKFLOWS, sample_workflow()], TENANT)

    db.execute("insert into samples (name, status) values ('ann', 'Queued')")
    assert db.execute("select count(*) from engine.job").fetchone() == (1,)


def test_new_rows_belong_to_the_tenant_of_the_setting_and_old_rows_stay_where_they_are(database, db):
    db.execute("insert into domains (domain) values ('old.example')")

    migrate(database, WORKFLOWS, OTHER_TENANT)

    db.execute("insert into domains (domain) values ('new.example')")
    assert db.execute("select domain, tenant_id from domains order by domain").fetchall() == [
        ("new.example", OTHER_TENANT),
        ("old.example", TENANT),
    ]


def test_a_partitioned_table_is_refused(database, db):
    """Rows of two partitions can share a ctid, by which the engine reaches them."""
    create_sample_tables(database)
    db.execute("alter table samples rename to samples_1")
    db.execute("create table samples (like samples_1 including defaults) partition by list (name)")

    with pytest.raises(MigrationError, match=r"samples.*partition"):
        migrate(database, [*WORKFLOWS, sample_workflow()], TENANT)


def forget(db, part: str) -> None:
    """As if a part of the engine had been made by another text."""
    other = re.sub(f"^{part} .*$", f"{part} of yesterday", mark(db), flags=re.MULTILINE)
    db.execute(sql.SQL("comment on schema engine is {}").format(sql.Literal(other)))


def mark(db) -> str:
    return db.execute("select obj_description('engine'::regnamespace, 'pg_namespace')").fetchone()[0]


def write_until(db, condition: Callable[[], bool]) -> int:
    """Write a row again and again, each time under the connection's statement timeout; the number of writes."""
    deadline = time.monotonic() + 30
    writes = 0
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        db.execute("update samples set note = %s where name = 'free'", [str(writes)])
        writes += 1
    return writes


def waits(caplog) -> int:
    return sum(record.message == "migrate.waiting" for record in caplog.records)


def catalog(db):
    """Everything of ours that a migrate could create, replace, grant or write; system objects have lower numbers."""
    queries = (
        "select oid, relname, relfilenode, relacl::text from pg_class where oid > 16384 order by oid",
        "select oid, proname, prosrc, proconfig, proowner, proacl::text from pg_proc where oid > 16384 order by oid",
        "select oid, tgname, tgrelid, tgfoid, tgenabled from pg_trigger order by oid",
        "select * from engine.workflow order by name",
        "select * from tenants",
    )
    return [db.execute(query).fetchall() for query in queries]
