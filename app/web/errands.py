"""Work for many rows that an operator started: it goes on behind the page, a batch at a time, and can be watched."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import psycopg
from flask import current_app

from app.logs import event

log = logging.getLogger(__name__)

MOST_AT_ONCE = 2
PATIENCE_SECONDS = 2.0
REMEMBERED_SECONDS = 600.0

Tell = Callable[[int, int], None]
Work = Callable[[Tell], int]
"""It takes a connection for each batch, and none while it waits: the pages need them too."""


@dataclass
class Errand:
    """What it does, for whom, and how far it is."""

    title: str
    operator: str
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    looked_at: int = 0
    of: int = 0
    changed: int | None = None
    mistake: str | None = None
    ended: threading.Event = field(default_factory=threading.Event)
    forget_after: float = float("inf")

    @property
    def so_far(self) -> str:
        return f"This takes a while: {self.looked_at:,} of {self.of:,} rows so far. It goes on by itself."

    def tell(self, looked_at: int, of: int) -> None:
        self.looked_at, self.of = looked_at, of


class Errands:
    """One at a time for a workflow: two people who press the same button do not do it twice. And few in all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._errands: dict[str, Errand] = {}

    def of(self, workflow: str) -> Errand | None:
        errand = self._errands.get(workflow)
        return errand if errand and time.monotonic() < errand.forget_after else None

    def start(self, workflow: str, title: str, operator: str, work: Work) -> Errand | None:
        """Begin, and wait a moment for a short one to end; None when another one is still at it."""
        with self._lock:
            busy = [name for name, errand in self._errands.items() if not errand.ended.is_set()]
            if workflow in busy or len(busy) >= MOST_AT_ONCE:
                return None
            errand = self._errands[workflow] = Errand(title, operator)
        threading.Thread(target=self._run, args=[errand, work], name="errand", daemon=True).start()
        errand.ended.wait(PATIENCE_SECONDS)
        return errand

    def _run(self, errand: Errand, work: Work) -> None:
        try:
            errand.changed = work(errand.tell)
        except (psycopg.Error, ValueError) as error:
            errand.mistake = str(error)
            event(log, logging.WARNING, "errand.failed", errand=errand.title, error=str(error))
        finally:
            errand.forget_after = time.monotonic() + REMEMBERED_SECONDS
            errand.ended.set()


def errands() -> Errands:
    found: Errands = current_app.extensions["errands"]
    return found
