"""What the processes of all peers do alike: say that they are ready, wait for a word, count what they have handled."""

import mmap
import os
import struct
import sys
from pathlib import Path

RESET = "update wide set status = null where status is not null"
DONE = "update wide set status = 'Done' where id = "


class Handled:
    """A number that the benchmark reads while the process works, without asking it."""

    def __init__(self) -> None:
        with Path(os.environ["BENCH_HANDLED"]).open("r+b") as file:
            self._place = mmap.mmap(file.fileno(), 8)
        self._count = 0

    def one_more(self) -> None:
        self._count += 1
        struct.pack_into("<Q", self._place, 0, self._count)


def wait_for_the_word() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def arguments() -> tuple[str, int, str]:
    """The URL of the database, how many rows, and which step."""
    url, rows, step = sys.argv[1:4]
    # asyncpg and others look for a host before the port; ours is in the query.
    return url.replace("@:5432/", "@/"), int(rows), step
