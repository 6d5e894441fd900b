"""One row that the database refuses must not stop the others: it is found by halving, and the rest is written."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from psycopg import Connection, DatabaseError, OperationalError, errors

Item = TypeVar("Item")
Result = TypeVar("Result")

# An error of the database is the row's own fault: a constraint, a trigger that raises with whatever SQLSTATE, a value
# that can not be read. Not so what psycopg calls operational: a lost connection, a full disk, a lock. Three of those
# are the row's all the same. A key too long for its index is a ProgramLimitExceeded.
ROWS_OWN = (errors.ProgramLimitExceeded, errors.StatementTooComplex, errors.TriggeredDataChangeViolation)
# What JSON or UTF-8 can not say are Python's own errors, and so are those of rows that a workflow makes only when they
# are read.
PYTHONS_OWN = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
IN_THE_WAY = (errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure, errors.QueryCanceled)

# Deferred constraints are checked at the commit, where no row can be blamed: from here on they are checked at once.
CHECK_AT_ONCE = b"set constraints all immediate"


def is_bad_row(error: BaseException) -> bool:
    """Whether the row is to blame: it fails alone. Anything else is the database's, and all of it is tried again."""
    if isinstance(error, OperationalError):
        return isinstance(error, ROWS_OWN)
    return isinstance(error, (DatabaseError, *PYTHONS_OWN))


def is_in_the_way(error: BaseException) -> bool:
    """Whether a lock is to blame: the same may work a moment later."""
    return isinstance(error, IN_THE_WAY)


def reason_of(error: Exception) -> str:
    """What the database said, without the detail, which may hold the whole row."""
    return (isinstance(error, DatabaseError) and error.diag.message_primary) or str(error)


def write_in_halves(
    connection: Connection[Any],
    items: Sequence[Item],
    write: Callable[[Sequence[Item]], list[Result]],
    refused: Callable[[Item, Exception], list[Result]],
    is_expected: Callable[[BaseException], bool] = is_bad_row,
) -> list[Result]:
    """Write all behind one savepoint; if an expected error spoils it, each half, until the bad item stands alone."""
    if not items:
        return []
    try:
        with connection.transaction():
            return write(items)
    except Exception as error:
        if not is_expected(error):
            raise
        if len(items) == 1:
            return refused(items[0], error)
    middle = len(items) // 2
    halves = (items[:middle], items[middle:])
    return [one for half in halves for one in write_in_halves(connection, half, write, refused, is_expected)]
