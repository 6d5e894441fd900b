"""A process whose threads have died looks alive and does nothing. Better no process: its parent starts another."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from app import metrics
from app.logs import event

log = logging.getLogger(__name__)

GAVE_UP = 70  # EX_SOFTWARE


def give_up(thread: str, error: BaseException | None) -> NoReturn:
    """Say why, if there is memory left to say it, and end at once; whoever buries us gives our rows back."""
    try:
        metrics.gave_up.labels("thread").inc()
        event(log, logging.CRITICAL, "process.gave_up", exc_info=error, thread=thread)
    finally:
        os._exit(GAVE_UP)


@contextmanager
def no_thread_dies_alone() -> Iterator[None]:
    """Meanwhile, a thread that ends by an error takes the whole process with it."""
    before = threading.excepthook
    threading.excepthook = lambda failed: give_up(failed.thread.name if failed.thread else "?", failed.exc_value)
    try:
        yield
    finally:
        threading.excepthook = before
