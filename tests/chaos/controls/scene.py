"""A small run with a ledger: users who say what they intend, real worker processes, a sweeper of our choice."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import psycopg
from psycopg import Connection

from actors.registry import WORKFLOWS
from app.config import Settings
from app.sweeper import Sweeper
from db.connections import Pool, open_pool
from db.migrate import migrate
from tests.chaos.checker import check
from tests.chaos.controls.traces import create_trace_table, traced_workflow
from tests.chaos.ledger import Note, install, intend, read, write_notes
from tests.chaos.promises import Promises
from tests.chaos.verdict import Verdict
from tests.process_support import Processes, Started, registered, wait_for_workers, wait_until
from tests.samples import create_sample_tables

NUMBERS = count(1)


def prepare(url: str) -> None:
    """The tables of the workload, the engine's triggers, and the ledger around both."""
    create_sample_tables(url)
    create_trace_table(url)
    migrate(url, [*WORKFLOWS, traced_workflow()], Settings().default_tenant_id)
    with psycopg.connect(url, autocommit=True) as connection:
        install(connection, effects="traces")


@dataclass
class Scene:
    url: str
    processes: Processes
    settings: Settings
    pool: Pool
    workers: list[Started] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def connect(self) -> Connection[Any]:
        return psycopg.connect(self.url, autocommit=True, application_name="chaos user")

    def queue(self, number: int, action: str = "find", *, past_the_triggers: bool = False) -> None:
        names = [f"scene {next(NUMBERS)}" for _ in range(number)]
        query = "insert into samples (name, action, status) select unnest(%s::text[]), %s, 'Queued' returning id::text"
        with self.connect() as connection, connection.transaction():
            if past_the_triggers:
                connection.execute("set local session_replication_role = replica")
            pks = [pk for (pk,) in connection.execute(query, [names, action]).fetchall()]
            intend(connection, pks, "queue")

    def start_worker(self, **environment: str) -> Started:
        """DATABASE_URL may lead to the scene's database by a way of its own."""
        worker = self._start("tests.chaos.controls.worker", environment)
        with self.connect() as connection:
            wait_for_workers(connection, worker)
        return worker

    def start_supervisor(self, **environment: str) -> Started:
        """With one worker of one thread."""
        supervisor = self._start("tests.chaos.controls.up", {"SCRAPERSKY_THREADS": "1"} | environment)
        with self.connect() as connection:
            wait_until(lambda: registered(connection))
        return supervisor

    def _start(self, module: str, environment: dict[str, str]) -> Started:
        seconds = {"SCRAPERSKY_BEAT_SECONDS": self.settings.beat, "SCRAPERSKY_LEASE_SECONDS": self.settings.lease}
        given = {name: f"{value.total_seconds():g}" for name, value in seconds.items()} | environment
        started = self.processes.start(module, **{"DATABASE_URL": self.url, "SCRAPERSKY_THREADS": "4", **given})
        self.workers.append(started)
        return started

    def freeze(self, worker: Started) -> None:
        self.notes.append(Note("freeze", worker.pid))
        worker.send(signal.SIGSTOP)

    def thaw(self, worker: Started) -> None:
        worker.send(signal.SIGCONT)
        self.notes.append(Note("thaw", worker.pid))

    def sweeper(self, kind: type[Sweeper]) -> Sweeper:
        return kind(self.pool, [traced_workflow()], self.settings)

    def value(self, query: str, *arguments: Any) -> Any:
        with self.connect() as connection:
            row = connection.execute(query.encode(), arguments).fetchone()
        return row[0] if row else None

    def statuses(self) -> set[str]:
        with self.connect() as connection:
            return {status for (status,) in connection.execute("select distinct status from samples").fetchall()}

    def claimed(self) -> int:
        return int(self.value("select count(*) from engine.job where token is not null"))

    def refused(self) -> int:
        return sum(worker.output().count("row.stale") for worker in self.workers)

    def is_written_or_refused(self, results: int) -> bool:
        """Whether so many runs have brought their result."""
        return int(self.value("select count(*) from traces")) + self.refused() == results

    def verdict(self) -> Verdict:
        self.notes += [Note("refused")] * self.refused()
        with self.connect() as connection:
            write_notes(connection, self.notes)
            self.notes.clear()
            return check(read(connection), Promises(lease=self.settings.lease))


@contextmanager
def open_scene(url: str, processes: Processes, **seconds: Any) -> Iterator[Scene]:
    settings = Settings(database_url=url, metrics_port=0, **seconds)
    with closing(open_pool(url, size=2, name="sweeper", timeout=1)) as pool:
        yield Scene(url, processes, settings, pool)


def watch(sweeper: Sweeper) -> Sequence[Any]:
    """One look at the workers; a database that is away costs a look."""
    with suppress(psycopg.Error):
        return sweeper.watch()
    return []
