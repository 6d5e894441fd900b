"""Measures what reading one document costs: CPU time, memory, and for how long no other thread could run.

Each document is read in a process of its own, forked from a runner that has everything imported, so that the peak
memory is that of one document and a document without end is ended by its limits.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
MEGABYTE: Final = 1024 * 1024


class Cost(NamedTuple):
    """CPU seconds; megabytes above what the process had before; the longest CPU time in which no other thread ran.

    Silence is counted in CPU time of the process: on a busy machine a thread waits for many reasons, but only a held
    lock of the interpreter lets the process work on while its other threads stand still.
    """

    cpu: float
    megabytes: float
    silence: float
    error: str | None = None


Measure = Callable[[str, int], Cost]


@contextmanager
def runner() -> Iterator[Measure]:
    """A function that measures one shape at one size, by a child process that lives as long as the context."""
    command = [sys.executable, "-m", "tests.attack.runner"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def measure(shape: str, size: int) -> Cost:
            print(json.dumps([shape, size]), file=process.stdin, flush=True)
            return Cost(*json.loads(process.stdout.readline()))

        try:
            yield measure
        finally:
            process.stdin.close()
