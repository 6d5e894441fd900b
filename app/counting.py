"""Where the processes of one supervisor count together. Knows nothing of Prometheus: it must come before it."""

import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


class PortTakenError(RuntimeError):
    """The metrics can not be served where the settings say."""


@contextmanager
def counting_together() -> Iterator[None]:
    """Let this process and its children count in one directory. To be entered before app.metrics is imported."""
    if DIRECTORY in os.environ:
        yield  # a child: the supervisor's directory
        return
    _remove_those_of_the_dead()
    os.environ[DIRECTORY] = tempfile.mkdtemp(prefix=f"{_prefix()}{os.getpid()}-")
    try:
        yield
    finally:
        shutil.rmtree(os.environ.pop(DIRECTORY), ignore_errors=True)


def count_with_siblings() -> None:
    """Under Dramatiq's own command line the master knows nothing of us: its children meet in a directory of its pid."""
    if DIRECTORY not in os.environ and multiprocessing.parent_process() is not None:
        _remove_those_of_the_dead()
        directory = Path(tempfile.gettempdir(), f"{_prefix()}{os.getppid()}")
        directory.mkdir(mode=0o700, exist_ok=True)
        if directory.stat(follow_symlinks=False).st_uid != os.getuid():
            raise PermissionError(f"{directory} belongs to somebody else; remove it, or set {DIRECTORY}")
        os.environ[DIRECTORY] = str(directory)


def _prefix() -> str:
    return f"scrapersky-metrics-{os.getuid()}-"


def _remove_those_of_the_dead() -> None:
    """A process that was killed can not remove its own."""
    for directory in Path(tempfile.gettempdir()).glob(f"{_prefix()}*"):
        pid = directory.name.removeprefix(_prefix()).partition("-")[0]
        if pid.isdecimal() and not _lives(int(pid)):
            shutil.rmtree(directory, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # of another user
    return True
