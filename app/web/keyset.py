"""Pages of a long list, newest first: each costs the same at any depth, and rows of the same moment are not lost."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from psycopg import sql

ROWS: Final = 50


@dataclass(frozen=True)
class Place:
    """Where a page begins: behind a row (older), before one (newer), or at the newest."""

    side: str | None = None
    moment: datetime | None = None
    pk: str = ""

    @classmethod
    def read(cls, given: Callable[[str], str | None], is_key: Callable[[str], bool]) -> "Place":
        """From the address; what nobody can have been given begins anew."""
        for side in ("older", "newer"):
            moment, _, pk = (given(side) or "").partition("~")
            try:
                given_at = datetime.fromisoformat(moment)
                at = given_at.astimezone(UTC)
            except (ValueError, OverflowError):
                continue
            if given_at.tzinfo and is_key(pk):
                return cls(side, at, pk)
        return cls()

    def condition(self, key: sql.SQL) -> sql.Composable:
        """About `item`, whose key is of this type."""
        if self.side is None:
            return sql.SQL("true")
        return sql.SQL("(item.created_at, item.id) {sign} ({moment}, {pk}::{key})").format(
            sign=sql.SQL("<" if self.side == "older" else ">"),
            moment=sql.Literal(self.moment),
            pk=sql.Literal(self.pk),
            key=key,
        )

    @property
    def direction(self) -> sql.SQL:
        return sql.SQL("asc" if self.side == "newer" else "desc")


@dataclass(frozen=True)
class Leaf:
    """The rows of one page, newest first, and where the pages beside it begin."""

    rows: list[dict[str, Any]]
    newer: str | None
    older: str | None

    @property
    def is_everything(self) -> bool:
        return self.newer is None and self.older is None


def leaf(place: Place, found: list[dict[str, Any]]) -> Leaf:
    """From one row more than a page has, in the direction that was asked for."""
    goes_on, rows = len(found) > ROWS, found[:ROWS]
    if place.side == "newer":
        rows = rows[::-1]
        return Leaf(rows, _mark(rows[0]) if rows and goes_on else None, _mark(rows[-1]) if rows else None)
    is_first = place.side is None
    newer = None if is_first or not rows else _mark(rows[0])
    return Leaf(rows, newer, _mark(rows[-1]) if goes_on else None)


def _mark(row: dict[str, Any]) -> str:
    return f"{row['created_at'].isoformat()}~{row['pk']}"
