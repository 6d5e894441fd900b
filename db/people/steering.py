"""What operators do: stop and start workflows, change their limits, queue failed rows again, withdraw waiting ones.

Each is recorded in engine.action. Rows are steered by plain writes of their status, in batches that commit one by one:
to stop halfway leaves whole batches done, and to ask again goes on where it stopped.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from psycopg import Connection, sql

from db.people.actions import SQL, record_action
from db.people.choosing import NOTED_KEYS, Chosen, Rows, SteeringError, Tell, no_such_key
from db.people.leisure import Source
from db.statements import statements

if TYPE_CHECKING:
    from db.declaration import Declaration  # with all of SQLAlchemy behind it

__all__ = [
    "LIMITS",
    "NEWEST",
    "Chosen",
    "Failure",
    "SteeringError",
    "cancel",
    "cancelled_word",
    "failures",
    "guess",
    "pause",
    "record_action",
    "requeue",
    "resume",
    "run_now",
    "set_limits",
]

# A limit, and the least that it may be set to.
LIMITS: Final = {
    "max_in_flight": 0,
    "batch": 1,
    "max_attempts": 1,
    "per_minute": 0,
    "per_day": 0,
    "max_downstream": 1,
}
MOST: Final = 2**31 - 1

# As many failures as a page may take the time to fold.
NEWEST: Final = 10_000


class Failure(NamedTuple):
    """Rows that failed alike. `error` is folded by engine.folded: numbers, ids, addresses and hosts are signs in it."""

    error: str
    rows: int
    oldest: datetime | None
    newest: datetime | None
    example_pk: str


def pause(connection: Connection[Any], workflow: str, reason: str | None, *, operator: str) -> None:
    """Nothing of the workflow starts any more; what runs may finish."""
    _control(connection, workflow, {"paused": True, "paused_reason": reason}, operator)


def resume(connection: Connection[Any], workflow: str, *, operator: str) -> None:
    """Start again, whoever stopped it: an operator, or the workflow itself."""
    _control(connection, workflow, {"paused": False}, operator)


def set_limits(connection: Connection[Any], workflow: str, limits: Mapping[str, int | None], *, operator: str) -> None:
    """Override limits for all processes at once; None goes back to the declared value."""
    for name, value in limits.items():
        if name not in LIMITS:
            raise SteeringError(f"unknown limit {name!r}{guess(name, LIMITS)}")
        if value is not None and not LIMITS[name] <= value <= MOST:
            raise SteeringError(f"{name}: expected a number from {LIMITS[name]} to {MOST}, got {value}")
    if limits.get("max_downstream") is not None and _is_last(connection, workflow):
        raise SteeringError(f"max_downstream: {workflow} is the last workflow, nothing waits behind it")
    if limits:
        _control(connection, workflow, limits, operator)


def failures(connection: Connection[Any], workflow: str, *, newest: int | None = NEWEST) -> list[Failure]:
    """What failed for good, grouped by error, the most frequent first. Of many, the newest; None takes all of them."""
    found = connection.execute(SQL["failures"], {"workflow": workflow, "newest": newest}).fetchall()
    return [Failure(*row) for row in found]


def requeue(
    source: Source,
    declaration: "Declaration",
    chosen: Chosen,
    *,
    operator: str,
    dry_run: bool,
    rate: float | None = None,
    tell: Tell | None = None,
) -> int:
    """Queue failed rows again, at most `rate` in a second; how many. What somebody else changes is left to them."""
    rows = Rows(source, declaration, chosen, [declaration.words.failed])
    if dry_run:
        return rows.count()
    return rows.write("requeue", declaration.words.queued, operator=operator, rate=rate, tell=tell)


def cancel(
    source: Source,
    declaration: "Declaration",
    chosen: Chosen,
    *,
    operator: str,
    dry_run: bool,
    running: bool = True,
    tell: Tell | None = None,
) -> int:
    """Withdraw rows that wait, and those that run: their result will be discarded. How many."""
    words = declaration.words
    rows = Rows(source, declaration, chosen, [words.queued, words.processing] if running else [words.queued])
    if dry_run:
        return rows.count()
    word = cancelled_word(declaration)
    reason = None if word is None else f"cancelled by {operator}"
    return rows.write("cancel", word, operator=operator, reason=reason, tell=tell)


def cancelled_word(declaration: "Declaration") -> str | None:
    """The status of a withdrawn row: none, as if nobody had asked; the failed word where there must be one."""
    return None if declaration.source.columns[declaration.status].nullable else declaration.words.failed


def run_now(connection: Connection[Any], declaration: "Declaration", pks: Sequence[str], *, operator: str) -> int:
    """Rows that wait for a later time are due at once, others are queued; how many. What runs or is due stays so."""
    queue = statements("steering.sql", **declaration.names, condition=sql.SQL("true"))["queue"]
    words = declaration.words
    parameters = {"workflow": declaration.name, "pks": list(pks), "word": words.queued, "processing": words.processing}
    try:
        with connection.transaction():
            rows = connection.execute(SQL["make_due"], parameters).rowcount
            rows += connection.execute(queue, parameters).rowcount
            if rows:
                connection.execute(SQL["ring"], parameters)
                detail = {"pks": list(pks)[:NOTED_KEYS]}
                record_action(
                    connection, "run-now", operator=operator, workflow=declaration.name, rows=rows, detail=detail
                )
    except psycopg.DataError as error:
        raise no_such_key(declaration, error) from None
    return rows


def guess(name: str, known: Iterable[str]) -> str:
    """What was meant, for the end of a sentence."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f", did you mean {near[0]!r}?" if near else f"; known are {', '.join(names)}"


def _is_last(connection: Connection[Any], workflow: str) -> bool:
    found = connection.execute("select feeds is null from engine.workflow where name = %s", [workflow]).fetchone()
    return found == (True,)


def _control(connection: Connection[Any], workflow: str, values: Mapping[str, Any], operator: str) -> None:
    """Change a workflow's row; its trigger records who did it and rings the doorbell."""
    pairs = [sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in values]
    statement = sql.SQL("update engine.workflow set {} where name = %(name)s").format(sql.SQL(", ").join(pairs))
    with connection.transaction():
        connection.execute("select set_config('scrapersky.operator', %s, true)", [operator])
        if connection.execute(statement, {**values, "name": workflow}).rowcount == 0:
            known = connection.execute("select name from engine.workflow order by name").fetchall()
            raise SteeringError(f"unknown workflow {workflow!r}{guess(workflow, (name for (name,) in known))}")
