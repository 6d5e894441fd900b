"""Runs one workflow in this process: claim a batch, run its rows, record and claim the next in one transaction."""

import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import psycopg
from dramatiq.middleware import Shutdown, TimeLimitExceeded

from actors._workflow import Found, Workflow
from actors.errors import Busy, FetchError, GiveUp, HostResting, PauseWorkflow, RetryLater
from app import metrics
from app.broker import Nudger
from app.claiming import Claiming
from app.deadline import Slot, Watchdog
from app.heart import Heart
from app.late import LateRecords
from app.logs import event
from app.quarantine import Quarantine
from app.rates import Rates
from app.tools import Lent, Toolbox
from app.traces import Traces
from db.connections import Pool, transaction
from db.lifecycle import Batch, Claimed, Ended, Ending, Recorder
from db.lifecycle.bad_rows import is_bad_row, reason_of
from db.outcomes import Again, Blocked, Failed, Outcome, Released

log = logging.getLogger(__name__)

# A batch should take about this long: slow rows are then claimed one by one, fast ones by the hundred.
BATCH_SECONDS = 0.2
# Rows that turn out much slower than expected are not kept waiting in Processing: the rest of the batch goes back.
PATIENCE_SECONDS = 5 * BATCH_SECONDS
SMOOTHING = 0.3
# How many transactions of large batches a process runs at once. Each claim reads past the jobs that other claims have
# locked, or took a moment ago: three for each row with one transaction at a time, nine with five, seventeen with ten.
LARGE_BATCH, LARGE_AT_ONCE = 20, 2
NO_LIMIT = nullcontext()
# A full batch calls for another thread. Of fast ones not each: a nudge costs as much as ten rows that do nothing.
CALL_SECONDS = 0.05
LONGEST_PAUSE = 5.0
# Nobody needs to look at these; hundreds a second may be among them.
UNREMARKABLE = {"completed", "locked", "released"}


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
    created_by: UUID | None
    toolbox: Toolbox
    rates: Rates
    traces: Traces = field(default_factory=Traces)  # off


