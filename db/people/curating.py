"""Curation in bulk that can be taken back: who gave which word to how many rows, and what they had before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, NamedTuple

from psycopg import Connection, sql
from psycopg.rows import DictRow, dict_row

from db.connections import Pool
from db.people.actions import count_action, record_action
from db.people.choosing import Tell
from db.people.leisure import at_leisure, lent
from db.people.selecting import CURATED, WORDS, condition_of
from db.statements import Statements, statements

SELECTED: Final = "Selected"
UNDOABLE: Final = timedelta(days=1)
LONGEST_CHANGE: Final = "120s"
MOST: Final = 100_000
BATCH: Final = 5_000
SAMPLE: Final = 10
NOTED_KEYS: Final = 100


class NothingToUndoError(ValueError):
    """It is somebody else's, too old, or taken back already."""


class Matching(NamedTuple):
    """Neither number is larger than was asked for."""

    rows: int
    to_change: int


class Changed(NamedTuple):
    change: int | None
    rows: int
    queued: int


class Undone(NamedTuple):
    word: str
    rows: int
    changed_since: int
    withdrawn: int
    began: int


@dataclass(frozen=True)
class Curation:
    """The rows of a kind that pass all filters."""

    kind: str
    filters: Mapping[str, Any]

    def count(self, connection: Connection[Any], word: str, most: int = MOST) -> Matching:
        with at_leisure(connection, LONGEST_CHANGE):
            return Matching(*_one(connection, self._sql["count"], word=word, most=most))

    def sample(self, connection: Connection[Any], word: str) -> list[DictRow]:
        """The first rows that would change, newest first."""
        with at_leisure(connection, LONGEST_CHANGE), connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(self._sql["sample"], {"word": word, "rows": SAMPLE}).fetchall()

    def choose(self, pool: Pool, word: str) -> list[str]:
        """The rows that would change; of very many the newest."""
        with lent(pool, LONGEST_CHANGE) as connection:
            found = connection.execute(self._sql["choose"], {"word": word, "most": MOST}).fetchall()
        return [pk for (pk,) in found]

    def change(
        self, pool: Pool, word: str, pks: Sequence[str], *, operator: str, workflow: str, tell: Tell | None = None
    ) -> Changed:
        """Give these rows the word, unless they have it or fit no longer. Each batch commits, all are one to undo."""
        if word not in WORDS:
            raise ValueError(f"unknown word {word!r}; known are {', '.join(WORDS)}")
        known, change, note, rows, queued = self._sql, 0, 0, 0, 0
        for start in range(0, len(pks), BATCH):
            with lent(pool, LONGEST_CHANGE) as connection:
                change = self._goes_on(connection, change) or self._begin(connection, word, operator)
                batch = {"word": word, "change": change, "pks": pks[start : start + BATCH]}
                done = _one(connection, known["change"], **batch)
                rows, queued = rows + done[0], queued + done[1]
                connection.execute(known["end"], {"change": change, "rows": rows})
                if rows:
                    detail = {"word": word, "change": change, "filters": _noted(self.filters)}
                    note = note or record_action(
                        connection, "curate", operator=operator, workflow=workflow, detail=detail
                    )
                    count_action(connection, note, rows)
            if tell is not None:
                tell(min(start + BATCH, len(pks)), len(pks))
        return Changed(change if rows else None, rows, queued)

    def _begin(self, connection: Connection[Any], word: str, operator: str) -> int:
        connection.execute(self._sql["forget"], {"age": UNDOABLE})
        (change,) = _one(connection, self._sql["begin"], operator=operator, kind=self.kind, word=word)
        return int(change)

    def _goes_on(self, connection: Connection[Any], change: int) -> int:
        if change and connection.execute(self._sql["go_on"], {"change": change}).fetchone() is None:
            raise ValueError("It was undone while it went on, so the rest was left as it is.")
        return change

    @property
    def _sql(self) -> Statements:
        return _statements(self.kind, self.filters)


def last_change(connection: Connection[Any], kind: str, operator: str) -> DictRow | None:
    """The newest change of this person that can be taken back."""
    with connection.cursor(row_factory=dict_row) as cursor:
        parameters = {"operator": operator, "kind": kind, "age": UNDOABLE}
        return cursor.execute(_statements(kind)["last"], parameters).fetchone()


def tally(connection: Connection[Any], kind: str, change: int) -> list[tuple[str | None, int]]:
    """What became of the rows of a change: how many stand where."""
    with at_leisure(connection, LONGEST_CHANGE):
        return connection.execute(_statements(kind)["tally"], {"change": change}).fetchall()


def undo(connection: Connection[Any], kind: str, change: int, *, operator: str, workflow: str) -> Undone:
    """Give rows their old words back, unless somebody gave them another one meanwhile. What ran stays run."""
    known = _statements(kind)
    given = {"change": change, "operator": operator, "kind": kind, "age": UNDOABLE}
    with at_leisure(connection, LONGEST_CHANGE):
        begun = connection.execute(known["begin_undo"], given).fetchone()
        if begun is None:
            raise NothingToUndoError("This change has been undone already, is older than a day, or is not yours.")
        word, rows = begun
        restored = connection.execute(known["judge"], {**given, "word": word}).rowcount
        withdrawn, began = 0, 0
        if word == SELECTED:
            became = connection.execute(known["take_back"], given).fetchall()
            withdrawn, began = (sum(column) for column in zip(*became, strict=True)) if became else (0, 0)
        else:
            connection.execute(known["restore"], given)
            connection.execute(known["settle"], given)
        undone = Undone(word, restored, rows - restored, withdrawn, began)
        detail = {"word": word, "change": change, "changed_since": undone.changed_since, "withdrawn": withdrawn}
        record_action(connection, "undo", operator=operator, workflow=workflow, rows=restored, detail=detail)
    return undone


def _statements(kind: str, filters: Mapping[str, Any] | None = None) -> Statements:
    curated = CURATED[kind]
    return statements(
        "curating.sql",
        table=sql.Identifier(curated.table),
        key=sql.SQL(curated.key),
        curation=sql.Identifier(curated.curation),
        processing=sql.Identifier(curated.processing),
        error=sql.Identifier(curated.error),
        queued=sql.Literal(curated.queued),
        running=sql.Literal(curated.running),
        name=sql.SQL("coalesce({}, item.id::text)").format(sql.Identifier("item", curated.shown[0])),
        condition=condition_of(kind, filters or {}),
    )


def _one(connection: Connection[Any], statement: bytes, **parameters: Any) -> tuple[Any, ...]:
    row: tuple[Any, ...] | None = connection.execute(statement, parameters).fetchone()
    if row is None:
        raise LookupError("a statement that always answers has not")
    return row


def _noted(filters: Mapping[str, Any]) -> dict[str, Any]:
    """For the operator's log: what was asked for, of many keys only the first."""
    noted: dict[str, Any] = {name: str(value) for name, value in filters.items() if name != "ids"}
    return {**noted, "ids": [str(key) for key in filters["ids"][:NOTED_KEYS]]} if "ids" in filters else noted
