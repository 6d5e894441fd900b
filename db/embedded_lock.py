"""File locks that the kernel takes back when their process ends, however it ends."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self


class FileLock:
    """A lock on an existing file; the children of this process never hold it."""

    def __init__(self, path: Path) -> None:
        # Python opens close-on-exec: otherwise a Postgres or a worker that we start would hold the lock while it lives.
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        _open_locks.add(self)

    def share(self) -> None:
        """Wait until nobody holds the lock alone, then hold it together with others."""
        self._flock(fcntl.LOCK_SH)

    def hold_alone(self) -> None:
        """Wait until nobody else holds the lock."""
        self._flock(fcntl.LOCK_EX)

    def try_to_hold_alone(self) -> bool:
        """Give up a shared hold; true if nobody else had one and the lock is now ours alone."""
        try:
            self._flock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return self._descriptor is not None

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        _open_locks.discard(self)

    def _flock(self, operation: int) -> None:
        if self._descriptor is not None:
            fcntl.flock(self._descriptor, operation)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_open_locks: set[FileLock] = set()


def _close_all() -> None:
    for lock in tuple(_open_locks):
        lock.close()


# A forked child shares the parent's lock until it closes its copy; closing leaves the parent's hold as it is.
os.register_at_fork(after_in_child=_close_all)
