"""The counters of processes that are gone: kept, in one file for all of them.

Every process counts in files of its own. Left lying about, those of a worker that dies every few seconds would fill the
directory, and each scrape would read them all.
"""

import contextlib
import fcntl
import os
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client import Metric, multiprocess
from prometheus_client.mmap_dict import MmapedDict

from app.counting import DIRECTORY

ADDED_UP = ("counter", "histogram")
UNREADABLE = (struct.error, RuntimeError, UnicodeDecodeError)


class Counters:
    """What all processes of this directory have counted, living and dead."""

    def collect(self) -> Iterable[Metric]:
        directory = _directory()
        with _alone(directory):
            # A process that was killed at its start leaves an empty file, and one that starts now has one for a moment.
            files = [str(path) for path in directory.glob("*.db") if path.stat().st_size]
            return list(multiprocess.MultiProcessCollector.merge(files))


def fold(pid: int) -> None:
    """Add what a dead process has counted to a common file and forget its gauges. No scrape sees it twice, or not."""
    directory = _directory()
    with contextlib.suppress(OSError), _alone(directory):  # a full disk costs figures, not the supervisor
        multiprocess.mark_process_dead(pid, str(directory))
        for kind in ADDED_UP:
            counted = directory / f"{kind}_{pid}.db"
            if counted.exists():
                _add(counted, directory / f"{kind}_folded.db")
                counted.unlink()


def _add(source: Path, target: Path) -> None:
    with contextlib.closing(MmapedDict(str(target))) as sums, contextlib.suppress(*UNREADABLE):
        for key, value, _, _ in MmapedDict.read_all_values_from_file(str(source)):
            sums.write_value(key, sums.read_value(key)[0] + value, 0.0)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    with (directory / "lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _directory() -> Path:
    return Path(os.environ[DIRECTORY])
