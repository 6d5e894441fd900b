"""Which rows a row came from and which it led to: along the keys between tables, sorted by the way a lead travels."""

from collections.abc import Iterator
from typing import NamedTuple

from app.web.labels import TABLES

ORDER = list(TABLES)


class Kin(NamedTuple):
    """Rows of `table` whose `column` equals the `own` column of the row that one looks at."""

    table: str
    column: str
    own: str


def parents(table: str) -> list[Kin]:
    return [kin for kin in _kin(table) if _stands(kin, table) < 0]


def children(table: str) -> list[Kin]:
    return [kin for kin in _kin(table) if _stands(kin, table) > 0]


def _stands(kin: Kin, table: str) -> int:
    """Before or after; of two sitemaps the index comes before what it lists."""
    return ORDER.index(kin.table) - ORDER.index(table) or (-1 if kin.column == "id" else 1)


def _kin(table: str) -> Iterator[Kin]:
    yield from _keys(table)
    yield from (Kin(other, kin.own, kin.column) for other in TABLES for kin in _keys(other) if kin.table == table)
    # No key binds these two: a place may be forgotten and its business stay.
    pair = ("places_staging", "local_businesses")
    yield from (Kin(other, "place_id", "place_id") for other in pair if table in pair and other != table)


def _keys(table: str) -> Iterator[Kin]:
    for column in TABLES[table].columns:
        for key in column.foreign_keys:
            if key.column.table.name in TABLES:
                yield Kin(key.column.table.name, key.column.name, column.name)
