"""`scrapersky up` and `scrapersky work`: a supervisor over real processes."""

import contextlib
import os
import sys

import click

from app import VERSION
from app.config import Settings
from app.database import database, worker_url
from app.exposition import metrics_server
from app.privileges import check_access
from app.supervisor import Child, Supervisor
from app.sweeper import Sweeper
from app.web.address import address, check_exposure, check_port
from app.workflows import load_workflows
from db.connections import open_pool
from db.migrate import migrate


def run_up(settings: Settings) -> int:
    """Everything in one command."""
    others = [Child("sweeper", ["app.cli", "sweeper"])]
    check_exposure(settings)
    check_port(settings)
    if settings.web_port:
        others.append(Child("dashboard", ["app.cli", "web"]))
    if settings.broker_url:
        others.append(Child("listener", ["app.cli", "listen"]))
    return _supervise(settings, others, with_migration=True)


def run_workers(settings: Settings) -> int:
    """Worker processes alone."""
    return _supervise(settings, [], with_migration=False)


def _supervise(settings: Settings, others: list[Child], *, with_migration: bool) -> int:
    check_access(settings.home)
    workflows = load_workflows(settings)
    workers = [Child(f"worker {number + 1}", ["app.worker"]) for number in range(settings.processes)]
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(database(settings))
        if with_migration:
            migrate(url, workflows, settings.default_tenant_id)
        url = worker_url(settings, url)
        pool = open_pool(url, size=2, name="supervisor", timeout=1)
        stack.callback(pool.close)
        stack.enter_context(metrics_server(settings, pool))
        environment = {
            **os.environ,
            **({} if settings.database_url else {"DATABASE_URL": url, "DATABASE_URL_FILE": ""}),
            "SCRAPERSKY_PROCESSES": str(settings.processes),
            "SCRAPERSKY_THREADS": str(settings.threads),
        }
        supervisor = Supervisor(workers + others, environment, Sweeper(pool, workflows, settings))
        return supervisor.run(lambda: _greet(settings, with_hint=with_migration))


def _greet(settings: Settings, *, with_hint: bool) -> None:
    broker = settings.broker_url.partition(":")[0] or "in-process"
    where = "DATABASE_URL" if settings.database_url else "embedded PostgreSQL 18"
    lines = [
        f"ScraperSky {VERSION}",
        f"  database   {where}; to type SQL: {sys.argv[0]} psql",
        f"  workers    {settings.processes} processes of {settings.threads} threads, {broker} broker",
    ]
    if settings.web_port and with_hint:
        lines.append(f"  dashboard  {address(settings)}")
    if settings.metrics_port:
        lines.append(f"  metrics    http://{settings.metrics_host}:{settings.metrics_port}/metrics")
    if with_hint:
        lines.append(f"  try        echo example.com | {sys.argv[0]} import domains - --queue")
    lines.append("  stop       Ctrl-C drains, a second one stops at once")
    click.echo("\n".join(lines))