class Runner:
    def __init__(self, workflow: Workflow, around: Surroundings, *, threads: int) -> None:
        self.workflow = workflow
        self.around = around
        self.claiming = Claiming(workflow, around)
        self.recorder = Recorder(workflow, keep_successes=around.keep_successes, created_by=around.created_by)
        self.seconds_per_row: float | None = None
        self._time_limit = workflow.time_limit.total_seconds()
        self._rescue = workflow.rescue_seconds
        self._room = threading.Semaphore(threads)
        self._missed = threading.Event()
        self._large = threading.Semaphore(LARGE_AT_ONCE)
        around.late.runners[workflow.name] = self

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
        call_at = 0.0
        batch = self.claiming.claim(self.size)
        while batch is not None and (batch.rows or batch.full):
            if batch.full and time.monotonic() >= call_at:
                call_at = time.monotonic() + CALL_SECONDS
                self.around.nudger.nudge(self.workflow.name)
            endings = self._run(batch)
            goes_on = time.monotonic() < ends and not self.around.draining.is_set()
            if endings:
                batch = self._record(batch.token, endings, goes_on=goes_on)
            elif goes_on:
                # Full and yet empty: all were locked or spared. They stepped aside, and others may stand behind them.
                batch = self.claiming.claim(self.size)
            if not goes_on:
                return True
        return False

    @property
    def size(self) -> int:
        """How many rows to claim at once."""
        if self.seconds_per_row is None:
            return 1
        return max(1, min(self.workflow.batch, int(BATCH_SECONDS / max(self.seconds_per_row, 1e-6))))

    def _run(self, batch: Batch) -> list[Ending]:
        workflow, around, slot = self.workflow, self.around, self.around.watchdog.slot
        endings: list[Ending] = []
        ran: list[float] = []
        began = started = time.monotonic()
        blocked = False
        for claimed in batch.rows:
            seconds = 0.0
            late = endings and started - began > PATIENCE_SECONDS
            if blocked or late or around.draining.is_set():
                outcome: Outcome = Released()
            else:
                with around.toolbox.lend(workflow) as lent:
                    outcome = self._attempt(claimed, lent, slot)
                ended = time.monotonic()
                seconds, started = ended - started, ended  # the next row begins where this one ends
                around.traces.attempted(workflow, claimed, outcome, seconds)
                if not isinstance(outcome, Released):
                    ran.append(seconds)
                blocked = isinstance(outcome, Blocked)
            pk, generation, attempt, _, max_attempts, *_ = claimed
            endings.append(Ending(pk, generation, attempt, max_attempts, outcome, seconds, batch.token))
        self._learn(ran)
        return endings

    def _learn(self, ran: Sequence[float]) -> None:
        if not ran:
            return
        mean = sum(ran) / len(ran)
        known = self.seconds_per_row
        self.seconds_per_row = mean if known is None else known + SMOOTHING * (mean - known)
        metrics.work.labels(self.workflow.name).observe_all(ran)
        self.around.rates.worked(self.workflow.name, sum(ran))

    def _attempt(self, claimed: Claimed, lent: Lent, slot: Slot) -> Outcome:
        """Run one row within its time limit. No connection and no transaction is held here."""
        workflow, limit = self.workflow, self._time_limit
        try:
            found: object = slot.run(
                lambda: workflow.function(workflow.reads(*claimed.values), **lent.tools),
                workflow=workflow.name,
                pk=claimed.pk,
                limit=limit,
                rescue=self._rescue,
            )
            return found if isinstance(found, Found) else Failed(f"returned {type(found).__name__} instead of Found")
        except TimeLimitExceeded:
            metrics.overruns.labels(workflow.name).inc()
            return self._again(claimed, f"took longer than its time limit of {limit:g} s")
        except BaseException as error:  # noqa: BLE001 - even SystemExit in a workflow must not strand its row
            return self._verdict(claimed, error)

    def _verdict(self, claimed: Claimed, error: BaseException) -> Outcome:
        """The type of the error says what becomes of the row."""
        match error:
            case Shutdown() | HostResting():
                return Released(error.seconds if isinstance(error, HostResting) else None)
            case GiveUp():
                return Failed(str(error) or "gave up without a reason")
            case PauseWorkflow():
                return Blocked(str(error) or "stopped without a reason", error.until)
            case RetryLater():
                return Again(str(error) or "asked to be tried later", error.delay.total_seconds(), counts=False)
            case FetchError():
                again = self._again(claimed, str(error))
                asked_for = error.delay.total_seconds() if isinstance(error, Busy) else 0.0
                return replace(again, delay=max(again.delay, asked_for))
            case _:
                return self._again(claimed, f"{type(error).__name__}: {error}")

    def _again(self, claimed: Claimed, error: str) -> Again:
        return Again(error, self.workflow.backoff.delay(claimed.attempt))

    def _record(self, token: UUID, endings: list[Ending], *, goes_on: bool) -> Batch | None:
        """Record, and claim the next batch in the same transaction. A database that is away is waited for.

        Where claims come one after the other, the next claim must not wait for its turn with these rows locked.
        """
        pause = 0.1
        together = goes_on and not self.claiming.in_turns
        check_at_once = False
        while True:
            try:
                ended, batch = self.store(token, endings, together=together, check_at_once=check_at_once)
            except Exception as error:
                if not isinstance(error, psycopg.Error) and not (together and is_bad_row(error)):
                    raise
                event(log, logging.WARNING, "record.delayed", workflow=self.workflow.name, error=reason_of(error))
                time.sleep(random.uniform(pause / 2, pause))  # noqa: S311 - jitter, not a secret
                pause = min(LONGEST_PAUSE, pause * 2)
                together = False
                check_at_once = is_bad_row(error)
            else:
                self.report(ended)
                if locked := [one.ending for one in ended if one.verdict == "locked"]:
                    self.around.late.add(self, token, locked)
                else:
                    self.around.late.claims.let_go(token)
                return self.claiming.claim(self.size) if goes_on and not together else batch

    def store(
        self, token: UUID, endings: Sequence[Ending], *, together: bool = False, check_at_once: bool = False
    ) -> tuple[list[Ended], Batch | None]:
        """One try to record, and to claim with it. After an error nobody knows whether it was committed.

        What was made of the endings is remembered for the next try; a claim is given up, and found by its token.
        """
        claims = self.around.late.claims
        ended: list[Ended] = []
        batch: Batch | None = None
        next_token = claims.hold() if together else None
        try:
            with self._large if len(endings) >= LARGE_BATCH else NO_LIMIT, transaction(self.around.pool) as connection:
                tried = self.recorder.record(
                    connection, self.around.heart.id, token, endings, check_at_once=check_at_once
                )
                ended = claims.settle(connection, self.recorder, tried)
                if next_token is not None:
                    batch = self.claiming.take(connection, next_token, self.size)
        except Exception:
            claims.doubt(ended)
            if next_token is not None:
                self.claiming.disown(next_token)
            raise
        if batch is not None:
            self.claiming.committed(batch)
        return ended, batch

    def report(self, ended: Sequence[Ended]) -> None:
        """One count per ending, one line where somebody may want to look."""
        name = self.workflow.name
        for verdict, count in Counter(one.verdict for one in ended if one.verdict != "locked").items():
            metrics.outcomes.labels(name, verdict).inc(count)
            self.around.rates.ended(name, verdict, count)
        if not log.isEnabledFor(logging.INFO):
            return
        lowest = logging.DEBUG if log.isEnabledFor(logging.DEBUG) else logging.INFO
        for one in ended:
            level = logging.DEBUG if one.verdict in UNREMARKABLE else logging.INFO
            if level >= lowest:
                fields: dict[str, object] = {"workflow": name, "row": one.ending.pk, "attempt": one.ending.attempt}
                fields |= {"took_s": round(one.ending.seconds, 3)} | ({"error": one.error} if one.error else {})
                log.log(level, "row.%s", one.verdict, extra={"fields": fields})
