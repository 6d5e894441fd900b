"""A role whose name is also a schema: the default search path would lead it away from our tables."""

import psycopg
import pytest
from psycopg.errors import InvalidSchemaName, UndefinedTable

from actors.registry import WORKFLOWS
from app.config import Settings
from app.refusals import refusal_of
from db.connections import open_pool, put_public_first, transaction
from db.migrate import migrate
from db.models import Base
from db.patience import LIMIT

ROLE = "leads_of_a_namesake"
OUTSIDE = """
select relname from pg_class where relkind in ('r', 'v') and relnamespace = to_regnamespace(%s) order by relname
"""


@pytest.fixture
def url(server):
    """A new database of a role that has a schema of its own name, as `create schema authorization` makes it."""
    with psycopg.connect(server.url, autocommit=True) as owner:
        owner.execute(f"create role {ROLE} login createrole")
        owner.execute(f"create database {ROLE} owner {ROLE}")
        address = server.url.replace("/scrapersky?", f"/{ROLE}?")
        with psycopg.connect(address, autocommit=True) as inside:
            inside.execute(f"create schema authorization {ROLE}")
        yield address.replace("//scrapersky@", f"//{ROLE}@")
        owner.execute(f"drop database {ROLE} with (force)")
        owner.execute(f"drop owned by {ROLE}; drop role {ROLE}")


@pytest.fixture
def migrated(url):
    # Twice: the second run must find what the first one made.
    for _ in range(2):
        migrate(url, WORKFLOWS, Settings().default_tenant_id)
    return url


def test_migrate_puts_every_table_into_public(migrated):
    with psycopg.connect(migrated) as connection:
        namesake = [name for (name,) in connection.execute(OUTSIDE, [ROLE]).fetchall()]
        public = [name for (name,) in connection.execute(OUTSIDE, ["public"]).fetchall()]

    assert namesake == []
    assert {table.name for table in Base.metadata.sorted_tables} <= set(public)


def test_a_table_of_the_same_name_in_that_schema_is_not_taken_for_ours(migrated):
    with psycopg.connect(migrated, autocommit=True) as connection:
        connection.execute(f"create table {ROLE}.domains (nothing text)")
        put_public_first(connection)
        connection.execute("select domain from domains")

    with open_pool(migrated, size=1, name="test") as pool:
        with pool.connection() as connection:
            connection.execute("select domain from domains")
        with transaction(pool) as connection:
            connection.execute("select domain from domains")


def test_behind_a_pooler_the_path_is_set_for_a_transaction_and_no_longer(migrated):
    with open_pool(migrated, size=1, name="test") as pool:
        with pool.connection() as connection:
            connection.prepare_threshold = None
            connection.execute("set search_path = elsewhere")
        with transaction(pool) as connection:
            (inside,) = connection.execute("show search_path").fetchone()
        with pool.connection() as connection:
            (outside,) = connection.execute("show search_path").fetchone()

    assert (inside, outside) == ("public, elsewhere", "elsewhere")


def test_an_empty_path_that_another_client_of_a_pooler_left_behind_fails_nothing(migrated):
    empty = "select set_config('search_path', '', false)"
    with open_pool(migrated, size=1, name="test") as pool:
        with pool.connection() as connection:
            connection.prepare_threshold = None
            connection.execute(empty)
        with transaction(pool) as connection:
            assert connection.execute("show search_path").fetchone() == ("public",)
    with psycopg.connect(migrated, autocommit=True) as connection:
        connection.execute(empty)
        with connection.transaction():
            connection.execute(LIMIT)
            assert connection.execute("show search_path").fetchone() == ("public",)
        put_public_first(connection)
        assert connection.execute("show search_path").fetchone() == ("public",)


def test_a_missing_table_is_named_with_its_schema(migrated):
    with psycopg.connect(migrated, autocommit=True) as connection:
        connection.execute("alter table contacts rename to moved")
        with pytest.raises(UndefinedTable) as missing:
            connection.execute("select * from contacts")

    line = refusal_of(missing.value).line

    assert line.startswith("there is no table public.contacts")


def test_a_database_without_our_schema_is_told_to_migrate(url):
    with psycopg.connect(url, autocommit=True) as connection:
        with pytest.raises(UndefinedTable) as missing:
            connection.execute("select * from engine.workflow")
        with pytest.raises(InvalidSchemaName) as closed:
            connection.execute("create table engine.workflow (name text)")

    for raised in (missing, closed):
        assert refusal_of(raised.value).line.startswith("this database has no engine yet")
