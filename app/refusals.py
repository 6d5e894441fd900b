"""What a failed command says at the prompt. Read only when one has failed: the libraries behind it take their time."""

from typing import NamedTuple

import psycopg
import sqlalchemy

from app.config import ConfigurationError
from app.counting import PortTakenError
from db.embedded import EmbeddedPostgresError
from db.patience import MigrationError

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
    match error:
        case ConfigurationError():
            return Refusal(str(error), USAGE)
        case EmbeddedPostgresError() | MigrationError() | PortTakenError():
            return Refusal(str(error), FAILURE)
        case psycopg.errors.UndefinedTable() | psycopg.errors.InvalidSchemaName():
            return Refusal(
                "this database has no engine yet; start with: scrapersky up (or scrapersky migrate)", FAILURE
            )
        case (
            psycopg.errors.InsufficientPrivilege()
            | sqlalchemy.exc.ProgrammingError(orig=psycopg.errors.InsufficientPrivilege())
        ):
            return Refusal(f"{_first_line(getattr(error, 'orig', error))}: {MIGHTIER}", FAILURE)
        case sqlalchemy.exc.OperationalError() | psycopg.OperationalError():
            return Refusal(f"The database does not answer: {_one_line(getattr(error, 'orig', error))}", FAILURE)
        case psycopg.Error() | OSError() | UnicodeError():
            return Refusal(f"scrapersky: {_one_line(error)}", FAILURE)
        case _:
            return None


def _first_line(error: BaseException | None) -> str:
    """What follows is the statement, and where in it."""
    return str(error).partition("\n")[0].strip()


def _one_line(error: BaseException | None) -> str:
    return " ".join(str(error).split())
