"""Runs one workflow in this process: claim a batch, run its rows, record and claim the next in one transaction."""

import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from dramatiq.middleware import Shutdown, TimeLimitExceeded
from psycopg import Connection

from actors._workflow import Found, Workflow
from actors.errors import GiveUp, RetryLater
from app import metrics
from app.broker import Nudger
from app.deadline import Watchdog
from app.heart import Heart
from app.late import LateRecords
from app.logs import event
from app.quarantine import Quarantine
from db.connections import Pool, transaction
from db.lifecycle import Batch, Claimed, Claimer, Ended, Ending, Recorder
from db.outcomes import Again, Failed, Outcome, Released

log = logging.getLogger(__name__)

# A batch should take about this long: slow rows are then claimed one by one, fast ones by the hundred.
BATCH_SECONDS = 0.2
# Rows that turn out much slower than expected are not kept waiting in Processing: the rest of the batch goes back.
PATIENCE_SECONDS = 5 * BATCH_SECONDS
SMOOTHING = 0.3
LONGEST_PAUSE = 5.0


@dataclass(frozen=True)
class Surroundings:
    """What a runner shares with the others of its process."""

    pool: Pool
    heart: Heart
    watchdog: Watchdog
    nudger: Nudger
    late: LateRecords
    draining: threading.Event
    quarantine: Quarantine
    time_slice: timedelta
    keep_successes: bool


