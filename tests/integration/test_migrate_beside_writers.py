"""Business tables are brought up to date while users write to them: what is done stays done, and nobody waits long."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
import sqlalchemy
from alembic import command
from psycopg import Connection

from actors.registry import WORKFLOWS
from app.config import Settings
from db.migrate import migrate
from db.migrations import configuration, newest

TENANT = Settings().default_tenant_id
PAGES = 50_000


@pytest.fixture
def first_release(empty_database: str) -> str:
    """The business tables as first released, with pages and one contact in them."""
    engine = sqlalchemy.create_engine(empty_database)
    with engine.begin() as connection:
        command.upgrade(configuration(connection), "0001")
    engine.dispose()
    with psycopg.connect(empty_database, autocommit=True) as connection:
        connection.execute("insert into domains (domain) values ('smile.example')")
        connection.execute("insert into contacts (domain_id, email) select id, 'info@smile.example' from domains")
        connection.execute(
            "insert into pages (domain_id, url, page_type) "
            "select id, 'https://smile.example/' || number, 'contact_root' "
            "from domains, generate_series(1, %s) as number",
            [PAGES],
        )
    return empty_database


@pytest.fixture
def writer(first_release: str) -> Iterator[Connection[Any]]:
    """A user who does not wait longer than two seconds for anybody."""
    with psycopg.connect(first_release, autocommit=True) as connection:
        connection.execute("set lock_timeout = '2s'")
        yield connection


@pytest.fixture
def background() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_a_writer_goes_on_and_an_open_transaction_undoes_nothing(first_release, writer, background):
    with psycopg.connect(first_release) as other:
        other.execute("update contacts set name = 'Ann'")

        migration = background.submit(migrate, first_release, WORKFLOWS, TENANT)
        until_0002 = write(writer, migration, until="0002")

        assert not migration.done()
    until_the_end = write(writer, migration, until=None)
    assert until_0002 > 0
    assert until_the_end > 0
    assert revision(writer) == newest()
    assert (
        writer.execute("select 1 from pg_constraint where not convalidated").fetchall()
        + writer.execute("select 1 from pg_index where not indisvalid").fetchall()
    ) == []


def test_what_an_interrupted_build_left_is_built_again(first_release, writer):
    with pytest.raises(psycopg.errors.UniqueViolation):
        writer.execute("create unique index concurrently pages_created_at_id_idx on pages (page_type)")

    migrate(first_release, WORKFLOWS, TENANT)

    definition = "select pg_get_indexdef(indexrelid), indisvalid from pg_index where indexrelid = %s::regclass"
    assert writer.execute(definition, ["pages_created_at_id_idx"]).fetchone() == (
        "CREATE INDEX pages_created_at_id_idx ON public.pages USING btree (created_at, id)",
        True,
    )


def test_two_migrates_of_full_tables_take_turns(first_release, writer, background):
    both = [background.submit(migrate, first_release, WORKFLOWS, TENANT) for _ in range(2)]

    for one in both:
        one.result(timeout=120)

    assert revision(writer) == newest()


def write(writer: Connection[Any], migration: Future[None], until: str | None) -> int:
    """Write again and again until the tables are at a revision, or the migration has ended; the number of writes."""
    deadline = time.monotonic() + 120
    writes = 0
    while not migration.done() and (until is None or revision(writer) < until):
        assert time.monotonic() < deadline, f"the tables stay at {revision(writer)}"
        url = f"https://smile.example/{1 + writes % PAGES}"
        writer.execute("update pages set title = %s where url = %s and domain_id = (select id from domains)", ["", url])
        writer.execute("insert into contacts (domain_id, phone_number) select id, %s from domains", [phone(writer)])
        writes += 1
    if until is None:
        migration.result()
    return writes


def phone(writer: Connection[Any]) -> str:
    row = writer.execute("select '+1206' || (1000000 + count(*)) from contacts").fetchone()
    return str(row and row[0])


def revision(connection: Connection[Any]) -> str:
    row = connection.execute("select version_num from schema_version").fetchone()
    return str(row and row[0])
