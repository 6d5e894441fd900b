"""The engine's tables change all the time: they stay small only while autovacuum keeps up."""

from collections.abc import Iterator

from psycopg import sql

from app.doctor.finding import Finding, by_sql, failure, only_by_hand, statement, warning, well
from app.doctor.patient import MEGABYTE, Patient

# A table may need a few times the room of its rows before anybody should care.
BLOATED = 5


def vacuum(patient: Patient) -> Iterator[Finding]:
    limits = patient.limits
    tables = patient.look("vacuum")
    bad = list(_switched_off(patient))
    for table in tables:
        needed = table.live * table.width * 100 / table.fill
        if not table.enabled:
            bad.append(
                failure(
                    f"autovacuum is off for {table.table_name}",
                    "Claims get slower with every row that passes through.",
                    statement(f"ALTER TABLE {table.table_name} RESET (autovacuum_enabled)"),
                )
            )
        elif table.dead > max(limits.dead_rows, 2 * table.live):
            bad.append(
                warning(
                    f"{table.table_name}: {table.dead:,} dead rows beside {table.live:,} living ones",
                    "Autovacuum does not keep up, or an old transaction keeps it from removing them; see there first.",
                    statement(f"VACUUM (ANALYZE) {table.table_name}"),
                )
            )
        elif table.bytes > limits.bloat_bytes and table.bytes > BLOATED * needed:
            bad.append(
                warning(
                    f"{table.table_name}: {table.bytes / MEGABYTE:,.0f} MB for {table.live:,} rows",
                    "It grew once and is mostly empty now. The repair locks it while it copies the rows.",
                    only_by_hand(statement(f"VACUUM (FULL, ANALYZE) {table.table_name}")),
                )
            )
    yield from bad
    yield from _wraparound(patient)
    if not bad:
        size = sum(table.bytes + table.index_bytes for table in tables) / MEGABYTE
        dead = sum(table.dead for table in tables)
        yield well(f"{len(tables)} tables of the engine, {size:,.1f} MB, {dead:,} dead rows")


def _switched_off(patient: Patient) -> Iterator[Finding]:
    for row in patient.look("settings", names=["autovacuum", "track_counts"]):
        if row.setting == "off":
            yield failure(
                f"{row.name} is off",
                "Nobody clears away dead rows: everything gets slower, without end.",
                by_sql("ALTER SYSTEM SET {name} = on", name=sql.Identifier(row.name)),
                by_sql("SELECT pg_reload_conf()"),
            )


def _wraparound(patient: Patient) -> Iterator[Finding]:
    row = patient.one("wraparound")
    if row.age > 2 * row.freeze_at:
        yield failure(
            f"the oldest row is {row.age:,} transactions old, autovacuum should freeze it at {row.freeze_at:,}",
            "At two billion Postgres takes no more writes. Something keeps vacuum away: an old transaction, a slot.",
            by_sql("VACUUM (FREEZE)"),
        )
