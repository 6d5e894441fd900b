"""What keeps old row versions alive: forgotten transactions, replication slots, listeners that do not read."""

from collections.abc import Iterator
from typing import Any

from psycopg import sql

from app.doctor.finding import Finding, by_hand, by_sql, end_session, failure, only_by_hand, warning, well
from app.doctor.patient import MEGABYTE, Patient, Pid

HOUR = 3600.0
OLD_XMIN = 1_000_000
MUCH_LOG = 1024 * MEGABYTE
FULL = 0.5
HOLDS_BACK = "Until it ends no dead row is removed, locks it holds stay, and the queue gets slower."


def transactions(patient: Patient) -> Iterator[Finding]:
    limits = patient.limits
    found = _lasting(patient)
    prepared = patient.look("prepared", long=limits.long_transaction)
    for row in found:
        who = Pid(row.pid, row.user, row.application, row.client)
        seen = f"{who} has been in a transaction for {_span(row.age)}, {row.state or 'state unknown'}"
        yield (failure if row.age > HOUR else warning)(seen, HOLDS_BACK, end_session(row.pid))
    for row in prepared:
        yield failure(
            f"a prepared transaction is {_span(row.age)} old: {row.gid}",
            HOLDS_BACK,
            only_by_hand(by_sql("ROLLBACK PREPARED {gid}", gid=sql.Literal(row.gid))),
        )
    if not (found or prepared):
        yield well(f"none forgotten, none longer than {_span(limits.long_transaction.total_seconds())}")


def slots(patient: Patient) -> Iterator[Finding]:
    rows = patient.look("slots")
    bad = 0
    for row in rows:
        kept = f"keeps {(row.kept or 0) / MEGABYTE:,.0f} MB of the log"
        drop = only_by_hand(by_sql("SELECT pg_drop_replication_slot({name})", name=sql.Literal(row.name)))
        means = "The log, or old rows, pile up until whoever reads the slot comes back. If nobody will, drop it."
        if row.wal_status in {"unreserved", "lost"}:
            bad += 1
            yield failure(f"slot {row.name} {kept} and is {row.wal_status}", means, drop)
        elif not row.active or (row.kept or 0) > MUCH_LOG or (row.xmin_age or 0) > OLD_XMIN:
            bad += 1
            yield warning(f"slot {row.name} {kept}, {'' if row.active else 'not '}in use", means, drop)
    if not bad:
        yield well(f"{len(rows)} replication slots, none that holds anything back")


def notifications(patient: Patient) -> Iterator[Finding]:
    usage = patient.one("notification_queue").usage
    deaf = patient.look("deaf_sessions")
    dozing = patient.look("listening_transactions")
    for row in deaf:
        pins = ", and keeps vacuum from removing dead rows" if row.pins else ""
        yield failure(
            f"{Pid(row.pid, row.user, row.application, row.client)} listens and does not read",
            f"The queue of notifications can not be emptied behind it{pins}.",
            end_session(row.pid),
        )
    for row in dozing:
        yield failure(
            f"{Pid(row.pid, row.user, row.application, row.client)} listens inside a transaction",
            f"It hears nothing, and the queue of notifications can not be emptied behind it. {HOLDS_BACK}",
            end_session(row.pid),
        )
    if usage > patient.limits.loud_notifications and not deaf and not dozing:
        yield (failure if usage > FULL else warning)(
            f"the queue of notifications is {usage:.0%} full",
            "Above half of it no doorbell rings and rows start by polling. A session that listens is in a transaction.",
            *[end_session(row.pid) for row in _lasting(patient)],
            by_hand("end the transactions of sessions that listen; all databases of the server share the queue"),
        )
    elif not deaf and not dozing:
        yield well(f"{usage:.1%} of the queue used, every listener reads")


def _lasting(patient: Patient) -> list[Any]:
    """Sessions of this database whose transaction lasts."""
    limits = patient.limits
    return patient.look("transactions", forgotten=limits.forgotten_transaction, long=limits.long_transaction)


def _span(seconds: float) -> str:
    if seconds < 120:  # noqa: PLR2004 - two minutes
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * HOUR else f"{seconds / HOUR:.1f} h"
