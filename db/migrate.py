"""Bring a database up to date: business tables by Alembic, the engine's schema by sql/, triggers from the registry."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import sqlalchemy
from psycopg import Connection, sql
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import NullPool

from db import engine_schema, migrations
from db.analyst import let_analysts_write
from db.canary import CANARY
from db.connections import put_public_first
from db.declaration import Declaration
from db.errors import MigrationError
from db.patience import LIMIT, in_turn, patiently
from db.reader import READER, hand_over
from db.statements import read
from db.triggers import Trigger, drop_retired, triggers_of
from db.worker_role import WORKER, grant_to_workers

log = logging.getLogger(__name__)

OWNER = "scrapersky_owner"
ANALYST = "scrapersky_analyst"


def migrate(url: str, declarations: Sequence[Declaration], tenant: UUID) -> None:
    """Harmless when repeated, and safe while users and workers write."""
    with in_turn(url):
        patiently("business tables", lambda: _upgrade_tables(url))
        # No prepared statements: behind PgBouncer they stay on a connection that is somebody else's next.
        with psycopg.connect(
            url, autocommit=True, prepare_threshold=None, application_name="scrapersky migrate"
        ) as connection:
            put_public_first(connection)
            _bring_up_to_date(connection, declarations, tenant)


def _bring_up_to_date(connection: Connection[Any], declarations: Sequence[Declaration], tenant: UUID) -> None:
    patiently("engine tables", lambda: _apply_alone(connection, "tables"))
    patiently("engine schema", lambda: _apply_engine(connection, declarations, tenant))
    patiently("engine triggers", lambda: _apply_alone(connection, "triggers"))
    for declaration in (*declarations, CANARY):
        for trigger in triggers_of(declaration):
            patiently(f"trigger on {declaration.quoted_table}", partial(_ensure, connection, declaration, trigger))
    patiently("retired triggers", lambda: _drop_retired(connection, declarations))


def _upgrade_tables(url: str) -> None:
    address = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
    engine = sqlalchemy.create_engine(address, poolclass=NullPool, connect_args={"prepare_threshold": None})
    sqlalchemy.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(LIMIT))
    sqlalchemy.event.listen(engine, "connect", _settle)
    with engine.connect() as connection:
        migrations.upgrade(connection)


def _settle(connection: Connection[Any], _record: object) -> None:
    put_public_first(connection)
    connection.commit()  # the driver has begun a transaction, and SQLAlchemy wants to begin its own


def _apply_alone(connection: Connection[Any], part: engine_schema.Part) -> None:
    with connection.transaction():
        connection.execute(LIMIT)
        engine_schema.apply(connection, part)


def _apply_engine(connection: Connection[Any], declarations: Sequence[Declaration], tenant: UUID) -> None:
    with connection.transaction():
        connection.execute(LIMIT)
        # With the grants in one transaction: a new function is everybody's until they are revoked.
        engine_schema.apply(connection, "functions", "views")
        _set_tenant(connection, tenant)
        for declaration in declarations:
            declare(connection, declaration)
        with_triggers = (*declarations, CANARY)
        add_locks = "insert into engine.lock (name) select unnest(%s::text[]) on conflict (name) do nothing"
        connection.execute(add_locks, [_lock_names(with_triggers)])
        for trigger in (trigger for declaration in with_triggers for trigger in triggers_of(declaration)):
            connection.execute(trigger.body)
        _grant(connection, with_triggers)
        _grant_to_workers(connection, with_triggers)


def _set_tenant(connection: Connection[Any], tenant: UUID) -> None:
    body = sql.Literal(f"select '{tenant}'::uuid")
    connection.execute(
        sql.SQL("create or replace function default_tenant_id() returns uuid language sql stable as {}").format(body)
    )
    connection.execute("insert into tenants (id, name) values (%s, 'default') on conflict (id) do nothing", [tenant])


def declare(connection: Connection[Any], declaration: Declaration) -> None:
    """What is declared goes into engine.workflow; what an operator wrote there stays."""
    words = declaration.words
    connection.execute(
        """
        insert into engine.workflow (name, table_name, status_column, queued, processing, done, failed,
                                     declared_max_in_flight, declared_batch, declared_max_attempts,
                                     declared_per_minute, declared_per_day, day_zone, relation, key_column,
                                     error_column, result_column, curation_column, declared_at_once,
                                     declared_time_limit, declared_longest_claim, feeds, declared_max_downstream,
                                     politeness_group)
        values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, to_regclass(%s), %s, %s, %s, %s, %s, %s, %s, %s,
                %s, %s)
        on conflict (name) do update
        set table_name = excluded.table_name, status_column = excluded.status_column, queued = excluded.queued,
            processing = excluded.processing, done = excluded.done, failed = excluded.failed,
            declared_max_in_flight = excluded.declared_max_in_flight, declared_batch = excluded.declared_batch,
            declared_max_attempts = excluded.declared_max_attempts, day_zone = excluded.day_zone,
            declared_per_minute = excluded.declared_per_minute, declared_per_day = excluded.declared_per_day,
            relation = excluded.relation, key_column = excluded.key_column, error_column = excluded.error_column,
            result_column = excluded.result_column, curation_column = excluded.curation_column,
            declared_at_once = excluded.declared_at_once, declared_time_limit = excluded.declared_time_limit,
            declared_longest_claim = excluded.declared_longest_claim, feeds = excluded.feeds,
            declared_max_downstream = excluded.declared_max_downstream, politeness_group = excluded.politeness_group
        """,
        [
            declaration.name,
            declaration.quoted_table,
            declaration.status,
            *words,
            declaration.max_in_flight,
            declaration.batch,
            declaration.max_attempts,
            declaration.budget.per_minute,
            declaration.budget.per_day,
            declaration.budget.zone,
            declaration.quoted_table,
            declaration.primary_key.name,
            declaration.error,
            declaration.result,
            declaration.curation,
            declaration.politeness and declaration.politeness.at_once,
            declaration.time_limit,
            declaration.longest_claim,
            declaration.feeds,
            declaration.max_downstream,
            declaration.politeness and declaration.politeness.group,
        ],
    )


def _lock_names(declarations: Sequence[Declaration]) -> list[str]:
    """The rows of engine.lock, for claims of a workflow with a limit to take turns by."""
    return [f"workflow {one.name}" for one in declarations]


def _ensure(connection: Connection[Any], declaration: Declaration, trigger: Trigger) -> None:
    with connection.transaction():
        connection.execute(LIMIT)
        _check_table(connection, declaration)
        trigger.ensure(connection, declaration)


def _check_table(connection: Connection[Any], declaration: Declaration) -> None:
    plain = connection.execute(
        "select relkind = 'r' and not exists (select 1 from pg_inherits where inhparent = pg_class.oid) "
        "from pg_class where oid = %s::regclass",
        [declaration.quoted_table],
    ).fetchone()
    if plain != (True,):
        raise MigrationError(
            f"{declaration.name}: {declaration.quoted_table} must be a plain table without partitions or children, "
            "because the engine reaches rows by their place in it; declare the workflow on another table"
        )


def _drop_retired(connection: Connection[Any], declarations: Sequence[Declaration]) -> None:
    with connection.transaction():
        connection.execute(LIMIT)
        drop_retired(connection, (*declarations, CANARY))
        names = [declaration.name for declaration in (*declarations, CANARY)]  # a probe may be under way
        connection.execute("delete from engine.workflow where name <> all(%s)", [names])
        locks = _lock_names((*declarations, CANARY))
        connection.execute("delete from engine.lock where name <> all(%s)", [locks])


def _grant(connection: Connection[Any], declarations: Sequence[Declaration]) -> None:
    """Hand the trigger functions to a role that can not log in, and let analysts read and set statuses."""
    names: dict[str, sql.Composable] = {
        "owner": sql.Identifier(OWNER),
        "owner_name": sql.Literal(OWNER),
        "analyst": sql.Identifier(ANALYST),
        "analyst_name": sql.Literal(ANALYST),
        "reader": sql.Identifier(READER),
        "reader_name": sql.Literal(READER),
    }
    try:
        with connection.transaction():
            # Who is no superuser may give functions only to roles that it can become.
            connection.execute("set local createrole_self_grant = 'set, inherit'")
            connection.execute(sql.SQL(read("roles.sql")).format(**names))
            for trigger in (trigger for declaration in declarations for trigger in triggers_of(declaration)):
                function = {**names, "function": trigger.function}
                connection.execute(sql.SQL("alter function {function}() owner to {owner}").format(**function))
                connection.execute(sql.SQL("revoke all on function {function}() from public").format(**function))
            let_analysts_write(connection, ANALYST, declarations)
            hand_over(connection, declarations)
    except InsufficientPrivilege as error:
        log.warning("migrate.roles_skipped", extra={"fields": {"reason": str(error).strip()}})


def _grant_to_workers(connection: Connection[Any], declarations: Sequence[Declaration]) -> None:
    """Behind a savepoint of its own: without this role, what analysts are granted stands all the same."""
    try:
        with connection.transaction():
            connection.execute("set local createrole_self_grant = 'set, inherit'")
            grant_to_workers(connection, [declaration.quoted_table for declaration in declarations])
    except InsufficientPrivilege as error:
        hint = f"let a user that may create roles run: create role {WORKER}; then migrate again"
        log.warning("migrate.worker_role_skipped", extra={"fields": {"reason": str(error).strip(), "hint": hint}})
