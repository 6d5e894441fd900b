"""Results whose row a user has locked: kept, and brought again every second, while the worker goes on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from app.logs import event
from db.connections import Pool, transaction
from db.lifecycle import Ending

if TYPE_CHECKING:
    from app.heart import Heart
    from app.runner import Runner  # the runner hands its late endings in here

log = logging.getLogger(__name__)

PAUSE_SECONDS = 1.0


class LateRecords:
    def __init__(self, pool: Pool, heart: Heart) -> None:
        self.pool = pool
        self.heart = heart
        self._waiting: list[tuple[Runner, UUID, list[Ending]]] = []
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._bring_on, name="late records", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """One last try; what is still locked is given back by whoever buries this process."""
        self._stop.set()
        self._thread.join()
        self.bring()

    def add(self, runner: Runner, token: UUID, endings: Sequence[Ending]) -> None:
        if endings:
            event(log, logging.INFO, "record.locked", workflow=runner.workflow.name, rows=len(endings))
            with self._lock:
                self._waiting.append((runner, token, list(endings)))

    def bring(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for runner, token, endings in waiting:
            try:
                with transaction(self.pool) as connection:
                    ended = runner.recorder.record(connection, self.heart.id, token, endings)
            except psycopg.Error as error:
                event(log, logging.WARNING, "record.delayed", workflow=runner.workflow.name, error=str(error))
                left = endings
            else:
                runner.report(ended)
                left = [one.ending for one in ended if one.verdict == "locked"]
            if left:
                with self._lock:
                    self._waiting.append((runner, token, left))

    def _bring_on(self) -> None:
        while not self._stop.wait(PAUSE_SECONDS):
            self.bring()
