"""What a failed command says at the prompt. Read only when one has failed: the libraries behind it take their time."""

import re
from typing import NamedTuple

import psycopg

from app.config import ConfigurationError
from app.counting import PortTakenError
from db.embedded import EmbeddedPostgresError
from db.errors import MigrationError

FAILURE, USAGE = 1, 2
MIGHTIER = (
    "this takes the role that migrated this database, let DATABASE_URL name it "
    "(analysts have why, history, audit, export, contacts list, and may set statuses by SQL)"
)


class Refusal(NamedTuple):
    line: str
    exit_code: int


def refusal_of(error: Exception) -> Refusal | None:
    """One clear line for what can be expected to go wrong; None for a mistake of our own."""
    if isinstance(error, ConfigurationError):
        return Refusal(str(error), USAGE)
    line = _line(error)
    return None if line is None else Refusal(line, FAILURE)


def _line(error: Exception) -> str | None:
    cause = getattr(error, "orig", error)  # sqlalchemy wraps what the database said
    match error:
        case EmbeddedPostgresError() | MigrationError() | PortTakenError():
            line = str(error)
        case psycopg.errors.UndefinedTable() | psycopg.errors.InvalidSchemaName():
            line = _missing(error)
        case _ if isinstance(cause, psycopg.errors.InsufficientPrivilege):
            line = f"{str(cause).partition(chr(10))[0]}: {MIGHTIER}"  # what follows is the statement
        case _ if isinstance(cause, psycopg.OperationalError):
            line = f"The database does not answer: {_one_line(cause)}"
        case psycopg.Error() | OSError() | UnicodeError():
            line = f"scrapersky: {_one_line(error)}"
        case _:
            return None
    return line


def _missing(error: psycopg.Error) -> str:
    """The engine makes its schema after the tables: where it is there, a table was moved or dropped since."""
    said = re.search(r'relation "([^"]+)"', str(error))
    table = said[1] if said else "engine"
    if table.partition(".")[0] == "engine":
        return "this database has no engine yet; start with: scrapersky up (or scrapersky migrate)"
    name = table if "." in table else f"public.{table}"
    return (
        f"there is no table {name}, nor one of this name in another schema of the search path: a new database gets it "
        "by scrapersky up (or scrapersky migrate); one that had it: move or restore the table, migrate will not"
    )


def _one_line(error: BaseException | None) -> str:
    return " ".join(str(error).split())
