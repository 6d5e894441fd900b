"""One chaos run: start everything, let users and the nemesis loose, heal, wait until it is quiet, ask the checker."""

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

import psycopg
from psycopg import Connection

from tests.chaos import ledger
from tests.chaos.checker import check
from tests.chaos.faults import Nemesis
from tests.chaos.ledger import Note
from tests.chaos.plan import plan
from tests.chaos.progress import Progress
from tests.chaos.promises import Promises
from tests.chaos.recovery import measure
from tests.chaos.system import LEASE_SECONDS, System, system_with
from tests.chaos.users import Shared, User
from tests.chaos.verdict import Verdict
from tests.chaos.workload import LIMITS

PROMISES = Promises(
    max_attempts=LIMITS["max_attempts"], max_lost=LIMITS["max_lost"], lease=timedelta(seconds=LEASE_SECONDS)
)

START_SECONDS = 60.0
QUIET_SECONDS = 120.0
LOOK_SECONDS = 1.0

FIGURES = """
select (select count(*) from samples), (select count(*) from effects), (select count(*) from engine.worker),
       (select count(*) from engine.job where token is null and not dead), (select count(*) from engine.job where dead)
"""
UNFINISHED = """
select (select count(*) from samples where status in ('Queued', 'Processing'))
     + (select count(*) from engine.job where not dead)
"""


@dataclass(frozen=True)
class Options:
    minutes: float
    seed: int
    brokers: Sequence[str]
    workers: int = 4
    users: int = 4
    most_waiting: int = 1000
    pause: float = 0.1
    intensity: float = 1.0


@dataclass
class Outcome:
    """What a run came to; the verdict is the checker's."""

    options: Options
    verdict: Verdict
    is_quiet: bool
    seconds: float
    faults: Counter[str]
    acts: Counter[str]
    broken: list[str]
    recovery: Sequence[float]
    """Seconds from a kill -9 until a row was given back, where the kill was the only trouble."""
    replaced: int
    """Children that stood still and were killed by their supervisors."""


class Watch:
    """Looks at the database from outside, through outages."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.figures: dict[str, int] = {}
        self._connection: Connection[Any] | None = None

    def look(self) -> dict[str, int]:
        if row := self.ask(FIGURES):
            names = ("rows", "effects", "workers registered", "jobs waiting", "dead letters")
            self.figures = dict(zip(names, row, strict=True))
        return self.figures

    def ask(self, query: str) -> tuple[Any, ...] | None:
        try:
            self._connection = self._connection or self.system.connect("watch", autocommit=True)
            return self._connection.execute(query.encode()).fetchone()
        except psycopg.Error:
            self.close()
            return None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class Look(Protocol):
    """What a longer run wants to see of the system while it runs, and when it is quiet again."""

    def __call__(self, system: System, watch: Watch, *, at_the_end: bool) -> None: ...


def run(options: Options, progress: Progress, interrupted: threading.Event, look: Look | None = None) -> Outcome:
    with system_with(list(options.brokers), options.workers) as system:
        watch = Watch(system)
        with system.connect("ledger", autocommit=True) as connection:
            ledger.install(connection)
        system.revive()
        _wait_for_workers(watch, progress)
        began = time.monotonic()
        seconds = options.minutes * 60
        planned = plan(options.seed, seconds, with_brokers=bool(system.brokers), intensity=options.intensity)
        nemesis = Nemesis(system, planned)
        shared = Shared(options.most_waiting, options.pause)
        users = [User(system, shared, number + 1, options.seed) for number in range(options.users)]
        for thread in (nemesis, *users):
            thread.start()
        while time.monotonic() < began + seconds and not interrupted.wait(LOOK_SECONDS):
            system.revive()
            figures = watch.look()
            shared.waiting = figures.get("jobs waiting", 0)
            if look is not None:
                look(system, watch, at_the_end=False)
            progress.show(f"{time.monotonic() - began:.0f} of {seconds:.0f} s", figures | dict(nemesis.done))
        system.stopping.set()
        for user in users:
            user.join()
        nemesis.heal()
        lasted = time.monotonic() - began
        is_quiet = _wait_until_quiet(watch, progress)
        if look is not None:
            look(system, watch, at_the_end=True)
        watch.close()
        system.stop()
        replaced = system.replaced()
        stopped = {note.pid for note in nemesis.notes if note.kind == "freeze"}
        alive = [f"process {pid} was killed as frozen, and it was not" for pid in replaced if pid not in stopped]
        notes = [*nemesis.notes, *(Note("failure", text=text) for text in shared.failed)]
        notes += [Note("refused") for _ in range(system.log_lines("row.stale"))]
        with system.connect("ledger", autocommit=True) as connection:
            ledger.write_notes(connection, notes)
            verdict = check(ledger.read(connection), PROMISES, is_quiet=is_quiet)
            recovery = measure(connection, nemesis.kills, nemesis.troubles)
        broken = nemesis.broken + alive
        return Outcome(options, verdict, is_quiet, lasted, nemesis.done, shared.done, broken, recovery, len(replaced))


def _wait_for_workers(watch: Watch, progress: Progress) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not watch.look().get("workers registered"):
        progress.show("starting", watch.figures)
        if time.monotonic() > deadline:
            raise TimeoutError(f"no worker has registered within {START_SECONDS:g} s")
        time.sleep(LOOK_SECONDS)


def _wait_until_quiet(watch: Watch, progress: Progress) -> bool:
    """Whether everything that is wanted was done in time."""
    deadline = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < deadline:
        left = watch.ask(UNFINISHED)
        if left == (0,):
            return True
        progress.show("waiting until it is quiet", {"unfinished": left[0] if left else 0} | watch.look())
        time.sleep(LOOK_SECONDS)
    return False
