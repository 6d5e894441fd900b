"""Where the processes of one supervisor count together. Knows nothing of Prometheus: it must come before it.

Who counts in a directory holds a lock in it. Process ids would not do: in containers that share a temporary directory
every one of them is 1, before a restart and after it.
"""

import fcntl
import hashlib
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"
HELD = "held"


class PortTakenError(RuntimeError):
    """The metrics can not be served where the settings say."""


@contextmanager
def counting_together() -> Iterator[None]:
    """Let this process and its children count in one directory. To be entered before app.metrics is imported."""
    if DIRECTORY in os.environ:
        yield  # a child: the supervisor's directory
        return
    _remove_those_of_the_dead()
    directory, lock = _make_and_hold()
    os.environ[DIRECTORY] = str(directory)
    try:
        yield
    finally:
        shutil.rmtree(os.environ.pop(DIRECTORY), ignore_errors=True)
        os.close(lock)


def hand_over(uid: int, gid: int) -> None:
    """Give the directory to the user that this process becomes: it goes on counting there and removes it at its end."""
    directory = Path(os.environ[DIRECTORY])
    for path in (*directory.iterdir(), directory):
        os.chown(path, uid, gid, follow_symlinks=False)


def count_with_siblings() -> None:
    """Under Dramatiq's own command line the master knows nothing of us: its children meet in a directory of its own."""
    if DIRECTORY not in os.environ and multiprocessing.parent_process() is not None:
        _remove_those_of_the_dead()
        directory = directory_of_siblings()
        lock = None
        while lock is None:  # somebody who looked for the dead may just have found it without a lock
            directory.mkdir(mode=0o700, exist_ok=True)
            if not _is_ours(directory):
                raise PermissionError(f"{directory} belongs to somebody else; remove it, or set {DIRECTORY}")
            lock = _lock(directory, fcntl.LOCK_SH)  # never closed: it ends with the process
        os.environ[DIRECTORY] = str(directory)


def directory_of_siblings() -> Path:
    """All children of a master, and nobody else, have its key for talking to each other."""
    master = hashlib.sha256(multiprocessing.current_process().authkey).hexdigest()[:16]
    return Path(tempfile.gettempdir(), f"{_prefix()}{HELD}-{master}")


def _prefix() -> str:
    return f"scrapersky-metrics-{os.getuid()}-"


def _make_and_hold() -> tuple[Path, int]:
    while True:
        directory = Path(tempfile.mkdtemp(prefix=f"{_prefix()}{HELD}-"))
        lock = _lock(directory, fcntl.LOCK_SH)
        if lock is not None:
            return directory, lock


def _remove_those_of_the_dead() -> None:
    """A process that was killed can not remove its own."""
    for directory in Path(tempfile.gettempdir()).glob(f"{_prefix()}*"):
        owner = directory.name.removeprefix(_prefix()).partition("-")[0]
        if owner == HELD and (_is_ours(directory) or os.getuid() == 0):  # root's may have been handed over
            _remove_if_nobody_holds(directory)
        elif owner.isdecimal() and not _lives(int(owner)):  # of a version that locked nothing
            shutil.rmtree(directory, ignore_errors=True)


def _remove_if_nobody_holds(directory: Path) -> None:
    with suppress(OSError):  # not of our making; no reason not to start
        lock = _lock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock is not None:
            shutil.rmtree(directory, ignore_errors=True)
            os.close(lock)


def _is_ours(directory: Path) -> bool:
    with suppress(FileNotFoundError):
        return directory.stat(follow_symlinks=False).st_uid == os.getuid()
    return True  # removed meanwhile: nobody's


def _lock(directory: Path, operation: int) -> int | None:
    """An open file with the lock; None if others hold it, or if the directory was removed before we had it."""
    path = directory / HELD
    with suppress(FileNotFoundError):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, operation)
            if os.path.samestat(os.fstat(lock), path.stat()):
                return lock
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(lock)
    return None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # of another user
    return True
