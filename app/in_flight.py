"""How many rows may be in flight in this process at a time: as many as it can serve, found by trying.

Rows that wait for the network cost memory and little else. So the limit grows while rows are turned away and the
process has processor time to spare, and shrinks when rows wait for a parser, or when memory runs short.
"""

import contextlib
import resource
import threading
import time
from collections import Counter
from pathlib import Path

FIRST_LIMIT = 32
FEWEST = 8
STEP_SECONDS = 0.5
GROWTH, SHRINKAGE = 1.5, 0.85
# Shares of the time: of one core by this interpreter, and of the rows' time by waiting for a parser.
FULL_INTERPRETER = 0.85
BUSY_PARSERS, CROWDED_PARSERS = 0.25, 0.5
# A row may have two pages of 5 MB in memory, and a connection besides.
LEAST_MEMORY_BYTES = 256 * 2**20
FILES_PER_ROW = 3
_MEMORY = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


class InFlight:
    """Shared by the workflows of a process. Each may always have its equal share; what others leave is anybody's."""

    def __init__(self, most: int) -> None:
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.most = most if files == resource.RLIM_INFINITY else max(FEWEST, min(most, files // FILES_PER_ROW))
        self.limit = min(FIRST_LIMIT, self.most)
        self._lock = threading.Lock()
        self._rows: Counter[str] = Counter()
        self._turned_away = False
        self._ran = self._waited = 0.0
        self._step_at = time.monotonic() + STEP_SECONDS
        self._cpu, self._cpu_at = time.process_time(), time.monotonic()

    def room(self, workflow: str) -> int:
        """How many more rows of a workflow may begin."""
        with self._lock:
            self._adapt()
            active = len(+self._rows | Counter([workflow]))
            room = max(self.limit - self._rows.total(), self.limit // active - self._rows[workflow], 0)
            self._turned_away = self._turned_away or room == 0
            return room

    def begun(self, workflow: str, rows: int, *, wanted: int) -> None:
        with self._lock:
            self._rows[workflow] += rows
            self._turned_away = self._turned_away or rows >= wanted

    def ended(self, workflow: str, *, seconds: float, waited: float) -> None:
        """A row is over; so many seconds of its run it waited for a parser."""
        with self._lock:
            self._rows[workflow] -= 1
            self._ran += seconds
            self._waited += waited

    def _adapt(self) -> None:
        now = time.monotonic()
        if now < self._step_at:
            return
        cpu = time.process_time()
        interpreter = (cpu - self._cpu) / (now - self._cpu_at)
        parsers = self._waited / self._ran if self._ran else 0.0
        if memory_left() < LEAST_MEMORY_BYTES or parsers > CROWDED_PARSERS:
            self.limit = max(FEWEST, int(self.limit * SHRINKAGE))
        elif self._turned_away and interpreter < FULL_INTERPRETER and parsers < BUSY_PARSERS:
            self.limit = min(self.most, int(self.limit * GROWTH))
        self._turned_away, self._ran, self._waited = False, 0.0, 0.0
        self._cpu, self._cpu_at, self._step_at = cpu, now, now + STEP_SECONDS


def memory_left() -> float:
    """Bytes that this process and its siblings may still take, by the machine and by the container."""
    left = float("inf")
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = _MEMORY.read_text(encoding="ascii").splitlines()
        left = 1024.0 * int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1])
    with contextlib.suppress(OSError, ValueError):  # no container, or no limit
        most = int((_CGROUP / "memory.max").read_text(encoding="ascii"))
        left = min(left, most - int((_CGROUP / "memory.current").read_text(encoding="ascii")))
    return left
