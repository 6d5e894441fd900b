"""The triggers that a workflow puts on its table, and their functions.

Thin triggers, all logic in the functions: functions can be replaced under load, triggers can not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection, sql

from db.declaration import Declaration
from db.statements import read

SEARCH_PATH = "search_path=pg_catalog, pg_temp"


@dataclass(frozen=True)
class Trigger:
    name: str
    function: sql.Identifier
    source: str
    """The text of the function, as pg_proc keeps it."""

    definer: bool
    """Whether the function has its owner's rights."""

    settings: tuple[str, ...]
    """What the function sets for itself, as pg_proc keeps it."""

    when: sql.Composable
    """From the moment to the row or statement: `after insert on … for each …`."""

    @property
    def body(self) -> sql.Composed:
        """Makes the function, or replaces it under load."""
        options = ["security definer"] if self.definer else []
        options += [f"set {setting}" for setting in self.settings]
        return sql.SQL("create or replace function {}() returns trigger language plpgsql {} as {}").format(
            self.function, sql.SQL(" ".join(options)), sql.Literal(self.source)
        )

    @property
    def statement(self) -> sql.Composed:
        return sql.SQL("create or replace trigger {name} {when} execute function {function}()").format(
            name=sql.Identifier(self.name), when=self.when, function=self.function
        )

    def ensure(self, connection: Connection[Any], declaration: Declaration) -> None:
        """Create it where it is missing. One that stands is left alone, so a second migrate locks nothing."""
        present = connection.execute(
            "select 1 from pg_trigger where tgname = %s and tgrelid = %s::regclass and tgfoid = %s::regproc",
            [self.name, declaration.quoted_table, self.function.as_string(connection)],
        ).fetchone()
        if not present:
            connection.execute(self.statement)


def triggers_of(declaration: Declaration) -> list[Trigger]:
    queue = [_queue(declaration, "insert", "new table as new_rows")]
    queue.append(_queue(declaration, "update", "old table as old_rows new table as new_rows"))
    return queue if declaration.curation is None else [*queue, _curation(declaration, declaration.curation)]


def _queue(declaration: Declaration, event: str, tables: str) -> Trigger:
    """What became queued becomes a job, once per statement."""
    names = {
        **declaration.names,
        "workflow": sql.Literal(declaration.name),
        "queued": sql.Literal(declaration.words.queued),
        "priority": declaration.priority_of("new_row"),
        "key": declaration.key_of("new_row"),
    }
    function = sql.Identifier("engine", f"submit_{declaration.name}")
    when = sql.SQL("after {event} on {table} referencing {tables} for each statement").format(
        event=sql.SQL(event), table=declaration.names["table"], tables=sql.SQL(tables)
    )
    source = _source("triggers.sql", names)
    return Trigger(f"engine_{declaration.name}_{event}", function, source, True, (SEARCH_PATH,), when)


def _curation(declaration: Declaration, column: str) -> Trigger:
    """What became Selected becomes queued, row by row; rows with any other word cost nothing."""
    names = {
        **declaration.names,
        "curation": sql.Identifier(column),
        "queued": sql.Literal(declaration.words.queued),
        "processing": sql.Literal(declaration.words.processing),
    }
    function = sql.Identifier("engine", f"curate_{declaration.name}")
    when = sql.SQL(
        "before insert or update of {curation} on {table} for each row when (new.{curation} = 'Selected')"
    ).format(**names)
    source = _source("curation.sql", names)
    return Trigger(f"engine_{declaration.name}_curation", function, source, False, (SEARCH_PATH,), when)


def _source(file: str, names: dict[str, sql.Composable]) -> str:
    return sql.SQL(read(file)).format(**names).as_string(None)


def drop_retired(connection: Connection[Any], declarations: Sequence[Declaration]) -> None:
    for statement in retired(connection, declarations):
        connection.execute(statement)


def retired(connection: Connection[Any], declarations: Sequence[Declaration]) -> list[bytes]:
    """What drops the triggers of workflows that are no longer declared, or moved to another table."""
    expected = [(trigger.name, one.quoted_table) for one in declarations for trigger in triggers_of(one)]
    found = connection.execute(
        """
        select format('drop trigger %%I on %%s', tgname, tgrelid::regclass)
        from pg_trigger
        where tgfoid in (
            select oid from pg_proc where pronamespace = 'engine'::regnamespace and proname ~ '^(submit|curate)_')
          and not exists (select 1 from unnest(%s::text[], %s::text[]) as expected (name, table_name)
                          where expected.name = tgname and expected.table_name::regclass = tgrelid)
        """,
        [[name for name, _ in expected], [table for _, table in expected]],
    ).fetchall()
    return [str(statement).encode() for (statement,) in found]
