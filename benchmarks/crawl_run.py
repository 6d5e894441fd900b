"""What every crawl is: rows to begin with, processes that are watched, figures at the end."""

import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from psycopg import Connection

from benchmarks.crawl_log import ROBOTS, Origin, manners
from benchmarks.processes import family, megabytes, processor_seconds

LOOK_SECONDS = 0.25
STANDSTILL_SECONDS = 90.0
COUNTERS = """
select xact_commit + xact_rollback, pg_current_wal_lsn() - '0/0' from pg_stat_database
where datname = current_database()
"""


@dataclass(frozen=True)
class World:
    hosts: int
    pages: int
    latency: float
    spread: float
    pause: float
    missing: float
    errors: float
    stalls: float
    seed: int
    https: bool

    @property
    def options(self) -> dict[str, Any]:
        """What the origin is told."""
        return asdict(self)

    @property
    def scheme(self) -> str:
        return "https" if self.https else "http"

    @property
    def rows(self) -> int:
        return self.hosts * self.pages


@dataclass
class Crawl:
    """The figures of one crawl; those of cost are for one page."""

    label: str
    pages: int
    seconds: float
    rate: float
    steady_rate: float
    cpu: float
    cpu_workers: float
    cpu_parsers: float
    cpu_postgres: float
    cpu_origin: float
    transactions: float
    wal: float
    shortest_pause: float
    median_pause: float
    at_once: int
    in_flight: int
    connections: float
    lost: int
    twice: int
    contacts: int
    memory: float
    over_time: list[tuple[float, int, float]] = field(default_factory=list)
    """Seconds since the start, pages done, memory in MB."""


class Crawler(Protocol):
    label: str

    def crawl(self, world: World, origin: Origin, url: str, user: Connection[Any]) -> Crawl: ...


@dataclass
class Cost:
    """Processor seconds and counters of the server at one moment."""

    workers: float
    parsers: float
    postgres: float
    origin: float
    transactions: int
    wal: int

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(*(mine - its for mine, its in zip(vars(self).values(), vars(other).values(), strict=True)))


class Watch:
    """Looks at a crawl from outside, often enough and not too often, and keeps the costs of looking apart."""

    def __init__(
        self,
        origin: Origin,
        user: Connection[Any],
        workers: Callable[[], list[int]],
        parsers: Callable[[], list[int]] = list,
    ) -> None:
        self.origin, self.user, self.workers, self.parsers = origin, user, workers, parsers
        self.looks = 0  # transactions of the session that looks
        self.over_time: list[tuple[float, int, float]] = []
        self.memory = 0.0
        self.postgres = postmaster(user)

    def cost(self) -> Cost:
        self.user.execute("select pg_stat_force_next_flush()")
        transactions, wal = self.user.execute(COUNTERS).fetchone()
        own = self.looks = self.looks + 1
        self.looks += 1
        return Cost(
            processor_seconds(self.workers()),
            processor_seconds(self.parsers()),
            processor_seconds(family(self.postgres)),
            processor_seconds([self.origin.process.pid]),
            transactions - own,
            int(wal),
        )

    def follow(self, done: Callable[[], int], rows: int, ends_at: int | None = None) -> None:
        """Until so many rows are done; ends also where nothing has been done for a long time."""
        began = moved = time.monotonic()
        sampled, before = 0.0, -1
        while True:
            now, count = time.monotonic(), done()
            self.looks += 1
            if now - sampled >= 1 or count >= (ends_at or rows):
                held = megabytes([*self.workers(), *self.parsers()])
                self.memory, sampled = max(self.memory, held), now
                self.over_time.append((now - began, count, held))
            if count != before:
                moved, before = now, count
            if count >= (ends_at or rows) or now - moved > STANDSTILL_SECONDS:
                self.ended = now
                return
            time.sleep(LOOK_SECONDS)

    def crawl(self, label: str, world: World, cost: Cost, done: int, contacts: int) -> Crawl:
        visits = self.origin.visits()
        polite = manners(visits)
        seconds = self.ended - min(visit.began for visit in visits)
        pages = len({(visit.host, visit.path) for visit in visits if visit.path != ROBOTS and visit.status == 200})
        each = 1000 / max(pages, 1)
        return Crawl(
            label=label,
            pages=pages,
            seconds=seconds,
            rate=pages / seconds,
            steady_rate=steady(sorted(visit.ended for visit in visits if visit.path != ROBOTS)),
            cpu=(cost.workers + cost.parsers + cost.postgres) * each,
            cpu_workers=cost.workers * each,
            cpu_parsers=cost.parsers * each,
            cpu_postgres=cost.postgres * each,
            cpu_origin=cost.origin * each,
            transactions=cost.transactions / max(pages, 1),
            wal=cost.wal / max(pages, 1),
            shortest_pause=polite.shortest_pause,
            median_pause=polite.median_pause,
            at_once=polite.at_once,
            in_flight=polite.in_flight,
            connections=polite.connections / len(visits),
            lost=world.rows - done,
            twice=polite.twice,
            contacts=contacts,
            memory=self.memory,
            over_time=self.over_time,
        )


def steady(ends: list[float]) -> float:
    """Pages per second between the first and the last tenth, where nothing starts up and nothing runs dry."""
    first, last = len(ends) // 10, len(ends) * 9 // 10
    return (last - first) / (ends[last] - ends[first]) if last > first else 0.0


def postmaster(user: Connection[Any]) -> int:
    """The process id of the server, which is the parent of every session."""
    stat = Path(f"/proc/{user.info.backend_pid}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


def stop(process: subprocess.Popen[Any]) -> None:
    process.terminate()
    process.wait()
