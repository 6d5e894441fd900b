"""Runs the rows of a polite workflow: many in flight at a time, each in a thread; claims and records in groups.

Such rows spend their time waiting for the network, so a claim takes as many as there is room for, and what has ended
within a fraction of a second is recorded in one transaction, with the pauses that the visited hosts are owed.
"""

import logging
import math
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple
from uuid import UUID

import psycopg

from actors._workflow import Workflow
from app.giving_up import give_up
from app.in_flight import InFlight
from app.logs import event
from app.runner import LONGEST_PAUSE, Runner, Surroundings
from db.connections import transaction
from db.lifecycle import Batch, Claimed, Ended, Ending
from db.lifecycle.bad_rows import is_bad_row, reason_of
from db.outcomes import Outcome, Released

log = logging.getLogger(__name__)

# How long an ended row waits for others, to be recorded with them, while more are running.
GATHER_SECONDS = 0.25
# Between two claims, and when due rows wait for their hosts; longer where a claim takes long.
CLAIM_SECONDS, LOOK_SECONDS, LONGEST_LOOK = 0.02, 0.1, 1.0
CLAIM_SHARE = 10


class Landed(NamedTuple):
    """A row whose run is over and not yet recorded."""

    claimed: Claimed
    ending: Ending
    at: float
    spare: float


