"""Serves /metrics: the counters of all processes of one supervisor, and the queue as the database sees it."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app, start_http_server
from prometheus_client.core import GaugeMetricFamily

from actors._workflow import Workflow
from app import VERSION, metrics
from app.config import Settings, load_settings
from app.counter_files import Counters
from app.counting import PortTakenError, count_with_siblings
from app.database import working_database
from app.figures import BY_WORKFLOW, GAUGES, Described, FigureReader, Sample
from app.host_names import is_ours, name_in
from app.logs import configure_logging
from app.workflows import load_workflows
from db.connections import Pool, open_pool

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

CONSTANTS: Mapping[str, Described] = {
    "scrapersky_database_up": Described("1 when the queue could be read within two seconds"),
    "scrapersky_build_info": Described("1; which version serves this", ("version",)),
    "scrapersky_time_limit_seconds": Described("How long a row of the workflow may run", BY_WORKFLOW),
    "scrapersky_sweep_interval_seconds": Described("How often the workflow is swept", BY_WORKFLOW),
}


class QueueCollector:
    """What this process knows by itself, and the figures of the database where it answers."""

    def __init__(self, settings: Settings, workflows: Sequence[Workflow], pool: Pool | None) -> None:
        self.reader = None if pool is None else FigureReader(pool)
        self.constants = [Sample("scrapersky_build_info", (VERSION,), 1)]
        for workflow in workflows:
            limit, interval = workflow.time_limit, settings.sweep_interval(workflow.name)
            self.constants += [
                Sample("scrapersky_time_limit_seconds", (workflow.name,), limit.total_seconds()),
                Sample("scrapersky_sweep_interval_seconds", (workflow.name,), interval.total_seconds()),
            ]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        figures = self.reader.samples() if self.reader else None
        up = Sample("scrapersky_database_up", (), float(figures is not None))
        return _families([up, *self.constants, *(figures or ())])


def _families(samples: Iterable[Sample]) -> Iterable[GaugeMetricFamily]:
    families: dict[str, GaugeMetricFamily] = {}
    for name, labels, value in samples:
        if name not in families:
            described = GAUGES.get(name) or CONSTANTS[name]
            families[name] = GaugeMetricFamily(name, described.meaning, labels=described.labels)
        families[name].add_metric(labels, value)
    return families.values()


def for_our_names(serve: "WSGIApplication", settings: Settings) -> "WSGIApplication":
    """Refuse who calls us by another name. One without a dot, such as that of a container, no web page can have."""

    def answer(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        name = name_in(environ.get("HTTP_HOST", ""))
        if "." not in name or is_ours(name, settings.metrics_host, settings.web_names):
            return serve(environ, start)
        start("421 Misdirected Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [f"/metrics does not answer to the name '{name}'; add it to SCRAPERSKY_WEB_NAMES\n".encode()]

    return answer


@contextmanager
def metrics_server(settings: Settings, pool: Pool | None) -> Iterator[None]:
    """Serve while the context lasts. Port 0 in the settings means: not at all."""
    if not settings.metrics_port:
        yield
        return
    workflows = load_workflows(settings)
    metrics.begin_at_zero(workflow.name for workflow in workflows)
    registry = CollectorRegistry()
    registry.register(Counters())
    registry.register(QueueCollector(settings, workflows, pool))
    server: WSGIServer
    thread: threading.Thread
    try:
        server, thread = start_http_server(settings.metrics_port, settings.metrics_host, registry)
    except OSError as error:
        raise PortTakenError(
            f"/metrics: {settings.metrics_host}:{settings.metrics_port}: {error.strerror}. "
            "Perhaps ScraperSky runs already; or set SCRAPERSKY_METRICS_PORT to another port, or to 0 for no metrics"
        ) from error
    server.set_app(for_our_names(make_wsgi_app(registry), settings))
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
    configure_logging(settings)
    with (
        working_database(settings) as url,
        open_pool(url, size=1, name="metrics") as pool,
        metrics_server(settings, pool),
    ):
        threading.Event().wait()
    return 0
