"""Rows that workflows returned, written as bulk upserts by natural key."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any
from uuid import UUID

from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from db.declaration import Declaration
from db.models.base import Base, PartialKey, table_of
from db.outcomes import Found, error_text
from db.statements import compose, text_array

Columns = tuple[str, ...]
ROWS_AT_ONCE = 1000


def write_rows(connection: Connection[Any], rows: Iterable[Base], *, created_by: UUID | None = None) -> None:
    """Upsert everything, a thousand rows at a time: a result may be larger than memory should be."""
    remaining = iter(rows)
    while some := list(islice(remaining, ROWS_AT_ONCE)):
        _write_some(connection, some, created_by)


def _write_some(connection: Connection[Any], rows: Iterable[Base], created_by: UUID | None) -> None:
    """One statement per table and set of columns, in the order of the natural key."""
    groups: dict[tuple[type[Base], Columns, PartialKey], dict[tuple[Any, ...], dict[str, Any]]] = {}
    for row in rows:
        values = given(row)
        model = type(row)
        if created_by is not None and "created_by" in model.__table__.columns and values.get("created_by") is None:
            values["created_by"] = created_by
        target = _target(model, values)
        key = tuple(values.get(column) for column in target.columns)
        group = groups.setdefault((model, tuple(sorted(values)), target), {})
        group[key] = _merge(model, group[key], values) if key in group else values
    for (model, columns, target), group in groups.items():
        ordered = [group[key] for key in sorted(group, key=repr)]  # one lock order for all writers
        connection.execute(_upsert(model, columns, target), [Jsonb(ordered, dumps=_dumps)])


def set_values(connection: Connection[Any], model: type[Base], found: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Write what a workflow found out about its own rows, one statement per set of columns."""
    (primary_key,) = table_of(model).primary_key
    groups: dict[Columns, list[dict[str, Any]]] = {}
    for pk, values in found:
        groups.setdefault(tuple(sorted(values)), []).append({**values, primary_key.name: pk})
    for columns, rows in groups.items():
        connection.execute(_update(model, columns), [Jsonb(rows, dumps=_dumps)])


def completions(declaration: Declaration, found: Iterable[tuple[str, Found]]) -> list[tuple[bytes, dict[str, Any]]]:
    """Statements that set the done word and what was found of claimed rows, one per set of columns.

    By key, although a worker could know where its rows stand: only a page that is reached by an index is freed of old
    versions, and only there is room for the new version beside the one that it replaces (docs/benchmarks.md).
    """
    groups: dict[Columns, list[tuple[str, Mapping[str, Any]]]] = {}
    for pk, outcome in found:
        values = outcome.values
        if declaration.result and outcome.reason:
            values = {**values, declaration.result: error_text(outcome.reason)}
        groups.setdefault(tuple(sorted(values)) if values else (), []).append((pk, values))
    return [(_completion(declaration, columns), _completed(columns, rows)) for columns, rows in groups.items()]