class Dispatcher(Runner):
    def __init__(self, workflow: Workflow, around: Surroundings, in_flight: InFlight, rows: ThreadPoolExecutor) -> None:
        super().__init__(workflow, around, threads=1)
        self._in_flight = in_flight
        self._threads = rows
        self._wake = threading.Event()
        self._stopping = False
        self._lock = threading.Lock()
        self._landed: list[Landed] = []
        self._running = 0
        self._left: dict[UUID, int] = {}
        self._due = False
        self._look_at = math.inf
        self._claimed_at = -math.inf
        self._claim_took = 0.0
        self._thread = threading.Thread(target=self._serve, name=f"{workflow.name} dispatcher", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Wait for the rows that run; whoever calls has seen to it that they come to an end."""
        self._stopping = True
        self._wake.set()
        self._thread.join()

    def nudge(self) -> None:
        """There may be work. Returns at once."""
        self._due = True
        self._look_at = min(self._look_at, self._claimed_at + self._look_pause)
        self._wake.set()

    def drain(self) -> None:
        """Claim, run and record until nothing runs and no row may begin."""
        started = self._claim()
        while started or self._running or self._landed:
            self._wait_for_landings()
            started = self._record_and_claim() if self._landed else self._claim()

    def _serve(self) -> None:
        while not self._stopping:
            self._wake.wait(self._look_pause if self._due else None)
            self._wake.clear()
            self.drain()

    @property
    def _look_pause(self) -> float:
        """While rows run, those that land bring the next claim with them."""
        least = GATHER_SECONDS if self._running else LOOK_SECONDS
        return min(LONGEST_LOOK, max(least, CLAIM_SHARE * self._claim_took))

    def _wait_for_landings(self) -> None:
        """Until rows have landed and others had time to join them, or until it is time to look for new ones."""
        while True:
            with self._lock:
                first, is_over = self._landed[0].at if self._landed else math.inf, self._running == 0
            now, until = time.monotonic(), min(first + GATHER_SECONDS, self._look_at)
            if is_over or now >= until:
                return
            self._wake.wait(None if until == math.inf else until - now)
            self._wake.clear()

    def _claim(self) -> bool:
        """Whether rows were started."""
        room = self._rows_wanted()
        if room == 0:
            return False
        # Nudges come in swarms, and one claim answers all of them.
        time.sleep(max(0.0, self._claimed_at + CLAIM_SECONDS - time.monotonic()))
        self._due = False
        began = time.monotonic()
        batch = self.claiming.claim(room)
        if batch is None:  # the database is away
            self._due = True
        self._claim_took = time.monotonic() - began
        return self._start(batch, room)

    def _rows_wanted(self) -> int:
        """How many rows to claim now."""
        if not self._due or self.around.draining.is_set():
            self._look_at = math.inf
            return 0
        room = self._in_flight.room(self.workflow.name)
        self._look_at = time.monotonic() + self._look_pause
        return min(room, self.workflow.batch)

    def _start(self, batch: Batch | None, room: int) -> bool:
        """Rows that are due though none may begin wait for their hosts: they are looked at again by and by."""
        self._claimed_at = time.monotonic()
        self._due = self._due or (batch is not None and batch.due)
        self._look_at = self._claimed_at + (0.0 if batch is not None and batch.full else self._look_pause)
        if batch is None or not batch.rows:
            return False
        if any(row.lost for row in batch.rows):
            self.claiming.may_take_suspects = False
        self._in_flight.begun(self.workflow.name, len(batch.rows), wanted=room)
        with self._lock:
            self._running += len(batch.rows)
            self._left[batch.token] = len(batch.rows)
        for claimed in batch.rows:
            self._threads.submit(self._fly, batch.token, claimed)
        return True

    def _fly(self, token: UUID, claimed: Claimed) -> None:
        try:
            landed = self._flown(token, claimed)
        except BaseException as error:  # noqa: BLE001 - the executor would swallow it, and the row would stay claimed
            give_up(threading.current_thread().name, error)
        with self._lock:
            self._landed.append(landed)
            self._running -= 1
            is_news = len(self._landed) == 1 or self._running == 0
        if is_news:
            self._wake.set()

    def _flown(self, token: UUID, claimed: Claimed) -> Landed:
        began = time.monotonic()
        spare = waited = 0.0
        if self.around.draining.is_set():
            outcome: Outcome = Released()
        else:
            with self.around.toolbox.lend(self.workflow) as lent:
                outcome = self._attempt(claimed, lent, self.around.watchdog.slot)
                spare, waited = lent.spare, lent.waited
        now = time.monotonic()
        self.around.traces.attempted(self.workflow, claimed, outcome, now - began)
        self._in_flight.ended(self.workflow.name, seconds=now - began, waited=waited)
        pk, generation, attempt, _, max_attempts, *_ = claimed
        ending = Ending(pk, generation, attempt, max_attempts, outcome, now - began, token)
        return Landed(claimed, ending, now, spare)

    def _record_and_claim(self) -> bool:
        """Record what has landed and claim others in one transaction; whether rows were started.

        A database that is away is waited for. Where claims of all processes come one after the other, a claim must not
        wait for its turn with these rows locked.
        """
        with self._lock:
            landed, self._landed = self._landed, []
        self._learn([one.ending.seconds for one in landed if not isinstance(one.ending.outcome, Released)])
        room = 0 if self.claiming.in_turns else self._rows_wanted()
        pause, check_at_once = 0.1, False
        while True:
            try:
                ended, batch = self._store_landed(landed, room, check_at_once=check_at_once)
            except Exception as error:
                if not isinstance(error, psycopg.Error) and not is_bad_row(error):
                    raise
                event(log, logging.WARNING, "record.delayed", workflow=self.workflow.name, error=reason_of(error))
                time.sleep(random.uniform(pause / 2, pause))  # noqa: S311 - jitter, not a secret
                pause = min(LONGEST_PAUSE, pause * 2)
                check_at_once = is_bad_row(error)
                room = 0
            else:
                break
        self._let_go(ended)
        if any(one.claimed.lost for one in landed):
            self.claiming.may_take_suspects = True
            self.around.quarantine.leave()
        return self._start(batch, room) if room else self._claim()

    def _store_landed(
        self, landed: list[Landed], room: int, *, check_at_once: bool
    ) -> tuple[list[Ended], Batch | None]:
        """One try. After an error nobody knows whether it was committed: Runner.store says what becomes of that."""
        claims, worker = self.around.late.claims, self.around.heart.id
        endings = [one.ending for one in landed]
        ended: list[Ended] = []
        batch: Batch | None = None
        next_token = claims.hold() if room else None
        try:
            with transaction(self.around.pool) as connection:
                if rests := _rests(landed):
                    self.recorder.rest(connection, rests)
                tried = self.recorder.record(connection, worker, None, endings, check_at_once=check_at_once)
                ended = claims.settle(connection, self.recorder, tried)
                if next_token is not None:
                    self._due, began = False, time.monotonic()
                    batch = self.claiming.take(connection, next_token, room)
                    self._claim_took = time.monotonic() - began
        except Exception:
            claims.doubt(ended)
            if next_token is not None:
                self._due = True
                self.claiming.disown(next_token)
            raise
        if batch is not None:
            self.claiming.committed(batch)
        return ended, batch

    def _let_go(self, ended: list[Ended]) -> None:
        """What a user has locked is brought again later; a claim is over when its last row is."""
        self.report(ended)
        claims = self.around.late.claims
        by_claim: dict[UUID, list[Ended]] = {}
        for one in ended:
            if one.ending.token is not None:
                by_claim.setdefault(one.ending.token, []).append(one)
        for token, some in by_claim.items():
            if locked := [one.ending for one in some if one.verdict == "locked"]:
                claims.share(token)
                self.around.late.add(self, token, locked)
            self._left[token] -= len(some)
            if self._left[token] == 0:
                del self._left[token]
                claims.let_go(token)


def _rests(landed: list[Landed]) -> dict[str, float]:
    """For how long from now to leave each host alone: from the end of its run, which was a moment ago."""
    now = time.monotonic()
    return {
        one.claimed.key: left
        for one in landed
        if one.claimed.key is not None and (left := one.at + one.spare - now) > 0
    }