class Runner:
    def __init__(self, workflow: Workflow, around: Surroundings, *, threads: int) -> None:
        self.workflow = workflow
        self.around = around
        self.claimer = Claimer(workflow, workflow.columns)
        self.recorder = Recorder(workflow, keep_successes=around.keep_successes)
        self.seconds_per_row: float | None = None
        self._room = threading.Semaphore(threads)
        self._missed = threading.Event()
        self._met_suspect = False

    def nudge(self) -> None:
        """There may be work: do it for one time slice. Returns at once when enough threads do already."""
        if not self._room.acquire(blocking=False):
            self._missed.set()
            return
        try:
            unfinished = self._drain()
        finally:
            self.around.quarantine.leave()
            self._room.release()
        if (unfinished or self._missed.is_set()) and not self.around.draining.is_set():
            self._missed.clear()
            self.around.nudger.nudge(self.workflow.name)

    def _drain(self) -> bool:
        """True when the time slice ended before the work did."""
        self._missed.clear()
        ends = time.monotonic() + self.around.time_slice.total_seconds()
        batch = self._claim()
        while batch is not None and (batch.rows or batch.full):
            if batch.full:
                self.around.nudger.nudge(self.workflow.name)
            endings = self._run(batch)
            goes_on = time.monotonic() < ends and not self.around.draining.is_set()
            # Full and yet empty: all were locked or spared. They stepped aside, and others may stand behind them.
            batch = self._record(batch.token, endings, goes_on=goes_on) if endings else self._claim()
            if not goes_on:
                return True
        return False

    @property
    def size(self) -> int:
        """How many rows to claim at once."""
        if self.seconds_per_row is None:
            return 1
        return max(1, min(self.workflow.batch, int(BATCH_SECONDS / max(self.seconds_per_row, 1e-6))))

    def _claim(self) -> Batch | None:
        try:
            with transaction(self.around.pool) as connection:
                batch = self._take(connection)
        except psycopg.Error as error:
            event(log, logging.WARNING, "claim.failed", workflow=self.workflow.name, error=str(error))
            return None
        self._observe_claim(batch)
        return batch

    def _take(self, connection: Connection[Any]) -> Batch:
        """A row that may have killed its worker runs beside no other such row of this process."""
        quarantine = self.around.quarantine
        inside = quarantine.enter()
        size = 1 if inside and self._met_suspect else self.size  # they come one by one, and often one after the other
        batch = self.claimer.claim(connection, self.around.heart.id, size, suspects=inside)
        if inside:
            self._met_suspect = any(row.lost for row in batch.rows)
        if not any(row.lost for row in batch.rows):
            quarantine.leave()
        return batch

    def _observe_claim(self, batch: Batch) -> None:
        name = self.workflow.name
        metrics.claims.labels(name, "rows" if batch.rows else "empty").inc()
        wait = metrics.wait.labels(name)
        for row in batch.rows:
            wait.observe(max(0.0, row.waited))

    def _run(self, batch: Batch) -> list[Ending]:
        endings: list[Ending] = []
        began = time.monotonic()
        for claimed in batch.rows:
            started = time.monotonic()
            stop = self.around.draining.is_set() or (endings and started - began > PATIENCE_SECONDS)
            outcome = Released() if stop else self._attempt(claimed)
            seconds = time.monotonic() - started
            endings.append(
                Ending(
                    claimed.pk,
                    claimed.generation,
                    claimed.attempt,
                    claimed.max_attempts,
                    outcome,
                    seconds,
                    claimed.tid,
                )
            )
        ran = [ending.seconds for ending in endings if not isinstance(ending.outcome, Released)]
        self._learn(ran)
        return endings

    def _learn(self, ran: Sequence[float]) -> None:
        if not ran:
            return
        mean = sum(ran) / len(ran)
        known = self.seconds_per_row
        self.seconds_per_row = mean if known is None else known + SMOOTHING * (mean - known)
        work = metrics.work.labels(self.workflow.name)
        for seconds in ran:
            work.observe(seconds)

    def _attempt(self, claimed: Claimed) -> Outcome:
        """Run one row within its time limit. No connection and no transaction is held here."""
        workflow, slot = self.workflow, self.around.watchdog.slot
        limit = workflow.time_limit.total_seconds()
        try:
            found: object = slot.run(
                lambda: workflow.function(workflow.reads(*claimed.values)),
                workflow=workflow.name,
                pk=claimed.pk,
                limit=limit,
                rescue=workflow.rescue_seconds,
            )
            return found if isinstance(found, Found) else Failed(f"returned {type(found).__name__} instead of Found")
        except TimeLimitExceeded:
            metrics.overruns.labels(workflow.name).inc()
            return self._again(claimed, f"took longer than its time limit of {limit:g} s")
        except Shutdown:
            return Released()
        except GiveUp as error:
            return Failed(str(error) or "gave up without a reason")
        except RetryLater as error:
            return Again(str(error) or "asked to be tried later", error.delay.total_seconds(), counts=False)
        except BaseException as error:  # noqa: BLE001 - even SystemExit in a workflow must not strand its row
            return self._again(claimed, f"{type(error).__name__}: {error}")

    def _again(self, claimed: Claimed, error: str) -> Again:
        return Again(error, self.workflow.backoff.delay(claimed.attempt))

    def _record(self, token: UUID, endings: list[Ending], *, goes_on: bool) -> Batch | None:
        """Record, and claim the next batch in the same transaction. A database that is away is waited for."""
        pause = 0.1
        while True:
            batch: Batch | None = None
            try:
                with transaction(self.around.pool) as connection:
                    ended = self.recorder.record(connection, self.around.heart.id, token, endings)
                    if goes_on:
                        batch = self._take(connection)
            except psycopg.Error as error:
                event(log, logging.WARNING, "record.delayed", workflow=self.workflow.name, error=str(error))
                time.sleep(random.uniform(pause / 2, pause))  # noqa: S311 - jitter, not a secret
                pause = min(LONGEST_PAUSE, pause * 2)
            else:
                self.report(ended)
                self.around.late.add(self, token, [one.ending for one in ended if one.verdict == "locked"])
                if batch is not None:
                    self._observe_claim(batch)
                return batch

    def report(self, ended: Sequence[Ended]) -> None:
        """One count per ending, one line where somebody may want to look."""
        name = self.workflow.name
        for verdict, count in Counter(one.verdict for one in ended if one.verdict != "locked").items():
            metrics.outcomes.labels(name, verdict).inc(count)
        if not log.isEnabledFor(logging.INFO):
            return
        lowest = logging.DEBUG if log.isEnabledFor(logging.DEBUG) else logging.INFO
        for one in ended:
            level = logging.DEBUG if one.verdict in {"completed", "locked"} else logging.INFO
            if level >= lowest:
                fields: dict[str, object] = {"workflow": name, "row": one.ending.pk, "attempt": one.ending.attempt}
                fields |= {"took_s": round(one.ending.seconds, 3)} | ({"error": one.error} if one.error else {})
                log.log(level, "row.%s", one.verdict, extra={"fields": fields})
