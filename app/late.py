"""What threads leave behind of their claims, looked after while they go on.

Results whose row a user has locked are kept and brought again every second, and the database is told with every beat
which claims they belong to: these are not overdue, however long the lock is held. Claims in doubt are given back: those
that the database shows as this process's own, and that no thread holds.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from app import metrics
from app.held_claims import HeldClaims
from app.logs import event
from db.connections import Pool, transaction
from db.lifecycle import Ending
from db.lifecycle.bad_rows import reason_of
from db.statements import statements

if TYPE_CHECKING:
    from app.heart import Heart
    from app.runner import Runner  # the runner hands its late endings in here

log = logging.getLogger(__name__)
SQL = statements("liveness.sql")

PAUSE_SECONDS = 1.0


class LateRecords:
    def __init__(self, pool: Pool, heart: Heart) -> None:
        self.pool = pool
        self.heart = heart
        self.claims = HeldClaims()
        self.runners: dict[str, Runner] = {}
        self._waiting: list[tuple[Runner, UUID, list[Ending]]] = []
        self._lock = threading.Lock()
        self._stopping = False
        self._wake = threading.Event()
        self._look_at = 0.0
        self._said: set[UUID] = set()
        self._say_at = 0.0
        self._thread = threading.Thread(target=self._bring_on, name="late records", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """One last try; what is still locked is given back by whoever buries this process."""
        self._stopping = True
        self._wake.set()
        self._thread.join()
        self.bring()
        if self._look_at == 0.0:  # a commit had no answer, and nobody has looked since
            self.release_unheld()

    def add(self, runner: Runner, token: UUID, endings: Sequence[Ending]) -> None:
        if endings:
            event(log, logging.INFO, "record.locked", workflow=runner.workflow.name, rows=len(endings))
            with self._lock:
                self._waiting.append((runner, token, list(endings)))

    def bring(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        late = {token for _, token, _ in waiting}
        self._say(late)
        for runner, token, endings in waiting:
            self._say(late)  # each may take long
            try:
                ended, _ = runner.store(token, endings, check_at_once=True)
            except psycopg.Error as error:
                event(log, logging.WARNING, "record.delayed", workflow=runner.workflow.name, error=reason_of(error))
                left = endings
            else:
                runner.report(ended)
                left = [one.ending for one in ended if one.verdict == "locked"]
            if left:
                with self._lock:
                    self._waiting.append((runner, token, left))
            else:
                self.claims.let_go(token)

    def _say(self, late: set[UUID]) -> None:
        """Tell the sweeper, once per beat, which claims are late and still ours."""
        if not (late or self._said) or time.monotonic() < self._say_at:
            return
        try:
            with transaction(self.pool) as connection:
                connection.execute(SQL["say_late"], {"id": self.heart.id, "tokens": list(late)})
        except psycopg.Error as error:
            event(log, logging.WARNING, "late.not_said", error=str(error))
        else:
            self._said = late
            self._say_at = time.monotonic() + self.heart.beat

    def look_soon(self) -> None:
        """A commit had no answer."""
        self._look_at = 0.0
        self._wake.set()

    def release_unheld(self) -> bool:
        """Give back claims of this process that no thread holds; False when the database could not be asked.

        The database is read first and the tokens are compared afterwards: a token is held before its claim can be seen.
        A server that is about to commit shows its claim later: it is looked for with every beat.
        """
        worker = self.heart.id
        try:
            with transaction(self.pool) as connection:
                found = connection.execute(SQL["claims_of_worker"], {"worker": worker}).fetchall()
            for workflow, token in found:
                if token not in self.claims and workflow in self.runners:
                    self._release(self.runners[workflow], worker, token)
        except psycopg.Error as error:
            event(log, logging.WARNING, "claims.not_looked_at", error=str(error))
            return False
        return True

    def _release(self, runner: Runner, worker: UUID, token: UUID) -> None:
        with transaction(self.pool) as connection:
            ended = runner.recorder.release(connection, worker, token)
        if ended:  # else it was recorded meanwhile, or a user has its rows locked
            name = runner.workflow.name
            event(log, logging.WARNING, "claim.in_doubt_given_back", workflow=name, token=token, rows=len(ended))
            metrics.claims.labels(name, "in_doubt").inc()
            runner.report(ended)

    def _bring_on(self) -> None:
        while not self._stopping:
            self._wake.wait(PAUSE_SECONDS)
            self._wake.clear()
            self.bring()
            if time.monotonic() >= self._look_at:
                self._look_at = time.monotonic() + self.heart.beat
                if not self.release_unheld():
                    self._look_at = 0.0
