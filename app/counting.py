"""Where the processes of one supervisor count together. Knows nothing of Prometheus: it must come before it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


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