def _completed(columns: Columns, rows: list[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    if columns:
        return {"given": Jsonb([{"pk": pk, "found": values} for pk, values in rows], dumps=_dumps)}
    return {"pks": text_array(pk for pk, _ in rows)}


def given(row: Base) -> dict[str, Any]:
    """The columns that the workflow set, and no others: what was not scanned is not touched."""
    return {name: value for name, value in vars(row).items() if not name.startswith("_sa_")}


def _target(model: type[Base], values: Mapping[str, Any]) -> PartialKey:
    """The unique key that two results for one row share; its fallback when a part of the natural key is null."""
    fallback = model.__fallback_key__
    if fallback is not None and any(values.get(column) is None for column in model.__natural_key__):
        return fallback
    return PartialKey(model.__natural_key__, "")


def _merge(model: type[Base], first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Two results for one row in one batch: the later scan wins, but what is set once stays with the first."""
    once = {column: first[column] for column in model.__set_once__ if first.get(column) is not None}
    return {**first, **second, **once}


def _dumps(value: Any) -> str:
    text = json.dumps(value, default=str)
    # The web sends NULs and halves of characters, and Postgres takes neither: no reason to lose a page's contacts.
    if "\\u0000" in text or "\\ud" in text:
        text = json.dumps(_storable(value), default=str)
    return text


def _storable(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\x00", "").encode("utf-8", "replace").decode()
        case Mapping():
            return {_storable(name): _storable(one) for name, one in value.items()}
        case list() | tuple():
            return [_storable(one) for one in value]
        case _:
            return value


@lru_cache(maxsize=256)
def _upsert(model: type[Base], columns: Columns, target: PartialKey) -> bytes:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    key = sql.SQL(", ").join(map(sql.Identifier, target.columns))
    condition = sql.SQL(f" where {target.condition}" if target.condition else "")
    changes = [_change(model, column) for column in columns if column not in target.columns]
    touch = "updated_at" in table_of(model).columns and "updated_at" not in columns
    action = sql.SQL("update set {sets}{touch} where ({old}) is distinct from ({new})").format(
        touch=sql.SQL(", updated_at = clock_timestamp()" if touch else ""),
        sets=sql.SQL(", ").join(sql.SQL("{} = {}").format(sql.Identifier(name), value) for name, value in changes),
        old=sql.SQL(", ").join(sql.Identifier("existing", name) for name, _ in changes),
        new=sql.SQL(", ").join(value for _, value in changes),
    )
    return compose(
        "insert into {table} as existing ({names}) select {names} from jsonb_populate_recordset(null::{table}, %s) "
        "on conflict ({key}){condition} do {action}",
        table=_table(model),
        names=names,
        key=key,
        condition=condition,
        action=action if changes else sql.SQL("nothing"),
    )


def _change(model: type[Base], column: str) -> tuple[str, sql.Composable]:
    new = sql.Identifier("excluded", column)
    if column in model.__set_once__:
        return column, sql.SQL("coalesce({}, {})").format(sql.Identifier("existing", column), new)
    return column, new


@lru_cache(maxsize=256)
def _update(model: type[Base], columns: Columns) -> bytes:
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    found = sql.SQL(", ").join(sql.Identifier("found", column) for column in columns)
    (primary_key,) = table_of(model).primary_key
    return compose(
        "update {table} as item set ({names}) = row({found}) "
        "from jsonb_populate_recordset(null::{table}, %s) as found where item.{pk} = found.{pk}",
        table=_table(model),
        names=names,
        found=found,
        pk=sql.Identifier(primary_key.name),
    )


@lru_cache(maxsize=256)
def _completion(declaration: Declaration, columns: Columns) -> bytes:
    """The status, and the columns that the workflow found, if any, in one go."""
    forgets = declaration.result is not None and declaration.result not in columns
    result = sql.SQL(", {} = null").format(sql.Identifier(declaration.result or "")) if forgets else sql.SQL("")
    head = "update {table} as item set {status} = %(done)s, {error} = null{result}{touch}"
    tail = " where item.{pk} = any(%(pks)s::{pk_type}[]) and item.{status} = %(processing)s"
    if columns:
        head += ", ({columns}) = row({found})"
        tail = (
            " from jsonb_to_recordset(%(given)s) as given (pk {pk_type}, found jsonb),"
            " lateral jsonb_populate_record(null::{table}, given.found) as found"
            " where item.{pk} = given.pk and item.{status} = %(processing)s"
        )
    names = {
        **declaration.names,
        "result": result,
        "columns": sql.SQL(", ").join(map(sql.Identifier, columns)),
        "found": sql.SQL(", ").join(sql.Identifier("found", column) for column in columns),
    }
    return compose(head + tail, **names)


def _table(model: type[Base]) -> sql.Composable:
    return sql.Identifier(*filter(None, (table_of(model).schema, table_of(model).name)))
