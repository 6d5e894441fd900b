"""A crawl whose processes are all killed with -9 at half and started again at once.

What was lost, what was fetched twice, how long until the next page, how long until what was interrupted is done.
"""

import os
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import Connection

from benchmarks import crawl_ours, crawl_scrapy
from benchmarks.crawl_log import ROBOTS, Origin, manners, origin
from benchmarks.crawl_ours import Ours, fill
from benchmarks.crawl_run import STANDSTILL_SECONDS, World, stop
from benchmarks.crawl_scrapy import Scrapy, go, prepare
from benchmarks.processes import family
from benchmarks.section import Options, Section
from benchmarks.stage import migrated, one, pause

PAGES = 9
LOOK_SECONDS = 0.1
INTERRUPTED = "select id from pages where page_processing_status = 'Processing'"
STILL_OPEN = "select count(*) from pages where id = any(%s) and page_processing_status in ('Queued', 'Processing')"


@dataclass
class Crash:
    label: str
    lost: int
    twice: int
    resumed: float
    """Seconds from the kill to the next page that is asked for."""
    repaired: float
    """Seconds from the kill until the rows that were interrupted have an end; 0 where nobody knows them."""
    seconds: float


def kill(pids: list[int]) -> float:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return time.monotonic()


def wait(condition: Callable[[], bool], progress: Callable[[], int]) -> float:
    """The moment when it held, or when nothing had moved for too long."""
    moved, before = time.monotonic(), -1
    while not condition():
        if (count := progress()) != before:
            moved, before = time.monotonic(), count
        if time.monotonic() - moved > STANDSTILL_SECONDS:
            break
        time.sleep(LOOK_SECONDS)
    return time.monotonic()


def ours(world: World, server: Origin, url: str, user: Connection[Any]) -> Crash:
    contestant = Ours(command="up")
    fill(user, world)
    server.reset()

    def done() -> int:
        return one(user, crawl_ours.DONE)

    process = contestant.start(world, server, url, user)
    pause(user, paused=False)
    wait(lambda: done() >= world.rows // 2, done)
    interrupted = [row[0] for row in user.execute(INTERRUPTED).fetchall()]
    killed = kill(family(process.pid))
    process.wait()
    again = contestant.start(world, server, url, user)
    try:
        repaired = wait(lambda: user.execute(STILL_OPEN, [interrupted]).fetchone()[0] == 0, done)
        ended = wait(lambda: done() >= world.rows, done)
    finally:
        stop(again)
    return judge("ScraperSky", server, killed, repaired, ended, world.rows - done())


def scrapy(world: World, server: Origin, url: str, user: Connection[Any], *, with_jobdir: bool) -> Crash:
    contestant = Scrapy(1)
    prepare(user, world)
    server.reset()

    def done() -> int:
        return one(user, crawl_scrapy.DONE)

    with tempfile.TemporaryDirectory(prefix="scrapersky-bench-") as directory:
        jobdir = Path(directory) if with_jobdir else None
        with contestant.running(world, server, url, jobdir) as started:
            go(started)
            wait(lambda: done() >= world.rows // 2, done)
            killed = kill([process.pid for process in started])
        with contestant.running(world, server, url, jobdir) as started:
            go(started)
            ended = wait(lambda: all(process.poll() is not None for process in started), done)
    label = "Scrapy with JOBDIR" if with_jobdir else "Scrapy, open rows read again"
    return judge(label, server, killed, killed, ended, world.rows - done())


def judge(label: str, server: Origin, killed: float, repaired: float, ended: float, lost: int) -> Crash:
    visits = server.visits()
    after = [visit.began for visit in visits if visit.began > killed and visit.path != ROBOTS]
    resumed = min(after, default=ended) - killed
    return Crash(label, lost, manners(visits).twice, resumed, repaired - killed, ended - killed)


def measure(options: Options, tell: Callable[[str], None]) -> Section:
    world = World(options.hosts // 5, PAGES, 0.3, 0.5, 1.0, 0, 0, 0, 1, False)
    with origin(world.options, https=False) as server, migrated() as (url, user):
        crashes = []
        tell("crash: ScraperSky")
        crashes.append(ours(world, server, url, user))
        for with_jobdir in (True, False):
            tell("crash: Scrapy")
            crashes.append(scrapy(world, server, url, user, with_jobdir=with_jobdir))
    made = Section(
        f"kill -9 at half of {world.rows:,} pages of {world.hosts} hosts, and a start at once",
        ["", "pages lost", "fetched twice", "next page after", "interrupted pages done after", "all done after"],
        raw={"crashes": [vars(crash) for crash in crashes]},
    )
    for crash in crashes:
        repaired = f"{crash.repaired:.1f} s" if crash.repaired else ""
        cells = [str(crash.lost), str(crash.twice), f"{crash.resumed:.1f} s", repaired, f"{crash.seconds:.1f} s"]
        made.rows.append([crash.label, *cells])
    made.values = {"lost": crashes[0].lost, "twice": crashes[0].twice, "resumed": crashes[0].resumed}
    made.notes = ["Rows of a killed process are given back after SCRAPERSKY_LEASE_SECONDS; others are claimed at once."]
    return made
