"""Status columns hold words that somebody understands. A check constraint proves it without reading a row."""

import difflib
from collections.abc import Iterator

import psycopg
from psycopg import sql
from sqlalchemy import CheckConstraint, Column, Enum, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import AddConstraint

from app.doctor.finding import Finding, Repair, by_sql, failure, only_by_hand, statement, warning, well
from app.doctor.patient import Patient
from db.models import Base

UNKNOWN = """
select {column}::text as word, count(*) as rows from {table}
where {column} is not null and {column}::text <> all(%(words)s)
group by 1 order by 2 desc limit 5
"""


def words(patient: Patient) -> Iterator[Finding]:
    columns = [
        (table, column, column.type)
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, Enum)
    ]
    rows = patient.look(
        "constraints",
        tables=[table.name for table, _, _ in columns],
        columns=[column.name for _, column, _ in columns],
    )
    found = {(row.table_name, row.column_name): row for row in rows}
    unproven = 0
    for table, column, kind in columns:
        row = found.get((table.name, column.name))
        proven = row is not None and (
            row.is_enum or any(all(f"'{word}'" in check for word in kind.enums) for check in row.checks)
        )
        if row is not None and not proven:
            unproven += 1
            yield _unproven(patient, table, column, kind.enums)
    if not unproven:
        yield well(f"{len(columns)} status columns accept their words and no others")


def _unproven(patient: Patient, table: Table, column: Column[str], known: list[str]) -> Finding:
    """Only here are rows read, for a second at most."""
    where = f"{table.name}.{column.name}"
    names = {"table": sql.Identifier(table.name), "column": sql.Identifier(column.name)}
    constraint = _constraint(table, column)
    try:
        strange = patient.read(sql.SQL(UNKNOWN).format(**names).as_bytes(None), {"words": known})
    except psycopg.errors.QueryCanceled:
        strange = []
    if not strange:
        return warning(f"nothing checks the words of {where}", "A typo in it would wait for ever.", constraint)
    told = ", ".join(f"{row.word!r} ({row.rows})" for row in strange)
    updates = [_rename(names, row.word, known) for row in strange]
    return failure(
        f"{where} has words that nobody knows: {told}",
        f"Such rows are never run. The words are {', '.join(known)}.",
        *updates,
        only_by_hand(constraint),
    )


def _rename(names: dict[str, sql.Identifier], word: str, known: list[str]) -> Repair:
    """To the word that was probably meant, or to the column's default: a guess, so a person has to agree."""
    lower = {one.lower(): one for one in known}
    guess = difflib.get_close_matches(word.strip().lower(), lower, n=1)
    meant = sql.Literal(lower[guess[0]]) if guess else sql.SQL("DEFAULT")
    return only_by_hand(
        by_sql(
            "UPDATE {table} SET {column} = {meant} WHERE {column}::text = {word}",
            meant=meant,
            word=sql.Literal(word),
            **names,
        )
    )


def _constraint(table: Table, column: Column[str]) -> Repair:
    constraint = next(
        one
        for one in table.constraints
        if isinstance(one, CheckConstraint) and str(one.name) == f"{column.name}_is_known"
    )
    return statement(str(AddConstraint(constraint, isolate_from_table=False).compile(dialect=postgresql.dialect())))
