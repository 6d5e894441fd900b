"""Starts child processes, restarts those that die, and gives back at once what a dead worker held."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from uuid import uuid4

import psycopg

from app.counter_files import fold
from app.logs import event
from app.sweeper import Sweeper
from db.outcomes import Released

log = logging.getLogger(__name__)

TICK_SECONDS = 0.05
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
HEALTHY_SECONDS = 30.0


@dataclass
class Child:
    name: str
    arguments: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = SHORTEST_PAUSE
    restart_at: float = 0.0


@dataclass
class Supervisor:
    """Children live in sessions of their own: Ctrl-C reaches only the supervisor, which then drains them."""

    children: list[Child]
    environment: dict[str, str]
    sweeper: Sweeper
    identity: str = field(default_factory=lambda: str(uuid4()))
    _signals: int = 0
    _unburied: list[int] = field(default_factory=list)

    def run(self, ready: Callable[[], None] = lambda: None) -> int:
        """Until a signal. The first one drains, a second one stops at once."""
        signal.signal(signal.SIGINT, self._on_signal)
        signal.signal(signal.SIGTERM, self._on_signal)
        for child in self.children:
            self._start(child)
        ready()
        while not self._signals:
            for child in self.children:
                self._look_after(child)
            self._bury()
            time.sleep(TICK_SECONDS)
        return self._stop()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    def _start(self, child: Child) -> None:
        ours = {"SCRAPERSKY_SUPERVISOR": self.identity, "SCRAPERSKY_SUPERVISOR_PID": str(os.getpid())}
        child.process = subprocess.Popen(  # noqa: S603 - our own modules
            [sys.executable, "-m", *child.arguments],
            env=self.environment | ours,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
        )
        child.started = time.monotonic()

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.restart_at:
                self._start(child)
            return
        code = child.process.poll()
        if code is None:
            return
        if now - child.started > HEALTHY_SECONDS:
            child.pause = SHORTEST_PAUSE
        event(log, logging.ERROR, "process.died", process=child.name, pid=child.process.pid, code=code)
        fold(child.process.pid)
        self._unburied.append(child.process.pid)
        child.process, child.restart_at = None, now + child.pause
        child.pause = min(LONGEST_PAUSE, child.pause * 2)

    def _bury(self, outcome: Released | None = None) -> None:
        """Rows of a dead child go back to the queue; with the database away, as soon as it is there again."""
        for pid in list(self._unburied):
            try:
                rows = self.sweeper.bury_child(self.identity, pid, outcome)
            except psycopg.Error as error:
                event(log, logging.WARNING, "burial.delayed", pid=pid, error=str(error))
                return
            self._unburied.remove(pid)
            event(log, logging.INFO, "process.buried", pid=pid, rows=rows)

    def _stop(self) -> int:
        event(log, logging.INFO, "supervisor.draining", hint="once more to stop at once")
        living = [child.process for child in self.children if child.process is not None]
        for process in living:
            process.terminate()
        while any(process.poll() is None for process in living) and self._signals == 1:
            time.sleep(TICK_SECONDS)
        for process in living:
            if process.poll() is None:
                process.kill()
                process.wait()
            if process.returncode:  # killed, or stopped while it started: it may be registered still
                self._unburied.append(process.pid)
        self._bury(Released())
        return 0 if self._signals == 1 else 130


def is_child() -> bool:
    return "SCRAPERSKY_SUPERVISOR" in os.environ


def supervisor_pid() -> int:
    """Told by the supervisor: when it dies while we start, our parent is already somebody else."""
    return int(os.environ.get("SCRAPERSKY_SUPERVISOR_PID") or os.getppid())


def exit_with_parent(stop: Callable[[], None]) -> None:
    """For children that are not workers: when the supervisor is gone, go too."""
    if not is_child():
        return
    parent = supervisor_pid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        stop()

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
