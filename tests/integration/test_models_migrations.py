"""The models and the migrations are two descriptions of one schema; here they are held side by side."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from alembic import command
from sqlalchemy import Connection, Engine, create_engine, text

from db.migrations import configuration, upgrade
from db.models import Base

CATALOG = {
    "columns": """
        select attrelid::regclass::text, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
               attgenerated, attcollation::regcollation::text, pg_get_expr(adbin, adrelid)
        from pg_attribute join pg_class on pg_class.oid = attrelid
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
    """,
    "constraints": """
        select conrelid::regclass::text, conname, contype, condeferrable, convalidated, pg_get_constraintdef(oid)
        from pg_constraint where connamespace = 'public'::regnamespace
    """,
    "indexes": """
        select indrelid::regclass::text, pg_get_indexdef(indexrelid), indisunique, indisprimary, indisvalid
        from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = 'public'::regnamespace
    """,
    "relations": """
        select relname, relkind, relpersistence, reloptions
        from pg_class where relnamespace = 'public'::regnamespace
    """,
}


@pytest.fixture
def engine(empty_database):
    engine = create_engine(empty_database)
    yield engine
    engine.dispose()


def test_the_migrations_build_exactly_what_the_models_describe(engine):
    with migrated_connection(engine) as connection:
        connection.execute(text("DROP TABLE schema_version"))
        migrated = catalog(connection)

    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
        connection.execute(
            text("CREATE FUNCTION default_tenant_id() RETURNS uuid LANGUAGE sql RETURN gen_random_uuid()")
        )
        Base.metadata.create_all(connection)
        described = catalog(connection)

    assert {row[0] for row in described["columns"]} == set(Base.metadata.tables)
    for kind in CATALOG:
        assert migrated[kind] == described[kind], kind


def test_alembic_sees_nothing_left_to_migrate_even_beside_the_engines_own_schema(engine):
    with migrated_connection(engine) as connection:
        connection.execute(text("CREATE SCHEMA engine"))
        connection.execute(text("CREATE TABLE engine.job (id int PRIMARY KEY)"))

    with engine.connect() as connection:
        command.check(configuration(connection))


def test_a_second_upgrade_changes_nothing(engine):
    with migrated_connection(engine) as connection:
        connection.execute(text("UPDATE tenants SET name = 'Acme'"))
        before = catalog(connection)

    with migrated_connection(engine) as connection:
        assert catalog(connection) == before
        assert connection.execute(text("SELECT name FROM tenants")).scalars().all() == ["Acme"]


def test_a_revision_that_was_interrupted_before_its_last_transaction_begins_again(engine):
    with migrated_connection(engine) as connection:
        expected = catalog(connection)
        connection.execute(text("DROP TABLE robots_files, suppressions"))
        connection.execute(text("UPDATE schema_version SET version_num = '0001'"))

    with migrated_connection(engine) as connection:
        assert catalog(connection) == expected


def test_the_first_tenant_is_the_one_the_old_databases_know(engine):
    with migrated_connection(engine) as connection:
        assert [str(key) for key in connection.scalars(text("SELECT id FROM tenants"))] == [
            "550e8400-e29b-41d4-a716-446655440000"
        ]


@contextmanager
def migrated_connection(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        upgrade(connection)
    with engine.begin() as connection:
        yield connection


def catalog(connection: Connection) -> dict[str, list[tuple]]:
    return {
        kind: sorted((tuple(row) for row in connection.execute(text(query))), key=repr)
        for kind, query in CATALOG.items()
    }
