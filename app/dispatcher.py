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
from db.outcomes import Released

log = logging.getLogger(__name__)

# How long an ended row waits for others, to be recorded with them, while more are running.
GATHER_SECONDS = 0.15
# Between two claims, and when due rows wait for their hosts; longer where a claim takes long.
CLAIM_SECONDS, LOOK_SECONDS, LONGEST_LOOK = 0.02, 0.1, 1.0
CLAIM_SHARE = 10


class Landed(NamedTuple):
    """A row whose run is over and not yet recorded."""

    token: UUID
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
            self._record_landed()
            started = self._claim()

    def _serve(self) -> None:
        while not self._stopping:
            self._wake.wait(self._look_pause if self._due else None)
            self._wake.clear()
            self.drain()

    @property
    def _look_pause(self) -> float:
        return min(LONGEST_LOOK, max(LOOK_SECONDS, CLAIM_SHARE * self._claim_took))

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
        if not self._due or self.around.draining.is_set():
            self._look_at = math.inf
            return False
        room = self._in_flight.room(self.workflow.name)
        if room == 0:
            self._look_at = time.monotonic() + self._look_pause
            return False
        batch = self._claimed(room)
        if batch is None or not batch.rows:
            return False
        self.claiming.may_take_suspects = not any(row.lost for row in batch.rows)
        self._in_flight.begun(self.workflow.name, len(batch.rows), wanted=room)
        with self._lock:
            self._running += len(batch.rows)
            self._left[batch.token] = len(batch.rows)
        for claimed in batch.rows:
            self._threads.submit(self._fly, batch.token, claimed)
        return True

    def _claimed(self, room: int) -> Batch | None:
        """Rows may be due that wait for their hosts, and a database that is away is asked again: both by and by."""
        began = time.monotonic()
        if began < self._claimed_at + CLAIM_SECONDS:
            time.sleep(self._claimed_at + CLAIM_SECONDS - began)
        self._due = False
        batch = self.claiming.claim(min(room, self.workflow.batch))
        self._claimed_at = time.monotonic()
        self._claim_took = self._claimed_at - began
        if batch is None or batch.due:
            self._due = True
        self._look_at = self._claimed_at + (0.0 if batch and batch.full else self._look_pause)
        return batch

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
            outcome = Released()
        else:
            with self.around.toolbox.lend(self.workflow) as lent:
                outcome = self._attempt(claimed, lent)
                spare, waited = lent.spare, lent.waited
        now = time.monotonic()
        self.around.traces.attempted(self.workflow, claimed, outcome, now - began)
        self._in_flight.ended(self.workflow.name, seconds=now - began, waited=waited)
        ending = Ending(
            claimed.pk,
            claimed.generation,
            claimed.attempt,
            claimed.max_attempts,
            outcome,
            now - began,
            claimed.tid,
        )
        return Landed(token, claimed, ending, now, spare)

    def _record_landed(self) -> None:
        """A database that is away is waited for."""
        with self._lock:
            landed, self._landed = self._landed, []
        if not landed:
            return
        self._learn([one.ending.seconds for one in landed if not isinstance(one.ending.outcome, Released)])
        endings: dict[UUID, list[Ending]] = {}
        for one in landed:
            endings.setdefault(one.token, []).append(one.ending)
        pause, check_at_once = 0.1, False
        while True:
            try:
                ended = self._store_all(endings, _rests(landed), check_at_once=check_at_once)
            except Exception as error:
                if not isinstance(error, psycopg.Error) and not is_bad_row(error):
                    raise
                event(log, logging.WARNING, "record.delayed", workflow=self.workflow.name, error=reason_of(error))
                time.sleep(random.uniform(pause / 2, pause))  # noqa: S311 - jitter, not a secret
                pause = min(LONGEST_PAUSE, pause * 2)
                check_at_once = is_bad_row(error)
            else:
                break
        for token, some in ended.items():
            self._let_go(token, some)
        if any(one.claimed.lost for one in landed):
            self.claiming.may_take_suspects = True
            self.around.quarantine.leave()

    def _store_all(
        self, endings: dict[UUID, list[Ending]], rests: dict[str, float], *, check_at_once: bool
    ) -> dict[UUID, list[Ended]]:
        """One try to record what has ended, of however many claims, and the pauses of the hosts that were visited."""
        claims = self.around.late.claims
        ended: dict[UUID, list[Ended]] = {}
        try:
            with transaction(self.around.pool) as connection:
                if rests:
                    self.recorder.rest(connection, rests)
                for token, some in endings.items():
                    tried = self.recorder.record(
                        connection, self.around.heart.id, token, some, check_at_once=check_at_once
                    )
                    ended[token] = claims.settle(connection, self.recorder, token, tried)
        except Exception:
            for token, some in ended.items():
                claims.doubt(token, some)
            raise
        return ended

    def _let_go(self, token: UUID, ended: list[Ended]) -> None:
        """What a user has locked is brought again later; a claim is over when its last row is."""
        self.report(ended)
        claims = self.around.late.claims
        if locked := [one.ending for one in ended if one.verdict == "locked"]:
            claims.share(token)
            self.around.late.add(self, token, locked)
        self._left[token] -= len(ended)
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
