"""A condition that a person typed: asked for first in a transaction that can not write and does not last."""

from typing import Any, Final

import psycopg
from psycopg import Connection, sql

from db.statements import compose

LONGEST_CHECK: Final = "30s"

# What is wrong with the words, and not with the database.
MISTAKES: Final = (
    psycopg.ProgrammingError,
    psycopg.DataError,
    psycopg.NotSupportedError,
    psycopg.errors.QueryCanceled,
    psycopg.errors.ReadOnlySqlTransaction,
)


class ConditionError(ValueError):
    """In the words of Postgres, with the place where it stumbled."""


def written(condition: str) -> sql.SQL:
    """The condition in brackets of its own; the line break ends a comment."""
    return sql.SQL(f"({condition}\n)")


def check(connection: Connection[Any], condition: str, source: sql.Composable) -> None:
    """Try it on the rows of the source. It runs with the rights of the one who asks, and no others."""
    # With a parameter the server takes one statement and no more, whatever semicolons are in the text.
    statement = compose(
        "select 1 from {source} where {condition} limit %s", source=source, condition=written(condition)
    )
    try:
        with connection.transaction():
            connection.execute("set transaction read only")
            connection.execute("select set_config('statement_timeout', %s, true)", [LONGEST_CHECK])
            connection.execute(statement, [1])
    except MISTAKES as error:
        raise ConditionError(explained(error, condition)) from None


def explained(error: psycopg.Error, condition: str) -> str:
    # What follows a line end is our own part of the statement.
    message = (error.diag.message_primary or str(error)).partition("\n")[0]
    hint = f" ({error.diag.message_hint})" if error.diag.message_hint else ""
    return f"--where {condition!r}: {message}{hint}"


def part(text: str) -> str:
    """For LIKE: a pattern of the person's own, or the text anywhere."""
    if "%" in text:
        escapes_nothing = (len(text) - len(text.rstrip("\\"))) % 2
        return f"{text}\\" if escapes_nothing else text
    escaped = text.replace("\\", "\\\\").replace("_", "\\_")
    return f"%{escaped}%"
