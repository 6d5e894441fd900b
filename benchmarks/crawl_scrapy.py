"""Scrapy crawls the same pages: tables without triggers for it, its processes, and the same figures of both."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psycopg import Connection

from benchmarks.crawl_log import Origin
from benchmarks.crawl_ours import fill
from benchmarks.crawl_run import Crawl, Watch, World, stop
from benchmarks.stage import one

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-bench-scrapy" / "bin" / "python"
CONCURRENCY = (
    1000  # counts requests that wait for their host's pause too: fewer than there are hosts would hold it back
)
TABLES = """
drop schema if exists scrapy cascade;
create schema scrapy;
create table scrapy.pages (like public.pages including all);
alter table scrapy.pages add number bigint generated always as identity;
create table scrapy.contacts (like public.contacts including all);
insert into scrapy.pages select (page).* from (
    select page from pages as page order by substring(url from '[0-9]+$')::int, url) as pages;
delete from pages;
"""
DONE = "select count(*) from scrapy.pages where page_processing_status <> 'Queued'"


class Scrapy:
    def __init__(self, processes: int, concurrency: int = CONCURRENCY) -> None:
        self.processes = processes
        self.concurrency = concurrency
        self.label = f"Scrapy {processes} x {concurrency}"

    def crawl(self, world: World, origin: Origin, url: str, user: Connection[Any]) -> Crawl:
        prepare(user, world)
        origin.reset()
        with self.running(world, origin, url) as started:
            watch = Watch(origin, user, lambda: [process.pid for process in started])
            before = watch.cost()
            go(started)
            watch.follow(lambda: one(user, DONE), world.rows)
            spent = watch.cost()
        spent.transactions, spent.wal = (now := watch.cost()).transactions, now.wal
        contacts = one(user, "select count(*) from scrapy.contacts")
        return watch.crawl(self.label, world, spent - before, one(user, DONE), contacts)

    @contextmanager
    def running(
        self, world: World, origin: Origin, url: str, jobdir: Path | None = None
    ) -> Iterator[list[subprocess.Popen[str]]]:
        """Processes that have imported everything and wait for a word."""
        if not PYTHON.exists():
            raise SystemExit(f"{PYTHON.relative_to(ROOT)} is not there; make bench-peers makes it")
        started = [self._start(world, origin, url, share, jobdir) for share in range(self.processes)]
        try:
            for process in started:
                process.stdout.readline()
            yield started
        finally:
            for process in started:
                stop(process)

    def _start(self, world: World, origin: Origin, url: str, share: int, jobdir: Path | None) -> subprocess.Popen[str]:
        given = {
            "url": url,
            "share": [share, self.processes],
            "port": origin.tls_port if world.https else origin.port,
            "pause": world.pause,
            "concurrency": self.concurrency,
            **({"jobdir": str(jobdir / str(share))} if jobdir else {}),
        }
        command = [PYTHON, "-m", "benchmarks.peer_scrapy", json.dumps(given)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )


def prepare(user: Connection[Any], world: World) -> None:
    fill(user, world)
    user.execute(TABLES)
    user.execute("vacuum analyze")


def go(started: list[subprocess.Popen[str]]) -> None:
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
