"""How many connections this configuration takes, and whether the server has them."""

from collections.abc import Iterator

from psycopg import sql

from app.config import Settings
from app.doctor.finding import Finding, by_setting, by_sql, failure, warning, well
from app.doctor.patient import Patient
from app.doctor.pooler import is_pooled

TIGHT = 0.8
SPARE = 3  # a migration, a look at the status, a psql
DASHBOARD = 6  # the pool of app/web/server.py, which is slow to import; a test keeps them equal


def per_worker(settings: Settings) -> int:
    """A pool, a heart, and an ear where there is no broker to listen for it."""
    return min(settings.threads, 4) + 1 + 1 + (0 if settings.broker_url else 1)


def beside_workers(settings: Settings) -> int:
    """Supervisor and sweeper, each with a pool of two; the dashboard's; the listener's when there is a broker."""
    dashboard = DASHBOARD if settings.web_port else 0
    return 2 + 2 + dashboard + (3 if settings.broker_url else 0)


def connections(patient: Patient) -> Iterator[Finding]:
    settings = patient.settings
    each, beside = per_worker(settings), beside_workers(settings)
    need = settings.processes * each + beside
    seen = f"{settings.processes} worker processes of {each} and {beside} beside them take {need} connections"
    if is_pooled(patient):
        yield well(f"{seen}; a pooler stands between, and its limits decide")
        return
    row = patient.one("connections")
    room = min(limit for limit in (row.room, row.role_limit, row.database_limit) if limit >= 0)
    free = room - row.others
    fitting = max(1, (free - beside - SPARE) // each)
    seen += f"; the server has {room}, others hold {row.others}"
    if row.ours > need:
        seen += f"; {row.ours} of ScraperSky are open, from other hosts too"
    wanted = max(need, row.ours)
    if wanted <= TIGHT * free:
        yield well(seen)
        return
    repairs = [by_setting(f"SCRAPERSKY_PROCESSES={min(fitting, settings.processes)}")]
    if room == row.room:
        enough = round((wanted + row.others) / TIGHT) + SPARE + row.reserved
        repairs.append(by_sql("ALTER SYSTEM SET max_connections = {enough}", enough=sql.Literal(enough)))
    means = (
        "Some processes would wait for a connection for ever; either of these (the second with a restart of Postgres):"
    )
    yield (failure if wanted > free else warning)(seen, means, *repairs)
