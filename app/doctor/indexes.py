"""Every index that the schema declares is there and can be used; a claim without one reads whole tables."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import Constraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import AddConstraint, CreateIndex

from app.doctor.finding import Finding, failure, statement, warning, well
from app.doctor.patient import Patient
from db.engine_schema import schema_text
from db.models import Base

DIALECT = postgresql.dialect()
ENGINE_TABLES = re.compile(r"^create table if not exists (engine\.\w+)", re.MULTILINE)
ENGINE_INDEXES = re.compile(r"^create index if not exists (\w+) on (engine\.\w+) [^;]+;", re.MULTILINE)


class Wanted(NamedTuple):
    table: str
    name: str
    statement: str


def indexes(patient: Patient) -> Iterator[Finding]:
    wanted = [*_of_the_engine(), *of_business_tables()]
    tables = sorted({one.table for one in wanted} | set(ENGINE_TABLES.findall(schema_text())))
    found = {(row.table_name, row.name): row for row in patient.look("indexes", tables=tables)}
    missing = [one for one in wanted if (one.table, one.name) not in found]
    broken = [(table, row) for (table, _), row in found.items() if not row.usable]
    for one in missing:
        yield failure(
            f"{one.name} on {one.table} is missing",
            "What it was for reads the whole table instead, or lets doubles in.",
            statement(one.statement),
        )
    for table, row in broken:
        declared = any((one.table, one.name) == (table, row.name) for one in wanted)
        repair = "REINDEX INDEX CONCURRENTLY" if declared or row.is_primary else "DROP INDEX CONCURRENTLY"
        yield (failure if declared else warning)(
            f"{row.full_name} on {table} is invalid",
            "An index build was interrupted: it costs every write and serves no query.",
            statement(f"{repair} {row.full_name}"),
        )
    if not (missing or broken):
        yield well(f"{len(found)} indexes present and valid")


def _of_the_engine() -> Iterator[Wanted]:
    for match in ENGINE_INDEXES.finditer(schema_text()):
        yield Wanted(match[2], match[1], match[0].replace("create index if", "create index concurrently if", 1))


def of_business_tables() -> Iterator[Wanted]:
    for table in Base.metadata.sorted_tables:
        for index in table.indexes:
            yield Wanted(table.name, str(index.name), _create(index))
        for constraint in table.constraints:
            if isinstance(constraint, PrimaryKeyConstraint | UniqueConstraint):
                yield Wanted(table.name, _name(table, constraint), _add(constraint))


def _create(index: Index) -> str:
    text = str(CreateIndex(index, if_not_exists=True).compile(dialect=DIALECT))
    return re.sub(r"^\s*(CREATE (?:UNIQUE )?INDEX)", r"\1 CONCURRENTLY", text)


def _add(constraint: Constraint) -> str:
    return str(AddConstraint(constraint, isolate_from_table=False).compile(dialect=DIALECT))


def _name(table: Table, constraint: Constraint) -> str:
    name = DIALECT.identifier_preparer.format_constraint(constraint)
    return (name or f"{table.name}_pkey").strip('"')
