"""Starts child processes, replaces those that die or freeze, and gives back at once what such a worker held."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from uuid import uuid4

import psycopg

from app import metrics
from app.counter_files import fold
from app.logs import event
from app.pulse import PulseReader
from app.sweeper import Observer, Sweeper
from db.outcomes import Released

log = logging.getLogger(__name__)

TICK_SECONDS = 0.05
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
HEALTHY_SECONDS = 30.0
LAST_WORDS_SECONDS = 0.3


@dataclass
class Child:
    name: str
    arguments: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    pulse: PulseReader | None = None
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

    def __post_init__(self) -> None:
        self._observer: Observer[int] = Observer(self.sweeper.settings.lease, self.sweeper.settings.beat)

    def run(self, ready: Callable[[], None] = lambda: None) -> int:
        """Until a signal. The first one drains, a second one stops at once."""
        signal.signal(signal.SIGINT, self._on_signal)
        signal.signal(signal.SIGTERM, self._on_signal)
        for child in self.children:
            self._start(child)
        ready()
        while not self._signals:
            self._end_frozen()
            for child in self.children:
                self._look_after(child)
            self._bury()
            time.sleep(TICK_SECONDS)
        return self._stop()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    def _start(self, child: Child) -> None:
        ours = {"SCRAPERSKY_SUPERVISOR": self.identity, "SCRAPERSKY_SUPERVISOR_PID": str(os.getpid())}
        pulse = PulseReader()
        environment = {**self.environment, **ours, **pulse.environment(self.sweeper.settings.beat)}
        child.process = self._spawn(child, environment, pulse.writer)
        pulse.let_go()
        child.pulse = pulse
        child.started = time.monotonic()

    def _spawn(self, child: Child, environment: dict[str, str], pulse: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - our own modules
            # -P: the working directory may hold an app.py or a db/ of the user's.
            [sys.executable, "-P", "-m", *child.arguments],
            env=environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            pass_fds=[pulse],
        )

    def _end_frozen(self) -> None:
        """Kill the children that live and have not beaten for a lease; then they are dead like any other."""
        living = {child.process.pid: child for child in self.children if child.process and child.pulse}
        beats = {pid: child.pulse.count() for pid, child in living.items() if child.pulse}
        # One that has not begun to beat still imports, or waits for its turn on a busy machine.
        frozen = self._observer.dead({pid: count for pid, count in beats.items() if count})
        for pid in frozen:
            self._signal(living[pid], signal.SIGQUIT)
        if frozen:
            time.sleep(LAST_WORDS_SECONDS)  # its stacks go to the log, unless it was stopped
        for pid, count in frozen.items():
            child = living[pid]
            if child.pulse and child.pulse.count() == count and self._signal(child, signal.SIGKILL):
                event(log, logging.ERROR, "process.frozen", process=child.name, pid=pid)
                metrics.gave_up.labels("frozen").inc()
                self._stop_watching(child)

    def _signal(self, child: Child, number: signal.Signals) -> bool:
        """Whether it was there to get the signal."""
        if child.process is None or child.process.poll() is not None:
            return False
        os.kill(child.process.pid, number)
        return True

    def _stop_watching(self, child: Child) -> None:
        if child.pulse is not None:
            child.pulse.close()
            child.pulse = None

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
        self._stop_watching(child)
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
            self._end_frozen()
            time.sleep(TICK_SECONDS)
        for process in living:
            if process.poll() is None:
                process.kill()
                process.wait()
            if process.returncode:  # killed, or stopped while it started: it may be registered still
                self._unburied.append(process.pid)
        self._bury(Released())
        return 0 if self._signals == 1 else 130
