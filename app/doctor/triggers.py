"""Every trigger of the registry is there, on, of the right shape, and its function is the one of this version."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from psycopg import sql

from app.doctor.finding import MIGRATE, Finding, by_sql, failure, statement, warning, well
from app.doctor.patient import Patient
from db.canary import CANARY
from db.declaration import Declaration
from db.triggers import Trigger, retired, triggers_of

# pg_trigger.tgtype: 1 for each row, 2 before, 4 insert, 16 update.
SHAPES = {"insert": 4, "update": 16, "curation": 23}
FIRES = "O", "A"


def triggers(patient: Patient) -> Iterator[Finding]:
    bad = [finding for one, trigger, row in _expected(patient) if (finding := _about_trigger(one, trigger, row))]
    yield from bad
    yield from _retired(patient)
    if patient.one("server").replication_role != "origin":
        database = sql.Identifier(patient.one("server").database)
        yield failure(
            "session_replication_role is not origin here",
            "No trigger fires in such a session: what is queued waits for the sweep.",
            by_sql("ALTER DATABASE {database} RESET session_replication_role", database=database),
            by_sql("ALTER ROLE CURRENT_USER RESET session_replication_role"),
        )
    elif not bad:
        yield well(f"{len(_expected(patient))} triggers in place and on")


def functions(patient: Patient) -> Iterator[Finding]:
    seen = set()
    for declaration, trigger, row in _expected(patient):
        name = trigger.function.as_string(None)
        if name in seen:
            continue
        seen.add(name)
        if not row.defined:
            yield failure(f"{name}() is missing", f"A row of {declaration.name} can not be queued.", MIGRATE)
        elif row.source != trigger.source:
            yield failure(
                f"{name}() is not the one of this version",
                f"What becomes queued for {declaration.name} is treated as another version of ScraperSky would.",
                MIGRATE,
            )
        elif row.definer != trigger.definer or row.config != list(trigger.settings):
            yield failure(
                f"{name}() runs with other rights or settings than it should",
                "Analysts may not be able to queue rows or may run what is not theirs, or bulk updates take for ever.",
                MIGRATE,
            )
        else:
            continue
        return
    yield well(f"{len(seen)} functions of this version")


def _expected(patient: Patient) -> list[tuple[Declaration, Trigger, Any]]:
    """Each trigger that should be, and what the catalog has of it."""
    wanted = [(one, trigger) for one in (*patient.workflows, CANARY) for trigger in triggers_of(one)]
    found = patient.look(
        "triggers",
        names=[trigger.name for _, trigger in wanted],
        tables=[one.quoted_table for one, _ in wanted],
        functions=[trigger.function.as_string(None) for _, trigger in wanted],
    )
    rows = {row.name: row for row in found}
    return [(one, trigger, rows[trigger.name]) for one, trigger in wanted]


def _about_trigger(declaration: Declaration, trigger: Trigger, row: Any) -> Finding | None:
    what = f"{trigger.name} on {declaration.quoted_table}"
    means = f"What becomes queued for {declaration.name} waits for the sweep."
    if row.enabled is None:
        return failure(f"{what} is missing", means, MIGRATE)
    if not _has_its_shape(trigger, row):
        return failure(
            f"{what} is not the trigger of this version", means, statement(trigger.statement.as_string(None))
        )
    if row.enabled not in FIRES:
        state = {"D": "disabled", "R": "switched on for replicas only"}.get(row.enabled, row.enabled)
        enable = by_sql(
            "ALTER TABLE {table} ENABLE TRIGGER {name}",
            table=declaration.names["table"],
            name=sql.Identifier(trigger.name),
        )
        return failure(f"{what} is {state}", means, replace(enable, safe=True))
    return None


def _has_its_shape(trigger: Trigger, row: Any) -> bool:
    event = trigger.name.rpartition("_")[2]
    new = None if event == "curation" else "new_rows"
    old = "old_rows" if event == "update" else None
    shape = (SHAPES[event], new, old, event == "curation")
    return bool(row.ours) and (row.kind, row.new_rows, row.old_rows, row.filtered) == shape


def _retired(patient: Patient) -> Iterator[Finding]:
    if patient.connection is None:
        return
    for drop in retired(patient.connection, (*patient.workflows, CANARY)):
        yield warning(
            f"a trigger of a workflow that is gone: {drop.decode().removeprefix('drop trigger ')}",
            "It puts rows into the queue that nobody takes.",
            MIGRATE,
        )
