"""What somebody, or the engine itself, has stopped; limits and sessions that let nothing through."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from psycopg import sql

from app.commands.tables import short
from app.doctor.finding import Finding, Repair, by_sql, end_session, failure, warning, well
from app.doctor.patient import Patient, Pid


def stopped(patient: Patient) -> Iterator[Finding]:
    rows = [row for row in patient.look("stopped") if row.stopped or row.closed]
    paused = [(short(row.paused_reason or "no reason given"), row.name) for row in rows if row.paused]
    blocked = [(_reason(row), row.name) for row in rows if row.stopped and not row.paused]
    for reason, names in _by_reason(paused):
        means = "The rows stay queued until somebody resumes it."
        yield warning(f"{', '.join(names)} paused: {reason}", means, _resume(names))
    for reason, names in _by_reason(blocked):
        means = "No row can succeed; they stay queued and keep their attempts. When the cause is gone:"
        yield warning(f"{', '.join(names)} stopped by itself{reason}", means, _resume(names))
    for row in rows:
        for column in row.closed:
            reopen = by_sql(
                "UPDATE engine.workflow SET {column} = NULL WHERE name = {name}",
                column=sql.Identifier(column),
                name=sql.Literal(row.name),
            )
            yield warning(f"{row.name}: {column} is 0", "An operator's limit lets no row start.", reopen)
    turns = patient.look("turns", long=patient.limits.long_claim)
    for row in turns:
        who = Pid(row.pid, row.user, row.application, row.client)
        means = "A claim holds it for milliseconds. Until this session ends its transaction, nothing is claimed."
        yield failure(
            f"{who} has had {row.name!r} of engine.lock locked for {row.age:.0f} s", means, end_session(row.pid)
        )
    if not rows and not turns:
        yield well("none is paused, none has stopped itself")


def _reason(row: Any) -> str:
    until = f" until {row.blocked_until:%Y-%m-%d %H:%M %Z}" if row.blocked_until else ""
    return f"{until}: {row.blocked_reason}"


def _by_reason(told: list[tuple[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """One missing key stops several workflows and is one finding."""
    for reason, group in groupby(sorted(told), key=lambda one: one[0]):
        yield reason, [name for _, name in group]


def _resume(names: list[str]) -> Repair:
    listed = sql.SQL(", ").join(map(sql.Literal, names))
    return by_sql("UPDATE engine.workflow SET paused = false WHERE name IN ({names})", names=listed)
