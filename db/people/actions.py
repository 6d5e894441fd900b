"""The operator's log: who did what, kept in engine.action."""

from collections.abc import Mapping
from typing import Any

from psycopg import Connection
from psycopg.types.json import Jsonb

from db.statements import statements

SQL = statements("actions.sql")


def record_action(
    connection: Connection[Any],
    action: str,
    *,
    operator: str,
    workflow: str | None = None,
    rows: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> int:
    """Note what an operator did; the number of the note. In the transaction of the deed, so that both are true."""
    parameters = {"operator": operator, "action": action, "workflow": workflow, "rows": rows}
    row = connection.execute(SQL["record_action"], {**parameters, "detail": Jsonb(dict(detail or {}))}).fetchone()
    return int(row[0]) if row else 0


def count_action(connection: Connection[Any], note: int, rows: int) -> None:
    """How many rows it has come to so far."""
    connection.execute(SQL["count_action"], {"id": note, "rows": rows})
