"""The system under fire: a Postgres of its own, brokers, supervisors with their children, and the way to each."""

import contextlib
import multiprocessing
import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import Connection

from actors.registry import WORKFLOWS
from app.config import Settings
from db.embedded import EmbeddedPostgres
from db.migrate import migrate
from tests.chaos.commit_proxy import CommitProxy
from tests.chaos.family import supervise
from tests.chaos.proxy import Proxy
from tests.chaos.workload import chaos_workflow
from tests.process_support import clean_environment
from tests.samples import create_sample_tables
from tests.server_support import RabbitMQ, Redis

# Quick enough for many leases in a minute, slow enough to leave two cores some time for rows.
SETTINGS = {
    "SCRAPERSKY_THREADS": "2",
    "SCRAPERSKY_POLL_SECONDS": "0.3",
    "SCRAPERSKY_ECHO_SECONDS": "1",
    "SCRAPERSKY_SWEEP_SECONDS": "2",
}
# Processes are killed here, not machines: what the kernel has been given is safe, and the disk need not be waited for.
POSTGRES_SETTINGS = "max_connections = 300\nlog_min_messages = fatal\nfsync = off\n"
LEASE_SECONDS = 1.0

FROZEN = re.compile(r" process\.frozen .*pid=(\d+)")

Broker = Redis | RabbitMQ


class Member(NamedTuple):
    """A process of a family, as the kernel tells it."""

    pid: int
    role: str
    supervisor: int


@dataclass
class Family:
    """A supervisor and its children, around one broker."""

    name: str
    environment: Mapping[str, str]
    log: Path
    process: BaseProcess | None = None
    births: int = 0

    @property
    def lives(self) -> bool:
        return self.process is not None and self.process.is_alive()

    def start(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.chaos.family"])
        self.process = context.Process(target=supervise, args=(self.environment, self.log))
        self.process.start()
        self.births += 1

    def members(self) -> list[Member]:
        if self.process is None or self.process.pid is None:
            return []
        supervisor = self.process.pid
        try:
            children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
        except FileNotFoundError:
            return []
        found = [Member(supervisor, "supervisor", supervisor)]
        for child in children:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                role = Path(f"/proc/{child}/comm").read_text().strip()
                if role in {"worker", "sweeper", "listener"}:  # else it was forked this very moment
                    found.append(Member(int(child), role, supervisor))
        return found


@dataclass
class System:
    postgres: EmbeddedPostgres
    proxy: Proxy
    commits: CommitProxy
    """The way of the first family to the database: commits get lost there."""
    directory: Path
    brokers: list[Broker]
    families: list[Family] = field(default_factory=list)
    is_up: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return self.postgres.url

    def connect(self, name: str, **options: Any) -> Connection[Any]:
        return psycopg.connect(self.url, application_name=f"chaos {name}", connect_timeout=5, **options)

    def add_family(self, broker: Broker | None, workers: int) -> None:
        name = type(broker).__name__.lower() if broker else "in-process"
        environment = clean_environment(
            DATABASE_URL=self.url if self.families else self.commits.url(self.url),
            LISTEN_DATABASE_URL=f"postgresql://scrapersky@127.0.0.1:{self.proxy.port}/scrapersky?sslmode=disable",
            BROKER_URL=broker.url if broker else "",
            SCRAPERSKY_PROCESSES=str(workers),
            PROMETHEUS_MULTIPROC_DIR=str(self.directory),
            **SETTINGS,
        )
        log = self.directory / f"{len(self.families) + 1}-{name}.log"
        self.families.append(Family(name, environment, log))

    def members(self) -> list[Member]:
        return [member for family in self.families for member in family.members()]

    def revive(self) -> None:
        """Start the supervisors that are not there: the init system's part."""
        for family in self.families:
            if not family.lives:
                family.start()

    def crash_postgres(self) -> None:
        """No farewell to anybody; what was committed comes back from the log."""
        self.is_up.clear()
        self.postgres.control("stop", "-m", "immediate")
        self.postgres.control("start")
        self.is_up.set()

    def replaced(self) -> list[int]:
        """The process ids of the children that their supervisors killed because they stood still."""
        lines = (line for family in self.families if family.births for line in family.log.open(errors="replace"))
        return [int(found[1]) for line in lines if (found := FROZEN.search(line))]

    def log_lines(self, event: str) -> int:
        return sum(
            family.log.read_text(errors="replace").count(f" {event} ") for family in self.families if family.births
        )

    def stop(self) -> None:
        """Ask the supervisors, who drain their children; kill by id what is left."""
        for member in self.members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(member.pid, signal.SIGCONT)
        living = [family.process for family in self.families if family.process is not None and family.lives]
        for process in living:
            process.terminate()
        deadline = time.monotonic() + 15
        for process in living:
            process.join(max(0.1, deadline - time.monotonic()))
        for member in self.members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(member.pid, signal.SIGKILL)


@contextlib.contextmanager
def system_with(brokers: list[str], workers: int) -> Iterator[System]:
    """A family for each broker, three if there is only one, each with so many workers; nothing is started yet."""
    home = Path(tempfile.mkdtemp(prefix="scrapersky-chaos-"))
    home.chmod(0o711)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        postgres = EmbeddedPostgres(home)
        stack.enter_context(postgres.use())
        _configure(postgres)
        create_sample_tables(postgres.url)
        migrate(postgres.url, [*WORKFLOWS, chaos_workflow()], Settings().default_tenant_id)
        proxy = stack.enter_context(Proxy(postgres.sockets / ".s.PGSQL.5432"))
        commits = stack.enter_context(CommitProxy(postgres.sockets / ".s.PGSQL.5432"))
        makers = {"redis": Redis, "rabbitmq": RabbitMQ}
        servers = {name: stack.enter_context(makers[name]()) for name in brokers if name in makers}
        system = System(postgres, proxy, commits, home, list(servers.values()))
        for name in brokers if len(brokers) > 1 else brokers * 3:
            system.add_family(servers.get(name), workers)
        system.is_up.set()
        stack.callback(system.stop)
        yield system


def _configure(postgres: EmbeddedPostgres) -> None:
    configuration = postgres.data / "postgresql.conf"
    with configuration.open("a") as settings:
        settings.write(POSTGRES_SETTINGS)
    postgres.control("restart", "-m", "fast")
