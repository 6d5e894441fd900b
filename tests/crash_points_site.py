"""Where processes are killed on purpose: one database, a process that forks the victims, and healthy hands."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Any
from uuid import uuid4

import psycopg
from dramatiq.brokers.stub import StubBroker
from psycopg import Connection

from actors._workflow import Workflow
from app.broker import Nudger
from app.config import Settings
from app.deadline import Watchdog
from app.dispatcher import Dispatcher
from app.heart import Heart
from app.in_flight import InFlight
from app.late import LateRecords
from app.quarantine import Quarantine
from app.rates import Rates
from app.runner import Runner, Surroundings
from app.sweeper import Sweeper
from app.tools import Toolbox, parser_pool, web_client
from db.connections import open_pool
from tests.crash_points_rows import fates
from tests.process_support import REPOSITORY, clean_environment, wait_until

PATIENCE_SECONDS = 30.0
SUPERVISOR = str(uuid4())
UNFINISHED = "select count(*) from samples where status in ('Queued', 'Processing')"
EMPTY = """
truncate samples, findings, engine.job, engine.pace, engine.usage, engine.attempt, engine.submission,
    engine.sweep_position;
delete from engine.worker where pid <> %(pid)s;
update engine.workflow set paused = false where name = 'sampling';
"""
QUICKLY = {
    "SCRAPERSKY_SUPERVISOR": SUPERVISOR,
    "SCRAPERSKY_THREADS": "1",
    "SCRAPERSKY_BEAT_SECONDS": "0.05",
    "SCRAPERSKY_LEASE_SECONDS": "0.15",
    "SCRAPERSKY_POLL_SECONDS": "0.05",
    "SCRAPERSKY_ECHO_SECONDS": "0.2",
    "SCRAPERSKY_CRAWL_PAUSE_SECONDS": "0.005",
}


@dataclass
class CrashSite:
    workflow: Workflow
    user: Connection[Any]
    runner: Runner
    sweeper: Sweeper
    victims: subprocess.Popen[str]

    def clean_up(self) -> None:
        for statement in EMPTY.split(";")[:-1]:
            self.user.execute(statement.encode(), {"pid": os.getpid()} if "pid" in statement else None)

    def crash(self, role: str, point: str, times: int, *, stopped: bool = False) -> None:
        """Let a process run until it dies at the point; stopped: it is asked to leave when all rows are done."""
        orders, answers = self._pipes()
        print(json.dumps({"role": role, "point": point, "times": times}), file=orders, flush=True)
        pid = int(answers.readline())
        killer = threading.Timer(PATIENCE_SECONDS, os.kill, [pid, signal.SIGTERM])
        killer.start()
        if stopped:
            wait_until(lambda: self._number(UNFINISHED) == 0, PATIENCE_SECONDS)
            os.kill(pid, signal.SIGTERM)
        status = int(answers.readline())
        killer.cancel()
        assert os.WIFSIGNALED(status), f"{point} was not reached {times} times: ended with {status}"
        assert os.WTERMSIG(status) == signal.SIGKILL
        self.sweeper.bury_child(SUPERVISOR, pid)

    def heal(self) -> None:
        """A healthy worker and a healthy sweeper, until there is nothing left to do."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.sweeper.sweep(self.workflow.name, whole=True).repairs or self._number(UNFINISHED):
            assert time.monotonic() < deadline, f"still unfinished: {fates(self.user)}"
            self.sweeper.watch()
            self.runner.nudge()
            if isinstance(self.runner, Dispatcher):
                self.runner.drain()
        assert self._number("select count(*) from engine.job where token is not null or not dead") == 0

    def _number(self, query: str) -> int:
        found = self.user.execute(query.encode()).fetchone()
        return int(found[0]) if found else 0

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self.victims.stdin is not None
        assert self.victims.stdout is not None
        return self.victims.stdin, self.victims.stdout


@contextmanager
def crash_site(url: str, workflow: Workflow, *, polite: bool) -> Iterator[CrashSite]:
    with ExitStack() as stack:
        user = stack.enter_context(psycopg.connect(url, autocommit=True))
        settings = Settings(database_url=url, beat="0.05", lease="0.15", crawl_pause="0.005")
        pool = open_pool(url, size=2, name="test")
        stack.callback(pool.close)
        heart = Heart(settings.beat)
        heart.start(url)
        stack.callback(heart.stop)
        watchdog = Watchdog()
        watchdog.start()
        stack.callback(watchdog.stop)
        client = stack.enter_context(web_client(settings, pool))
        around = Surroundings(
            pool=pool,
            heart=heart,
            watchdog=watchdog,
            nudger=Nudger(StubBroker(), [workflow.name]),
            late=LateRecords(pool, heart),
            draining=threading.Event(),
            quarantine=Quarantine(),
            time_slice=timedelta(seconds=5),
            keep_successes=False,
            created_by=None,
            toolbox=stack.enter_context(Toolbox(settings, client, parser_pool(settings))),
            rates=Rates(pool, settings.beat),
        )
        victims = stack.enter_context(_victims(url, polite=polite))
        rows = stack.enter_context(ThreadPoolExecutor(64))
        runner = Dispatcher(workflow, around, InFlight(64), rows) if polite else Runner(workflow, around, threads=1)
        yield CrashSite(workflow, user, runner, Sweeper(pool, [workflow], settings), victims)


@contextmanager
def _victims(url: str, *, polite: bool) -> Iterator[subprocess.Popen[str]]:
    environment = clean_environment(DATABASE_URL=url, **QUICKLY, **({"CRASH_POLITELY": "yes"} if polite else {}))
    command = [sys.executable, "-m", "tests.crash_points_process"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, cwd=REPOSITORY, stdin=pipe, stdout=pipe, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
