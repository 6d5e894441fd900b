"""What people take out of the database, row by row from a cursor on the server: sql/export.sql, filtered."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import Connection, DataError, adapters, sql
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format

from db.people.conditions import MISTAKES, ConditionError, check, explained, written
from db.statements import compose, statements

ROWS_AT_A_TIME: Final = 2_000
KINDS: Final = {"contacts": "contact_id", "domains": "domain_id", "pages": "page_id"}

ROWS: Final = "select {columns} from ({query}) as exported where {condition} order by found_at, {key}"


class AnyMoment(Loader):
    """Postgres knows times that Python does not: infinity, years before 1 or after 9999. They come as their text."""

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        usual = adapters.get_loader(oid, Format.TEXT)
        self._usual = usual(oid, context).load if usual else bytes

    def load(self, data: Buffer) -> Any:
        try:
            return self._usual(data)
        except DataError:
            return bytes(data).decode()


class UnknownColumnError(ValueError):
    pass


@dataclass(frozen=True)
class Extract:
    """A kind of rows, some of their columns, and which of them."""

    kind: str
    columns: Sequence[str] | None = None
    since: datetime | None = None
    where: str | None = None

    @contextmanager
    def rows(self, connection: Connection[Any]) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
        """Names and rows, all as they were at one moment. Nothing is held in memory but a few thousand rows."""
        names = self._names(connection)
        if self.where is not None:
            check(connection, self.where, sql.SQL("({}) as exported").format(self._query()))
        with connection.transaction(), connection.cursor(name="export") as cursor:
            connection.execute("set transaction isolation level repeatable read, read only")
            cursor.itersize = ROWS_AT_A_TIME
            cursor.adapters.register_loader("timestamptz", AnyMoment)
            try:
                cursor.execute(self._statement(names), [])
                yield names, iter(cursor)
            except MISTAKES as error:
                if self.where is None:
                    raise
                raise ConditionError(explained(error, self.where)) from None

    def _names(self, connection: Connection[Any]) -> list[str]:
        empty = sql.SQL("select * from ({}) as exported limit %s").format(self._query())
        described = connection.execute(empty, [0]).description or []
        known = [column.name for column in described]
        unknown = [name for name in self.columns or () if name not in known]
        if unknown:
            raise UnknownColumnError(
                f"--columns: no column {unknown[0]!r} in {self.kind}; there are {', '.join(known)}"
            )
        return list(self.columns or known)

    def _query(self) -> sql.SQL:
        """A statement that is composed already, so what looks like a name in braces is none."""
        business = sql.SQL(statements("export.sql", business=sql.SQL(""))["business"].decode())
        return sql.SQL(statements("export.sql", business=business)[self.kind].decode())

    def _statement(self, names: Sequence[str]) -> bytes:
        conditions: list[sql.Composable] = [sql.SQL("true")]
        if self.since is not None:
            conditions.append(sql.SQL("found_at >= {}").format(sql.Literal(self.since)))
        if self.where is not None:
            conditions.append(written(self.where))
        return compose(
            ROWS,
            columns=sql.SQL(", ").join(map(sql.Identifier, names)),
            query=self._query(),
            condition=sql.SQL(" and ").join(conditions),
            key=sql.Identifier(KINDS[self.kind]),
        )
