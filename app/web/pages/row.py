"""/rows/<table>/<pk> : a business row with its history, the reason why it stands where it stands, and its relatives."""

from typing import Any, NamedTuple

import psycopg
from flask import Blueprint, abort
from psycopg import sql
from sqlalchemy import Column, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from actors._workflow import Workflow
from app.web.kinship import Kin, children, parents
from app.web.labels import NAMES, TABLES, name_of
from app.web.reader import Reader, reader
from app.web.rendering import page
from db.declaration import type_of
from db.statements import statements

SQL = "dashboard/row.sql"

row = Blueprint("row", __name__)

LONGEST_VALUE = 4000
MOST_KIN = 12
MOST_EVENTS = 50

# Of a contact that came past the triggers of the suppression list nothing is told: its name is a person's too.
REACHABLE = """
case when item.{0} is null then null
     when exists (select 1 from engine.reachable_contact as contact where contact.id = item.id)
     then left(engine.masked(left(item.{0}, 2 * {1})), {1}) else '[suppressed]' end as {0}
"""


class Relatives(NamedTuple):
    table: str
    rows: list[dict[str, Any]]
    more: bool


class Standing(NamedTuple):
    """How the row stands with one workflow, and what an operator may do about it."""

    workflow: Workflow
    status: str | None
    why: dict[str, Any]

    @property
    def actions(self) -> tuple[str, ...]:
        words = self.workflow.words
        by_word = {words.queued: ("run-now", "cancel"), words.processing: ("cancel",), words.failed: ("requeue",)}
        return by_word.get(self.status or "", ("run-now",))


@row.get("/rows/<table>/<pk>")
def show(table: str, pk: str) -> str:
    asked = reader()
    if table not in NAMES:
        abort(404, f"There is no table '{table}' here; there are {', '.join(NAMES)}.")
    values = _columns(asked, TABLES[table], pk)
    if values is None:
        abort(404, f"There is no row '{pk}' in {table}. It may have been deleted.")
    flows = [flow for flow in asked.workflows.values() if flow.source.name == table]
    sql_ = statements(SQL, **_unfilled())
    why = {found["workflow"]: found for found in asked.rows(sql_["why"], table=table, pk=pk)} if flows else {}
    return page(
        "row",
        table=table,
        pk=pk,
        values=values,
        standings=[Standing(flow, values[flow.status], why.get(flow.name, {})) for flow in flows],
        history=asked.rows(sql_["history"], table=table, pk=pk, rows=MOST_EVENTS) if flows else [],
        parents=_families(asked, parents(table), values),
        children=_families(asked, children(table), values),
        longest=LONGEST_VALUE,
    )


def _columns(asked: Reader, table: Table, pk: str) -> dict[str, Any] | None:
    """Every column, long ones cut; None when there is no such row."""
    (key,) = table.primary_key.columns
    names = {
        **_unfilled(),
        "columns": sql.SQL(", ").join(map(_shown, table.columns)),
        "table": sql.Identifier(table.name),
        "pk": sql.Identifier(key.name),
        "pk_type": sql.SQL(type_of(key)),
    }
    try:
        return asked.row(statements(SQL, **names)["columns"], pk=pk)
    except psycopg.DataError:  # no id of this kind
        return None


def _shown(column: Column[Any]) -> sql.Composable:
    """Masked before it is cut for good: half an address names somebody too."""
    name = sql.Identifier(column.name)
    longest = sql.Literal(LONGEST_VALUE + 1)
    if column.table.name == "contacts" and isinstance(column.type, Text) and not column.foreign_keys:
        return sql.SQL(REACHABLE).format(name, longest)
    if isinstance(column.type, JSONB):
        return sql.SQL("left(engine.masked(left(jsonb_pretty(item.{0}), 2 * {1})), {1}) as {0}").format(name, longest)
    if isinstance(column.type, Text | ARRAY) and not column.foreign_keys:
        return sql.SQL("left(engine.masked(left(item.{0}::text, 2 * {1})), {1}) as {0}").format(name, longest)
    return sql.SQL("item.{0} as {0}").format(name)


def _families(asked: Reader, kin: list[Kin], values: dict[str, Any]) -> list[Relatives]:
    """By table, each row once: a business may be a domain's first one and also name it."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for one in kin:
        if values[one.own] is not None:
            rows = found.setdefault(one.table, {})
            rows.update({row["pk"]: row for row in _relatives(asked, one, values[one.own])})
    return [
        Relatives(table, list(rows.values())[:MOST_KIN], more=len(rows) > MOST_KIN)
        for table, rows in found.items()
        if rows
    ]


def _relatives(asked: Reader, kin: Kin, value: Any) -> list[dict[str, Any]]:
    (key,) = TABLES[kin.table].primary_key.columns
    names = {
        **_unfilled(),
        "pk": sql.Identifier(key.name),
        "name": name_of(kin.table),
        "table": sql.Identifier(kin.table),
        "column": sql.Identifier(kin.column),
    }
    return asked.rows(statements(SQL, **names)["kin"], value=value, rows=MOST_KIN + 1)


def _unfilled() -> dict[str, sql.Composable]:
    """The names of statements in the file that are not the one wanted."""
    return dict.fromkeys(("columns", "table", "pk", "pk_type", "name", "column"), sql.SQL(""))
