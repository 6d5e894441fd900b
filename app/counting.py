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
    os.environ[DIRECTORY] = tempfile.mkdtemp(prefix="scrapersky-metrics-")
    try:
        yield
    finally:
        shutil.rmtree(os.environ.pop(DIRECTORY), ignore_errors=True)


def count_with_siblings() -> None:
    """Under Dramatiq's own command line the master knows nothing of us: its children meet in a directory of its pid."""
    if DIRECTORY not in os.environ and multiprocessing.parent_process() is not None:
        directory = Path(tempfile.gettempdir(), f"scrapersky-metrics-{os.getuid()}-{os.getppid()}")
        directory.mkdir(mode=0o700, exist_ok=True)
        os.environ[DIRECTORY] = str(directory)
