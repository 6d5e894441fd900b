"""What a revision does to tables that others write to, step by step.

Each step commits on its own and is harmless when repeated: a revision that was interrupted begins again. A step waits
for a lock only briefly and tries again, and reads no table under a lock that keeps writers out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

from alembic import op
from psycopg import Connection, sql

from db.patience import LIMIT, patiently


def change(table: str, action: str) -> None:
    """`alter table`, for what needs no look at the rows."""
    with _alone() as connection:
        statement = sql.SQL("alter table {} {}").format(sql.Identifier(table), sql.SQL(cast("Any", action)))
        patiently(f"table {table}", partial(_execute, connection, statement))


def add_columns(table: str, *columns: str) -> None:
    change(table, ", ".join(f"add column if not exists {column}" for column in columns))


def constrain(table: str, name: str, rule: str) -> None:
    """A check or foreign key, or another in its place: it holds for new rows at once, and then for those that stand."""
    change(table, f"drop constraint if exists {name}, add constraint {name} {rule} not valid")
    change(table, f"validate constraint {name}")


def build_index(name: str, table: str, *columns: str) -> None:
    """Beside writers. It waits for transactions that are open, as long as they are, and nobody waits for it."""
    names = {"name": sql.Identifier(name), "table": sql.Identifier(table)}
    index = sql.SQL("if not exists {name} on {table} ({on})").format(
        on=sql.SQL(", ").join(map(sql.Identifier, columns)), **names
    )
    with _alone() as connection:

        def build() -> None:
            _drop_invalid(connection, name, names)
            empty = connection.execute("select pg_relation_size(quote_ident(%s)) = 0", [table]).fetchone()
            if empty == (True,):
                _execute(connection, sql.SQL("create index {}").format(index))
                return
            connection.execute(sql.SQL("create index concurrently {}").format(index))

        patiently(f"index {name}", build)


def _drop_invalid(connection: Connection[Any], name: str, names: dict[str, sql.Identifier]) -> None:
    """What an interrupted build left. The lock keeps nobody from writing, and waits for a build that is under way."""
    invalid = "select 1 from pg_index where indexrelid = to_regclass(quote_ident(%s)) and not indisvalid"
    if not connection.execute(invalid, [name]).fetchone():
        return
    with connection.transaction():
        connection.execute(LIMIT)
        connection.execute(sql.SQL("lock table {table} in share update exclusive mode").format(**names))
        if connection.execute(invalid, [name]).fetchone():
            connection.execute(sql.SQL("drop index {name}").format(**names))


def _execute(connection: Connection[Any], statement: sql.Composed) -> None:
    with connection.transaction():
        connection.execute(LIMIT)
        connection.execute(statement)


@contextmanager
def _alone() -> Iterator[Connection[Any]]:
    """The connection, outside of the revision's transaction."""
    with op.get_context().autocommit_block():
        yield cast("Connection[Any]", op.get_bind().connection.driver_connection)
