"""The queue in figures, as the database sees it: they exist even when no worker runs. No business table is read."""

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import Connection

from app.logs import event
from db.connections import Pool
from db.statements import statements

log = logging.getLogger(__name__)

STATES: Final = ("ready", "delayed", "running", "failed")
UNOWNED: Final = ("queued_without_job", "processing_without_claim", "claimed_by_lost_worker")

FRESH_SECONDS: Final = 3.0
LARGEST_SHARE: Final = 0.01  # of a core: a queue that takes long to count is counted less often
PATIENCE_SECONDS: Final = 3.0

# One count needs no second process, and whoever scrapes has given up after two seconds anyway.
LIMITS: Final = """
select set_config('statement_timeout', '2s', true), set_config('lock_timeout', '200ms', true),
       set_config('max_parallel_workers_per_gather', '0', true)
"""


class Described(NamedTuple):
    meaning: str
    labels: tuple[str, ...] = ()


BY_WORKFLOW: Final = ("workflow",)
GAUGES: Final[Mapping[str, Described]] = {
    "scrapersky_rows": Described("Rows that are wanted, running or dead, by state", ("workflow", "state")),
    "scrapersky_oldest_ready_seconds": Described("How long the oldest row that may run has waited", BY_WORKFLOW),
    "scrapersky_oldest_processing_seconds": Described("How long the oldest claim has been held", BY_WORKFLOW),
    "scrapersky_unowned_rows": Described("Rows that nobody looked after, as last seen", ("workflow", "kind")),
    "scrapersky_paused": Described("1 when an operator has paused the workflow", BY_WORKFLOW),
    "scrapersky_blocked": Described("1 when the workflow has stopped itself: key, billing, quota", BY_WORKFLOW),
    "scrapersky_held_back": Described("1 when too many rows wait for the workflow that it feeds", BY_WORKFLOW),
    "scrapersky_budget_used_ratio": Described("Rows begun today, as a part of the day's budget", BY_WORKFLOW),
    "scrapersky_last_sweep_timestamp_seconds": Described("When a sweep last ended, 0 if never", BY_WORKFLOW),
    "scrapersky_workers": Described("Registered worker processes", ("state",)),
    "scrapersky_notification_queue_usage_ratio": Described("How full the server's notification queue is"),
    "scrapersky_oldest_transaction_seconds": Described("Age of the oldest transaction in this database"),
    "scrapersky_job_dead_tuples": Described("Dead rows in engine.job that vacuum has not removed"),
    "scrapersky_job_bytes": Described("Size of engine.job with its indexes"),
    "scrapersky_schema_info": Described("1; which schema the database has", ("engine", "tables")),
    "scrapersky_queue_read_seconds": Described("How long it took to read these figures"),
}


class Sample(NamedTuple):
    name: str
    labels: tuple[str, ...]
    value: float


def read_figures(connection: Connection[Any]) -> list[Sample]:
    sql = statements("figures.sql")
    with connection.transaction():
        connection.execute(LIMITS)
        workflows = connection.execute(sql["workflows"]).fetchall()
        waiting = {row[0]: row[1:] for row in connection.execute(sql["waiting"]).fetchall()}
        running = {row[0]: row[1:] for row in connection.execute(sql["running"]).fetchall()}
        failed = {row[0]: row[1] for row in connection.execute(sql["failed"]).fetchall()}
        server = connection.execute(sql["server"]).fetchone()
    samples: list[Sample] = []
    for workflow in workflows:
        name = workflow[0]
        ready, delayed, oldest_ready = waiting.get(name, (0, 0, 0.0))
        held, oldest_processing, abandoned = running.get(name, (0, 0.0, 0))
        counts = (ready, delayed, held, failed.get(name, 0))
        samples += [Sample("scrapersky_rows", (name, state), n) for state, n in zip(STATES, counts, strict=True)]
        samples.append(Sample("scrapersky_oldest_ready_seconds", (name,), oldest_ready))
        samples.append(Sample("scrapersky_oldest_processing_seconds", (name,), oldest_processing))
        samples += _of_workflow(workflow, abandoned)
    return samples + (list(_of_server(server)) if server else [])


def _of_workflow(row: tuple[Any, ...], abandoned: int) -> Iterator[Sample]:
    name, paused, blocked, held_back, used, swept_at, missed, unclaimed = row
    yield Sample("scrapersky_paused", (name,), float(paused))
    yield Sample("scrapersky_blocked", (name,), float(blocked))
    yield Sample("scrapersky_held_back", (name,), float(held_back))
    if used is not None:
        yield Sample("scrapersky_budget_used_ratio", (name,), used)
    yield Sample("scrapersky_last_sweep_timestamp_seconds", (name,), swept_at)
    for kind, count in zip(UNOWNED, (missed, unclaimed, abandoned), strict=True):
        yield Sample("scrapersky_unowned_rows", (name, kind), count)


def _of_server(row: tuple[Any, ...]) -> Iterator[Sample]:
    alive, draining, queue, transaction, dead_tuples, size, engine, tables = row
    yield Sample("scrapersky_workers", ("alive",), alive)
    yield Sample("scrapersky_workers", ("draining",), draining)
    yield Sample("scrapersky_notification_queue_usage_ratio", (), queue)
    yield Sample("scrapersky_oldest_transaction_seconds", (), transaction)
    yield Sample("scrapersky_job_dead_tuples", (), dead_tuples)
    yield Sample("scrapersky_job_bytes", (), size)
    yield Sample("scrapersky_schema_info", ((engine or "").removeprefix("ScraperSky ")[:12], tables or ""), 1)


class FigureReader:
    """Asks the database once in a few seconds, however many scrape; one that does not answer is not waited for."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._lock = threading.Lock()
        self._samples: list[Sample] | None = None
        self._stale_at = 0.0
        self._thread: threading.Thread | None = None

    def samples(self) -> list[Sample] | None:
        """None when the database could not be read."""
        with self._lock:
            if time.monotonic() >= self._stale_at:
                self._refresh()
            return self._samples

    def _refresh(self) -> None:
        """In a thread of its own: a server that is frozen keeps us waiting for as long as it likes."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._read, name="figures", daemon=True)
            self._thread.start()
        self._thread.join(PATIENCE_SECONDS)
        if self._thread.is_alive():
            self._keep(None, time.monotonic() + FRESH_SECONDS)

    def _read(self) -> None:
        began = time.monotonic()
        try:
            with self.pool.connection(timeout=2) as connection:
                reading = time.monotonic()
                samples = read_figures(connection)
                took = time.monotonic() - reading
        except psycopg.Error as error:
            if self._samples is not None:
                event(log, logging.WARNING, "figures.unreadable", error=str(error))
            self._keep(None, began + FRESH_SECONDS)
        else:
            samples.append(Sample("scrapersky_queue_read_seconds", (), took))
            self._keep(samples, began + max(FRESH_SECONDS, took / LARGEST_SHARE))

    def _keep(self, samples: list[Sample] | None, stale_at: float) -> None:
        self._samples, self._stale_at = samples, stale_at
