"""Serves /metrics: the counters of all processes of one supervisor, and the queue as the database sees it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from wsgiref.simple_server import WSGIServer

import psycopg
from prometheus_client import CollectorRegistry, multiprocess, start_http_server
from prometheus_client.core import GaugeMetricFamily

from app.config import Settings, load_settings
from app.counting import PortTakenError, count_with_siblings
from app.database import database
from db.connections import Pool, open_pool

OVERVIEW = """
select workflow, ready, delayed, running, failed, coalesce(extract(epoch from oldest_ready), 0)::float8, paused
from engine.overview
"""
WORKERS = "select count(*) filter (where not draining), count(*) filter (where draining) from engine.worker"


class QueueCollector:
    """Reads the queue at scrape time, so these figures exist even when no worker runs."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def collect(self) -> Iterator[GaugeMetricFamily]:
        up = GaugeMetricFamily("scrapersky_database_up", "1 when the queue could be read")
        rows = GaugeMetricFamily("scrapersky_rows", "Rows by workflow and state", labels=["workflow", "state"])
        age = GaugeMetricFamily("scrapersky_oldest_ready_seconds", "Age of the oldest due row", labels=["workflow"])
        paused = GaugeMetricFamily("scrapersky_paused", "1 when the workflow is paused", labels=["workflow"])
        workers = GaugeMetricFamily("scrapersky_workers", "Registered worker processes", labels=["state"])
        try:
            with self.pool.connection(timeout=2) as connection:
                overview = connection.execute(OVERVIEW).fetchall()
                alive = connection.execute(WORKERS).fetchone()
        except psycopg.Error:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        for workflow, ready, delayed, running, failed, oldest, is_paused in overview:
            for state, count in (("ready", ready), ("delayed", delayed), ("running", running), ("failed", failed)):
                rows.add_metric([workflow, state], count)
            age.add_metric([workflow], oldest)
            paused.add_metric([workflow], float(is_paused))
        if alive is not None:
            workers.add_metric(["alive"], alive[0])
            workers.add_metric(["draining"], alive[1])
        yield from (up, rows, age, paused, workers)


@contextmanager
def metrics_server(settings: Settings, pool: Pool | None) -> Iterator[None]:
    """Serve while the context lasts. Port 0 in the settings means: not at all."""
    if not settings.metrics_port:
        yield
        return
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)
    if pool is not None:
        registry.register(QueueCollector(pool))
    server: WSGIServer
    thread: threading.Thread
    try:
        server, thread = start_http_server(settings.metrics_port, settings.metrics_host, registry)
    except OSError as error:
        raise PortTakenError(
            f"/metrics: {settings.metrics_host}:{settings.metrics_port}: {error.strerror}; "
            "set SCRAPERSKY_METRICS_PORT to another port, or to 0 for no metrics"
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def serve_beside_dramatiq() -> int:
    """Dramatiq's master starts this as a process of its own, see `Process.forks`."""
    count_with_siblings()
    settings = load_settings()
    with database(settings) as url, open_pool(url, size=1, name="metrics") as pool, metrics_server(settings, pool):
        threading.Event().wait()
    return 0


def forget_process(pid: int) -> None:
    """Gauges of a process that is gone must not be added up any more."""
    multiprocess.mark_process_dead(pid)
