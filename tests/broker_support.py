"""The product's own processes around one database and one broker, as an operator would run them."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from dramatiq import Message
from psycopg import Connection

from app.broker import make_broker
from app.config import Settings
from tests.server_support import RabbitMQ, Redis, wait_until

REPOSITORY = Path(__file__).parents[1]
QUEUE = "domain_extraction"
QUICK = {
    "SCRAPERSKY_BEAT_SECONDS": "0.5",
    "SCRAPERSKY_LEASE_SECONDS": "5",
    "SCRAPERSKY_POLL_SECONDS": "0.2",
    "SCRAPERSKY_ECHO_SECONDS": "1",
    "SCRAPERSKY_DRAIN_SECONDS": "3",
    "SCRAPERSKY_THREADS": "4",
    "SCRAPERSKY_METRICS_PORT": "0",
    "SCRAPERSKY_WEB_PORT": "0",
    "SCRAPERSKY_KEEP_SUCCESSES": "true",
}
DOORBELL_ONLY = "3600"
START_SECONDS = 60.0

OUTSIDE = [pytest.param(name, marks=pytest.mark.broker(name)) for name in ("redis", "rabbitmq")]
over_a_broker_outside = pytest.mark.parametrize("system", OUTSIDE, indirect=True)
over_rabbitmq = pytest.mark.parametrize("system", OUTSIDE[1:], indirect=True)

LISTENS = "datname = current_database() and application_name = 'scrapersky listener' and query ~ '^listen'"


@dataclass
class Running:
    process: subprocess.Popen[bytes]
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self, timeout: float = 60) -> int:
        self.process.terminate()
        return self.process.wait(timeout)


class System:
    """Processes log into files, and are stopped in the order of their start when the test ends."""

    def __init__(self, db: Connection[Any], database: str, broker: Redis | RabbitMQ | None, directory: Path) -> None:
        self.db = db
        self.broker = broker
        self.directory = directory
        self.settings = {**QUICK, "DATABASE_URL": database, "BROKER_URL": broker.url if broker else ""}
        self.running: list[Running] = []

    @property
    def outside(self) -> Redis | RabbitMQ:
        assert self.broker is not None
        return self.broker

    def start(self, *arguments: str) -> Running:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPERSKY_")}
        log_file = self.directory / f"{len(self.running)}.log"
        with log_file.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                env={**inherited, **self.settings, "PYTHONPATH": str(REPOSITORY)},
                cwd=self.directory,  # no .env of a developer here
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.running.append(Running(process, log_file))
        return self.running[-1]

    def worker(self) -> Running:
        return self.start("app.worker")

    def listener(self) -> Running | None:
        """Without a broker the workers listen for themselves."""
        return self.start("app.cli", "listen") if self.broker else None

    def wait_for_workers(self, count: int) -> None:
        query = "select count(*) from engine.worker"
        wait_until(lambda: self.one(query) == count, START_SECONDS, f"{count} registered workers")

    def wait_for_listeners(self, count: int) -> None:
        query = f"select count(*) from pg_stat_activity where {LISTENS}"
        wait_until(lambda: self.one(query) == count, START_SECONDS, f"{count} connected listeners")

    def ready(self, workers: int = 1) -> list[Running]:
        """A listener that hears and workers that are registered."""
        self.listener()
        started = [self.worker() for _ in range(workers)]
        self.wait_for_workers(workers)
        self.wait_for_listeners(1 if self.broker else workers)
        return started

    def one(self, query: str) -> Any:
        row = self.db.execute(query.encode()).fetchone()
        return row and row[0]

    def add(self, count: int) -> None:
        """Businesses, each with a website of its own, that nobody has queued yet."""
        self.db.execute(
            "insert into local_businesses (business_name, website_url) "
            "select 'Business ' || number, 'https://www.business-' || gen_random_uuid() || '.com/' "
            "from generate_series(1, %s) as number",
            [count],
        )

    def queue(self, count: int) -> None:
        """One UPDATE over businesses that have not been queued yet."""
        self.db.execute(
            "update local_businesses set domain_extraction_status = 'Queued' where id in "
            "(select id from local_businesses where domain_extraction_status is null limit %s)",
            [count],
        )

    def submit(self, count: int) -> None:
        self.add(count)
        self.queue(count)

    def completed(self) -> int:
        return int(self.one("select count(*) from local_businesses where domain_extraction_status = 'Completed'"))

    def wait_for_completed(self, count: int, timeout: float) -> None:
        wait_until(lambda: self.completed() == count, timeout, f"{count} completed rows")

    def assert_each_ran_once(self, count: int) -> None:
        """Every row has its domain, and exactly one attempt was made for it."""
        assert self.one("select count(*) from domains") == count
        outcomes = "select array_agg(distinct outcome || ' ' || attempt) from engine.attempt"
        assert self.one(outcomes) == ["completed 1"]
        assert self.one("select count(*) from engine.attempt") == count
        assert self.one("select count(distinct pk) from engine.attempt") == count
        assert self.one(f"select count(*) from engine.job where workflow = '{QUEUE}'") == 0

    def kill_process(self, pid: int) -> None:
        """A grandchild: a worker process of a supervisor that we started."""
        os.kill(pid, signal.SIGKILL)

    def nudge(self, times: int) -> None:
        """Nudges that nobody asked for."""
        with contextlib.closing(make_broker(Settings(broker_url=self.outside.url))) as broker:
            for _ in range(times):
                broker.enqueue(Message(queue_name=QUEUE, actor_name=QUEUE, args=(), kwargs={}, options={}))

    def stop(self) -> None:
        living = [one for one in self.running if one.lives]
        for one in living:
            one.process.send_signal(signal.SIGTERM)
        for one in living:
            try:
                one.process.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()
        for one in self.running:  # pytest shows this when the test failed
            sys.stderr.write(f"\n{one.process.args!r} ended with {one.process.returncode}\n{one.log[-3000:]}")


@contextlib.contextmanager
def system_of(db: Connection[Any], database: str, broker: Redis | RabbitMQ | None, directory: Path) -> Iterator[System]:
    # Only the workflow of these tests: the others would go out to websites that nobody has.
    db.execute("update engine.workflow set paused = true where name <> %s", [QUEUE])
    system = System(db, database, broker, directory)
    try:
        yield system
    finally:
        system.stop()
