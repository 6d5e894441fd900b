"""A real supervisor with real children, made by fork from a process that has imported everything already.

To start Python and import the product takes a second of a core, and two processes are killed every second: the
machine would do nothing else. Everything but the start is the product's own code.
"""

import ctypes
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import dramatiq
from dramatiq import Worker

from app import poller
from app.broker import Nudger, make_broker
from app.config import load_settings
from app.listener import Listener
from app.logs import configure_logging
from app.process import Process
from app.supervised import exit_with_parent
from app.supervisor import Child, Supervisor
from app.sweeper import Sweeper
from db.connections import open_pool
from tests.chaos.workload import chaos_workflow

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG
# Many leases; and not for ever, because nobody ends a process whose supervisor was killed meanwhile.
HOLD_SECONDS = 8
# A few users commit less often than listeners wait for: here they are to be awake nearly all the time.
poller.MANY_BELLS, poller.FEW_SUBMISSIONS = 2, 1


def hold_the_interpreter(*_: object) -> None:
    """What an endless regular expression does: no thread of the process runs, and no signal is handled."""
    ctypes.PyDLL(None).sleep(HOLD_SECONDS)


def work() -> int:
    settings = load_settings(env_file=None)
    process = Process(settings, [chaos_workflow()])
    broker = make_broker(settings, [process])
    dramatiq.set_broker(broker)
    process.bind(broker)
    return process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100))


def sweep() -> int:
    settings = load_settings(env_file=None)
    exit_with_parent(lambda: os._exit(0), settings)
    Sweeper(open_pool(settings.database_url, size=2, name="sweeper"), [chaos_workflow()], settings).run(
        threading.Event()
    )
    return 0


def listen() -> int:
    settings = load_settings(env_file=None)
    stop = threading.Event()
    exit_with_parent(stop.set, settings)
    with ExitStack() as stack:
        pool = open_pool(settings.database_url, size=2, name="poller")
        stack.callback(pool.close)
        nudger = Nudger(make_broker(settings), [chaos_workflow().name])
        nudger.start()
        stack.callback(nudger.stop)
        listener = Listener(settings, settings.listen_database_url or settings.database_url, pool, nudger)
        listener.start()
        stop.wait()
        listener.stop()
    return 0


ROLES: Mapping[str, Callable[[], int]] = {"worker": work, "sweeper": sweep, "listener": listen}


class Forked:
    """The part of subprocess.Popen that a supervisor uses."""

    def __init__(self, role: str, environment: Mapping[str, str], pulse: int) -> None:
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            self._become(role, environment, pulse)

    def _become(self, role: str, environment: Mapping[str, str], pulse: int) -> None:
        code = 1
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGUSR1, hold_the_interpreter)
            os.setsid()
            os.closerange(3, pulse)  # the parent's connections: they must end with it
            os.closerange(pulse + 1, 1024)
            Path("/proc/self/comm").write_text(role)
            os.environ.update(environment)
            code = ROLES[role]()
        finally:
            os._exit(code)

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self) -> None:
        while self.poll() is None:
            time.sleep(0.01)

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


class ForkingSupervisor(Supervisor):
    def _spawn(self, child: Child, environment: dict[str, str], pulse: int) -> Forked:  # type: ignore[override]
        return Forked(child.arguments[0], environment, pulse)


def supervise(environment: Mapping[str, str], log: Path) -> None:
    """What `scrapersky up` does, with the workload's worker, listener and sweeper."""
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)
    os.setsid()
    Path("/proc/self/comm").write_text("supervisor")
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.environ.clear()
    os.environ.update(environment)
    gc.freeze()  # what was imported is never collected, so its pages stay shared
    settings = load_settings(env_file=None)
    configure_logging(settings)
    children = [Child(f"worker {number + 1}", ["worker"]) for number in range(settings.processes)]
    children.append(Child("sweeper", ["sweeper"]))
    if settings.broker_url:
        children.append(Child("listener", ["listener"]))
    pool = open_pool(settings.database_url, size=2, name="supervisor", timeout=1)
    sweeper = Sweeper(pool, [chaos_workflow()], settings)
    os._exit(ForkingSupervisor(children, dict(environment), sweeper).run())
