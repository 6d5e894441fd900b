"""How many rows a worker process began and ended, minute by minute: counted in memory, written once a beat, for plots.

No row's transaction knows of it. A process that is killed takes at most one beat of its counts with it: they are
figures for people, while what is owed and what is done stands in the rows.
"""

import logging
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

import psycopg

from app.logs import event
from db.connections import Pool
from db.statements import statements

log = logging.getLogger(__name__)
SQL = statements("liveness.sql")

LONGEST_WAIT = 2.0
OUTCOMES = ("completed", "retried", "failed")


@dataclass
class Counted:
    completed: int = 0
    retried: int = 0
    failed: int = 0
    other: int = 0
    worked: float = 0.0
    started: int = 0
    waited: float = 0.0
    longest: float = 0.0

    def add(self, more: "Counted") -> None:
        for name, value in asdict(more).items():
            mine = getattr(self, name)
            setattr(self, name, max(mine, value) if name == "longest" else mine + value)


class Rates:
    def __init__(self, pool: Pool, interval: timedelta) -> None:
        self._pool = pool
        self._interval = interval.total_seconds()
        self._lock = threading.Lock()
        self._workflows: dict[str, Counted] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write_on, name="rates", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self.write()

    def started(self, workflow: str, waits: Sequence[float]) -> None:
        """Rows were claimed that had waited so many seconds."""
        if not waits:
            return
        waited = [max(0.0, wait) for wait in waits]
        with self._lock:
            counted = self._of(workflow)
            counted.started += len(waited)
            counted.waited += sum(waited)
            counted.longest = max(counted.longest, *waited)

    def worked(self, workflow: str, seconds: float) -> None:
        with self._lock:
            self._of(workflow).worked += seconds

    def ended(self, workflow: str, verdict: str, rows: int) -> None:
        outcome = verdict if verdict in OUTCOMES else "other"
        with self._lock:
            counted = self._of(workflow)
            setattr(counted, outcome, getattr(counted, outcome) + rows)

    def write(self) -> None:
        """Into the database; with that away, the counts wait for the next time."""
        with self._lock:
            taken, self._workflows = self._workflows, {}
        if not taken:
            return
        rows = [asdict(counted) for counted in taken.values()]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        try:
            with self._pool.connection(timeout=LONGEST_WAIT) as connection:
                connection.execute(SQL["add_rates"], {"workflow": list(taken), **columns})
        except psycopg.Error as error:
            event(log, logging.DEBUG, "rates.delayed", error=str(error))
            with self._lock:
                for workflow, counted in taken.items():
                    self._of(workflow).add(counted)

    def _write_on(self) -> None:
        while not self._stop.wait(self._interval):
            self.write()

    def _of(self, workflow: str) -> Counted:
        if workflow not in self._workflows:
            self._workflows[workflow] = Counted()
        return self._workflows[workflow]
