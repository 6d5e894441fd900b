"""Real processes for tests: start them with settings by environment, wait for what they do, end them by their id."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from psycopg import Connection

REPOSITORY = Path(__file__).resolve().parents[1]

QUICK = {
    "SCRAPERSKY_BEAT_SECONDS": "0.2",
    "SCRAPERSKY_LEASE_SECONDS": "1",
    "SCRAPERSKY_POLL_SECONDS": "0.2",
    "SCRAPERSKY_ECHO_SECONDS": "0.5",
    "SCRAPERSKY_DRAIN_SECONDS": "3",
    "SCRAPERSKY_SWEEP_SECONDS": "1",
    "SCRAPERSKY_METRICS_PORT": "0",
    "SCRAPERSKY_WEB_PORT": "0",
}
SERVER_PORTS = (20_000, 32_000)
INHERITED = ("PATH", "HOME", "TMPDIR", "LANG", "CI")

Value = TypeVar("Value")

OPEN_TRANSACTIONS = """
select count(*) from pg_stat_activity
where datname = current_database() and application_name like 'scrapersky %%' and xact_start <= %s
"""


def wait_until(condition: Callable[[], Value], timeout: float = 60) -> Value:
    """Ask every 20 ms until the answer is true, and return it; fail with the last answer when the time is over."""
    deadline = time.monotonic() + timeout
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"still {answer!r} after {timeout:g} s"
        time.sleep(0.02)
    return answer


def wait_for_open_transactions(user: Connection[Any]) -> None:
    """Until every transaction of ours that is open now has ended: it may have begun before the latest order."""
    (now,) = user.execute("select clock_timestamp()").fetchone() or (None,)
    wait_until(lambda: user.execute(OPEN_TRANSACTIONS, [now]).fetchone() == (0,))


def stays(condition: Callable[[], object], seconds: float) -> bool:
    """Whether the condition holds all the time; for what must not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not condition():
            return False
        time.sleep(0.02)
    return True


def free_port() -> int:
    """Below the ports that outgoing connections are given.

    A client that keeps knocking at one of those while its server is away is given it one day, meets itself there, and
    the server can not come back.
    """
    while True:
        port = random.SystemRandom().randrange(*SERVER_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def clean_environment(**given: str) -> dict[str, str]:
    """Quick settings and what is given; no setting of the caller leaks in."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return {**inherited, "PYTHONPATH": str(REPOSITORY), **QUICK, **given}


@dataclass
class Started:
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """No farewell: what the OOM killer leaves."""
        self.process.kill()
        self.process.wait()

    def exit_code(self, timeout: float = 60) -> int:
        return self.process.wait(timeout)

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def children(self) -> list[int]:
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [int(child) for child in found]


@dataclass
class Processes:
    """Starts programs in a directory of their own, where no `.env` lies, and ends them all."""

    directory: Path
    started: list[Started] = field(default_factory=list)

    def start(self, *arguments: str, **environment: str) -> Started:
        """Run a module: `start("tests.sample_worker", DATABASE_URL=url)`."""
        return self.run_program(sys.executable, "-m", *arguments, **environment)

    def run_program(self, *command: str, **environment: str) -> Started:
        log = self.directory / f"{len(self.started) + 1}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                command,
                env=clean_environment(**environment),
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.started.append(Started(process, log))
        return self.started[-1]

    def end_all(self) -> None:
        """Ask first, so that supervisors end their children; what they said is shown when the test failed."""
        for one in self.started:
            if one.process.poll() is None:
                one.send(signal.SIGCONT)
                one.send(signal.SIGTERM)
        for one in self.started:
            try:
                one.exit_code(timeout=15)
            except subprocess.TimeoutExpired:
                # Its frozen children first: nobody would end them after it.
                for child in one.children():
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                one.kill()
            print(f"--- {one.process.args!r} ended with {one.process.returncode}\n{one.output()}")  # noqa: T201 - pytest shows it


@contextmanager
def processes_in(directory: Path) -> Iterator[Processes]:
    processes = Processes(directory)
    try:
        yield processes
    finally:
        processes.end_all()


def registered(db: Connection[Any]) -> list[int]:
    """The process ids of all registered workers."""
    return [pid for (pid,) in db.execute("select pid from engine.worker order by started_at").fetchall()]


def wait_for_workers(db: Connection[Any], *workers: Started) -> None:
    """All of them have registered; fail at once when one has died instead."""

    def all_there() -> bool:
        dead = [worker.output() for worker in workers if worker.process.poll() is not None]
        assert not dead, f"ended before it registered:\n{dead[0]}"
        return {worker.pid for worker in workers} <= set(registered(db))

    wait_until(all_there)


class Ledger:
    """What the sample workflow wrote down: when runs of a row began and ended, and in which process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def clear(self) -> None:
        self.path.write_text("")

    def lines(self, name: str) -> list[tuple[str, int]]:
        """What happened to one row, in order: `[("began", 4711), ("ended", 4711)]`."""
        return self._by_row()[name]

    def names(self) -> set[str]:
        return set(self._by_row())

    def overlapping(self, *, killed: AbstractSet[int] = frozenset()) -> set[str]:
        """The rows of which a second run began before the first had ended; runs of killed processes end unseen."""
        return {name for name, lines in self._by_row().items() if _overlap(lines, killed)}

    def _by_row(self) -> dict[str, list[tuple[str, int]]]:
        rows: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for line in self.path.read_text().splitlines():
            what, name, pid = line.split(" ")
            rows[name].append((what, int(pid)))
        return rows


def _overlap(lines: list[tuple[str, int]], killed: AbstractSet[int]) -> bool:
    running: list[int] = []
    for what, pid in lines:
        if what == "ended":
            running.remove(pid)
            continue
        if any(pid not in killed for pid in running):
            return True
        running.append(pid)
    return False
