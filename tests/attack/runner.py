"""Reads requests (shape, size) from standard input and answers each with its cost; forks for every document."""

import gc
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from tests.attack.controls import CONTROL_READERS, CONTROL_SHAPES
from tests.attack.measure import MEGABYTE, Cost
from tests.attack.readers import READERS
from tests.attack.shapes import SHAPES

# Beyond every limit of the suite: they only end what would never end.
_CPU_SECONDS: Final = 20
_ADDRESS_SPACE: Final = 3 * 1024 * MEGABYTE
_TICK: Final = 0.001
_KILOBYTES_PER_MEGABYTE: Final = 1024


class Ticker(threading.Thread):
    """Looks at the process's CPU time every millisecond; the longest step is how long it could not look."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.longest = 0.0
        self._ended = threading.Event()

    def run(self) -> None:
        last = time.process_time()
        while not self._ended.wait(_TICK):
            now = time.process_time()
            self.longest, last = max(self.longest, now - last), now
        self.longest = max(self.longest, time.process_time() - last)

    def end(self) -> float:
        self._ended.set()
        self.join()
        return self.longest


def cost_of(read: Callable[[bytes], Any], body: bytes) -> Cost:
    """In a forked child, which answers through a pipe."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
        os.write(theirs, json.dumps(_measured(read, body)).encode())
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if answer:
        return Cost(*json.loads(answer))
    name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit code {status}"
    return Cost(_CPU_SECONDS, 0.0, _CPU_SECONDS, f"ended by {name}")


def dearest(costs: Iterable[Cost]) -> Cost:
    """The most of each, over all readers of a document: the limits hold for every one of them."""
    cpu, megabytes, silence, errors = zip(*costs, strict=True)
    return Cost(max(cpu), max(megabytes), max(silence), next(filter(None, errors), None))


def _measured(read: Callable[[bytes], Any], body: bytes) -> Cost:
    before, error = _peak(), None
    ticker = Ticker()
    ticker.start()
    started = time.process_time()
    try:
        read(body)
    except BaseException as raised:  # noqa: BLE001 - whatever is raised is what is reported
        error = f"{type(raised).__name__}: {raised}"[:200]
    took = time.process_time() - started
    return Cost(took, _peak() - before, ticker.end(), error)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KILOBYTES_PER_MEGABYTE


def main() -> None:
    shapes = {shape.name: shape for shape in (*SHAPES, *CONTROL_SHAPES)}
    readers = READERS | CONTROL_READERS
    for read in (read for each in READERS.values() for read in each):
        read(b"https://clinic.example/ <p>Tel. 030 987654, info@acme.de")
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        name, size = json.loads(line)
        shape = shapes[name]
        body = shape.make(size)
        sys.stdout.write(json.dumps(dearest(cost_of(read, body) for read in readers[shape.kind])) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
