"""`python -m tests.hungry_worker`: a sample worker whose rows may want more memory than they are given."""

import resource
import time
from collections.abc import Iterator

from dramatiq import Worker

from app.broker import make_broker
from app.config import load_settings
from app.logs import configure_logging
from app.process import Process
from db.outcomes import Found
from tests.samples import Finding, SampleRow, act, sample_workflow

ROOM = 64 << 20
STARVING_SECONDS = 3.0


def leave_little_room() -> None:
    """From now on the process may have what it has, and a little more."""
    with open("/proc/self/statm") as sizes:  # noqa: PTH123 - one read of a file of the kernel
        limit = int(sizes.read().split()[0]) * resource.getpagesize() + ROOM
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def starve() -> None:
    """Take whatever can be had, large and small, and hold it: the other threads find nothing left either."""
    taken: list[object] = []
    end = time.monotonic() + STARVING_SECONDS
    size = 16 << 20
    while time.monotonic() < end:
        try:
            taken.append(bytearray(size))
        except MemoryError:
            size = max(512, size // 2)
    raise MemoryError(f"{len(taken)} pieces were not enough")


class TooMany(list[Finding]):
    """Rows for which there is no room when they are read."""

    def __iter__(self) -> Iterator[Finding]:
        raise MemoryError


def eat(row: SampleRow) -> Found:
    match row.action:
        case "huge":
            leave_little_room()
            bytearray(1 << 30)
        case "hungry":
            leave_little_room()
            starve()
        case "too many":
            return Found(rows=TooMany([Finding(name=row.name)]))
    return act(row)


def main() -> int:
    settings = load_settings()
    configure_logging(settings)
    workflow = sample_workflow()
    workflow.run(eat)
    process = Process(settings, [workflow])
    broker = make_broker(settings, [process])
    process.bind(broker)
    return process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100))


if __name__ == "__main__":
    raise SystemExit(main())
