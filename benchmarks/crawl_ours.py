"""`scrapersky work` crawls: rows of page_curation are queued, everything else is the product's own doing."""

import os
import subprocess
import sys
from typing import Any

from psycopg import Connection

from app.config import NAMES, Settings
from benchmarks.crawl_log import Origin
from benchmarks.crawl_run import Crawl, Watch, World, stop
from benchmarks.processes import children, family
from benchmarks.stage import one, pause, wait_until

FILL = """
insert into domains (domain, region)
select 'bench-host-' || lpad(n::text, 5, '0') || '.com', 'US' from generate_series(1, %(hosts)s) as n;
insert into pages (domain_id, url, page_type, priority_level)
select id, %(scheme)s || '://' || domain || '/contact-' || n, 'contact_root', 1
from domains cross join generate_series(1, %(pages)s) as n order by n, domain;
"""
EMPTY = "truncate domains, pages, contacts, robots_files cascade"
QUEUE = "update pages set page_processing_status = 'Queued'"
DONE = """
select count(*) from pages where page_processing_status is distinct from 'Queued'
                             and page_processing_status is distinct from 'Processing'
"""


class Ours:
    def __init__(self, processes: int | None = None, threads: int | None = None, command: str = "work") -> None:
        """Without a number the default of the settings holds."""
        self.command = command
        self.settings = {}
        if processes:
            self.settings["SCRAPERSKY_PROCESSES"] = str(processes)
        if threads:
            self.settings["SCRAPERSKY_THREADS"] = str(threads)
        given = f" {processes or 'default'} x {threads or 'default'}"
        self.label = "ours" + (given if self.settings else ", default")

    def crawl(self, world: World, origin: Origin, url: str, user: Connection[Any]) -> Crawl:
        fill(user, world)
        origin.reset()
        process = self.start(world, origin, url, user)
        try:
            watch = watch_over(process.pid, origin, user)
            before = watch.cost()
            pause(user, paused=False)
            watch.looks += 1
            watch.follow(lambda: one(user, DONE), world.rows)
            spent = watch.cost()
        finally:
            stop(process)
        # Sessions tell the server their counts at the latest when they end.
        spent.transactions, spent.wal = (now := watch.cost()).transactions, now.wal
        contacts = one(user, "select count(*) from contacts")
        return watch.crawl(self.label, world, spent - before, one(user, DONE), contacts)

    def start(self, world: World, origin: Origin, url: str, user: Connection[Any]) -> subprocess.Popen[bytes]:
        kept = {name: value for name, value in os.environ.items() if name not in NAMES}
        environment = {
            **kept,
            "DATABASE_URL": url,
            "SCRAPERSKY_PROXY": origin.proxy,
            "SCRAPERSKY_METRICS_PORT": "0",
            "SCRAPERSKY_WEB_PORT": "0",
            "SCRAPERSKY_LOG_LEVEL": "warning",
            "SCRAPERSKY_CRAWL_PAUSE_SECONDS": str(world.pause),
            **({"SCRAPERSKY_CA_FILE": str(origin.ca_file)} if world.https else {}),
            **self.settings,
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "app.start", self.command], env=environment, stdout=subprocess.DEVNULL
        )
        wanted = int(self.settings.get("SCRAPERSKY_PROCESSES", Settings().processes))
        wait_until(lambda: registered(user, children(process.pid)) == wanted)
        return process


def registered(user: Connection[Any], pids: list[int]) -> int:
    return user.execute("select count(*) from engine.worker where pid = any(%s)", [pids]).fetchone()[0]


def fill(user: Connection[Any], world: World) -> None:
    """Every page queued, nothing started."""
    pause(user, paused=True)
    user.execute(EMPTY)
    numbers = {"hosts": world.hosts, "pages": world.pages, "scheme": world.scheme}
    for statement in FILL.split(";")[:-1]:
        user.execute(statement, numbers)
    user.execute(QUEUE)
    user.execute("vacuum analyze")


def watch_over(supervisor: int, origin: Origin, user: Connection[Any]) -> Watch:
    """Workers are the supervisor and its children; what those have started are the parsers and their fork servers."""

    def workers() -> list[int]:
        return [supervisor, *children(supervisor)]

    def parsers() -> list[int]:
        return [pid for pid in family(supervisor) if pid not in workers()]

    return Watch(origin, user, workers, parsers)
