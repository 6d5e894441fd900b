"""The server itself: its version, whether it keeps what it has committed, its clock and its disk."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from psycopg import sql

from app.doctor.finding import Finding, Repair, Verdict, by_hand, by_sql, failure, warning, well
from app.doctor.patient import MEGABYTE, Patient
from db.embedded import EmbeddedPostgres

OLDEST = 16
# Until these, a LISTEN could fail for good after old transactions had been forgotten.
FIRST_GOOD_MINOR = {14: 21, 15: 16, 16: 12, 17: 8, 18: 2}
OFFSET_SECONDS = 60.0

PROMISES = {
    "fsync": "a power cut can destroy the whole database",
    "full_page_writes": "a power cut can leave half-written pages",
    "synchronous_commit": "a crash forgets the last commits: rows that were queued or done are not so any more",
}


def version(patient: Patient) -> Iterator[Finding]:
    server = patient.one("server")
    major, minor = divmod(server.number, 10_000)
    name = f"PostgreSQL {server.version}, database {server.database}, as {server.role}"
    if server.standby:
        yield failure(
            f"{name}: a standby, which only reads", "No row can be queued or claimed here.", _another_server()
        )
    elif major < OLDEST:
        yield failure(f"{name}: older than {OLDEST}", "Nobody has tried ScraperSky on it.", _another_server())
    elif minor < FIRST_GOOD_MINOR.get(major, 0):
        yield warning(
            f"{name}: its LISTEN has a known fault",
            "After old transactions are forgotten, listeners may fail to connect; polling goes on.",
            by_hand(f"update PostgreSQL to {major}.{FIRST_GOOD_MINOR[major]} or later"),
        )
    else:
        yield well(name)


def _another_server() -> Repair:
    return by_hand(f"let DATABASE_URL name a primary server of PostgreSQL {OLDEST} or later")


def durability(patient: Patient) -> Iterator[Finding]:
    database = patient.one("server").database
    found = {row.name: row for row in patient.look("settings", names=list(PROMISES))}
    off = [found[name] for name in PROMISES if found[name].setting == "off"]
    for row in off:
        judge = warning if row.name == "synchronous_commit" else failure
        yield judge(f"{row.name} is off", f"Then {PROMISES[row.name]}.", *_switch_on(row, sql.Identifier(database)))
    if not off:
        yield well(", ".join(f"{name} {found[name].setting}" for name in PROMISES))


def _switch_on(row: Any, database: sql.Identifier) -> list[Repair]:
    """Where it was switched off."""
    names = {"name": sql.Identifier(row.name), "database": database}
    if row.source == "database":
        return [by_sql("ALTER DATABASE {database} RESET {name}", **names)]
    if row.source == "user":
        return [by_sql("ALTER ROLE CURRENT_USER RESET {name}", **names)]
    if row.source == "database user":
        return [by_sql("ALTER ROLE CURRENT_USER IN DATABASE {database} RESET {name}", **names)]
    return [by_sql("ALTER SYSTEM SET {name} = on", **names), by_sql("SELECT pg_reload_conf()")]


def clock(patient: Patient) -> Iterator[Finding]:
    """Nothing is decided by comparing clocks of two machines; people do compare what they print."""
    before = time.monotonic()
    now = patient.one("clock").now
    here = datetime.now(UTC)
    travel = (time.monotonic() - before) / 2
    offset = (now - here).total_seconds() + travel
    seen = f"the server's clock is {abs(offset):.3f} s {'ahead of' if offset > 0 else 'behind'} this machine's"
    if abs(offset) < OFFSET_SECONDS:
        yield well(seen)
        return
    yield warning(
        seen,
        "Rows and leases are not decided by clocks, but logs and due times do not fit together.",
        by_hand("let the machines set their clocks: timedatectl set-ntp true"),
    )


def disk(patient: Patient) -> Iterator[Finding]:
    path = data_directory(patient)
    if path is None:
        yield well("unknown from here: the server is elsewhere, or hides its directory; look there with df")
        return
    places = {place.resolve() for place in (path, path / "pg_wal", *(path / "pg_tblspc").glob("*"))}
    yield max((_space(place, patient) for place in sorted(places)), key=lambda finding: _RANK[finding.verdict])


_RANK = {Verdict.OK: 0, Verdict.WARN: 1, Verdict.FAIL: 2}


def data_directory(patient: Patient) -> Path | None:
    """Ours for the embedded server; that of another one only when it is on this machine and says where."""
    if not patient.settings.database_url:
        return EmbeddedPostgres(patient.settings.home).data
    told = patient.one("data_directory")
    path = Path(told.path) if told.path and told.is_local else None
    return path if path is not None and _is_reachable(path) else None


def _is_reachable(path: Path) -> bool:
    try:
        os.statvfs(path)
    except OSError:
        return False
    return True


def _space(path: Path, patient: Patient) -> Finding:
    limits = patient.limits
    space = os.statvfs(path)
    free, total = space.f_bavail * space.f_frsize, max(1, space.f_blocks * space.f_frsize)
    seen = f"{path}: {free / MEGABYTE:,.0f} MB free of {total / MEGABYTE:,.0f} ({free / total:.0%})"
    advice = by_hand(f"make room on the disk of {path}, or move the data to a larger one")
    means = "When it is full, Postgres stops, and with it everything; nothing is lost."
    if free < min(limits.full_disk_bytes, total * limits.full_disk_fraction):
        return failure(seen, means, advice)
    if free < min(limits.low_disk_bytes, total * limits.low_disk_fraction):
        return warning(seen, means, advice)
    return well(seen)
