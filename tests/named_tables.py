"""A table and a declaration whose names, words and kind of key a test chooses."""

from dataclasses import dataclass
from itertools import count
from typing import Any

import sqlalchemy
from psycopg import sql
from sqlalchemy import Column, Integer, MetaData, NullPool, Table, Text
from sqlalchemy.schema import CreateSchema
from sqlalchemy.types import TypeEngine

from actors._workflow import Politeness, Words
from db.declaration import Declaration
from db.models.base import Base, one_of

NUMBERS = count(1)
WORDS = Words("Queued", "Processing", "Done", "Failed")
COLUMNS = ("pk", "status", "error", "result", "urgency", "host")


class NamedBase(Base):
    __abstract__ = True
    metadata = MetaData()


@dataclass(frozen=True, kw_only=True)
class Names:
    table: str = "things"
    schema: str | None = None
    pk: str = "id"
    status: str = "status"
    error: str = "error"
    result: str = "result"
    urgency: str = "urgency"
    host: str = "host"
    group: str = "web"
    words: Words = WORDS

    def sql(self, template: str, **values: object) -> sql.Composed:
        """The statement with {names} as quoted names and {values} as literals; no placeholder is left in it."""
        names = {part: sql.Identifier(getattr(self, part)) for part in COLUMNS}
        names["table"] = sql.Identifier(*filter(None, (self.schema, self.table)))
        return sql.SQL(template).format(**names, **{name: sql.Literal(value) for name, value in values.items()})


def declare(names: Names, kind: TypeEngine[Any] | None = None) -> Declaration:
    table = Table(
        names.table,
        MetaData(),
        Column(names.pk, kind or Text(), primary_key=True),
        Column(names.status, one_of("status", *names.words)),
        Column(names.error, Text),
        Column(names.result, Text),
        Column(names.urgency, Integer),
        Column(names.host, Text),
        schema=names.schema,
    )
    members = {"__table__": table, "__natural_key__": (names.pk,)}
    declaration = Declaration(
        name="naming",
        table=type(f"Named{next(NUMBERS)}", (NamedBase,), members),
        status=names.status,
        error=names.error,
        result=names.result,
        words=names.words,
        priority=names.urgency,
        politeness=Politeness(column=names.host, group=names.group),
    )
    declaration.check()
    return declaration


def create_table(url: str, declaration: Declaration) -> None:
    address = sqlalchemy.make_url(url).set(drivername="postgresql+psycopg")
    with sqlalchemy.create_engine(address, poolclass=NullPool).begin() as connection:
        if declaration.source.schema:
            connection.execute(CreateSchema(declaration.source.schema))
        declaration.source.create(connection)
