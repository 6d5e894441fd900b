"""Which rows a row came from and which came from it: along the foreign keys, and from a place to its business."""

from collections.abc import Iterator
from typing import NamedTuple

from app.web.labels import TABLES


class Kin(NamedTuple):
    """Rows of `table` whose `column` equals the `own` column of the row that one looks at."""

    table: str
    column: str
    own: str


def parents(table: str) -> list[Kin]:
    return [*_places(table, "local_businesses", "places_staging"), *_parents(table)]


def children(table: str) -> list[Kin]:
    found = [Kin(other, kin.own, kin.column) for other in TABLES for kin in _parents(other) if kin.table == table]
    return [*_places(table, "places_staging", "local_businesses"), *found]


def _parents(table: str) -> Iterator[Kin]:
    for column in TABLES[table].columns:
        for key in column.foreign_keys:
            if key.column.table.name in TABLES:
                yield Kin(key.column.table.name, key.column.name, column.name)


def _places(table: str, one: str, other: str) -> list[Kin]:
    """No key binds them: a place may be forgotten and its business stay."""
    return [Kin(other, "place_id", "place_id")] if table == one else []
