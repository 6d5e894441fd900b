"""One page of a long, filtered list, and how many rows there are: counted no further than anybody wants to know."""

from typing import Any, Final

import psycopg
from psycopg import Connection
from psycopg.rows import dict_row

from app.web.filters import FilterError
from app.web.keyset import Leaf, Place, leaf
from app.web.reader import reader
from db.people.leisure import at_leisure
from db.statements import Statements

COUNTED: Final = 10_000
LONGEST_LOOK: Final = "10s"


def look(statements: Statements, place: Place) -> tuple[Leaf, int]:
    """The rows from there, and how many there are in all; one more than COUNTED means even more."""
    try:
        with reader().connection() as connection, at_leisure(connection, LONGEST_LOOK):
            found = leaf(place, _rows(connection, statements["page"]))
            if found.is_everything and place.side is None:
                return found, len(found.rows)
            (counted,) = _rows(connection, statements["count"], most=COUNTED + 1)
            return found, counted["rows"]
    except psycopg.errors.QueryCanceled:
        raise FilterError(
            f"To find such rows took longer than {LONGEST_LOOK.rstrip('s')} seconds; filter by something rarer as well"
        ) from None


def _rows(connection: Connection[Any], statement: bytes, **parameters: Any) -> list[dict[str, Any]]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement, parameters).fetchall()
