"""Looks for due work: every second or so, and every few milliseconds while so much comes in that nobody should ring."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Literal
from uuid import UUID

import psycopg
from psycopg import Connection

from app import metrics
from app.broker import Nudger
from app.config import Settings
from app.lease import DUE, LEASE_SECONDS, RENEW_SECONDS, Lease, Look
from app.logs import event
from db.connections import Pool

log = logging.getLogger(__name__)

# So many doorbells in so short a time: commits begin to wait for each other.
MANY_BELLS, BELLS_SECONDS = 20, 0.1
# So few submissions: ringing is cheaper than looking.
FEW_SUBMISSIONS, SUBMISSIONS_SECONDS = 10, 0.25
LOOK_SECONDS = 0.005
# Between two looks for what a transaction that lasts has queued in silence.
LONGEST_LOOK_SECONDS = 0.1
RING_SECONDS = 0.01
# After an error, and before the next try to get a lease that another listener has.
PAUSE_SECONDS = 1.0

State = Literal["asleep", "awake", "closing"]


class Poller:
    """Asleep it relies on the doorbell, and looks rarely. Awake it has the lease, and nobody rings.

    Closing is between them: everybody rings again, and it looks until all have ended who may have seen it awake.
    """

    def __init__(
        self,
        settings: Settings,
        pool: Pool,
        nudger: Nudger,
        identity: UUID,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.clock = clock
        self.poll = settings.poll.total_seconds()
        self.pool = pool
        self.nudger = nudger
        self.lease = Lease(identity)
        self.state: State = "asleep"
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._wanted = False
        self._bells, self._bells_since = 0, 0.0
        self._poll_at, self._watch_at, self._try_at = clock() + self.poll, 0.0, 0.0
        self._renew_at = self._ring_at = self._count_at = 0.0
        self._counted: int | None = None
        self._seen: set[str] = set()
        self._withdrawn = False
        self._horizon: int | None = None
        self._pause = LOOK_SECONDS
        self._thread = threading.Thread(target=self._poll_on, name="poller", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join()
        self.abandon()

    def abandon(self) -> None:
        """What was queued in silence and has not been seen yet is left to the next listener."""
        if self.state != "asleep":
            self._try(self.lease.abandon)
            self._become("asleep")

    def rang(self) -> None:
        """A doorbell was heard. Where there are many, it is better to be awake."""
        now = self.clock()
        if now - self._bells_since > BELLS_SECONDS:
            self._bells, self._bells_since = 0, now
        self._bells += 1
        if self._bells >= MANY_BELLS and self.state != "awake" and now >= self._try_at:
            self._wanted = True
            self._wake.set()

    def nudge_due(self) -> None:
        """Due work that no doorbell announces: retries, rows that stepped aside, doorbells we slept through."""

        def look(connection: Connection[Any]) -> None:
            self._nudge([name for (name,) in connection.execute(DUE).fetchall()])

        self._try(look)

    def _poll_on(self) -> None:
        pause = 0.0
        while not self._stop.is_set():
            self._wake.wait(pause)
            self._wake.clear()
            pause = self.step()

    def step(self) -> float:
        """Do what is to be done now, and return the seconds until the next step."""
        steps: dict[State, Callable[[Connection[Any]], float]] = {
            "asleep": self._rest,
            "awake": self._look_closely,
            "closing": self._close,
        }
        pause = self._try(steps[self.state])
        return PAUSE_SECONDS if pause is None else pause

    def _try(self, act: Callable[[Connection[Any]], float | None]) -> float | None:
        try:
            with self.pool.connection() as connection:
                return act(connection)
        except psycopg.Error as error:
            event(log, logging.WARNING, "poll.failed", error=str(error))
            return None

    def _rest(self, connection: Connection[Any]) -> float:
        now = self.clock()
        wanted, self._wanted = self._wanted, False
        if now >= self._poll_at:
            self._poll_at = now + self.poll
            self._nudge([name for (name,) in connection.execute(DUE).fetchall()])
        if wanted and now >= self._try_at:
            self._try_at = now + PAUSE_SECONDS
            if self.lease.take(connection):
                return self._become("awake")
        elif now >= self._watch_at:
            self._watch_at = now + LEASE_SECONDS / 2
            if self.lease.take_over(connection):
                return self._become("awake")
        return max(0.0, min(self._poll_at, self._watch_at) - now)

    def _look_closely(self, connection: Connection[Any]) -> float:
        look = self._look(connection)
        if not self._renewed(connection, awake=True):
            return self._become("asleep")
        return self._become("closing") if self._is_quiet(look) else LOOK_SECONDS

    def _close(self, connection: Connection[Any]) -> float:
        """Whoever saw us awake had written his row by then: his transaction has a number below our horizon.

        So the lease is withdrawn first, the horizon is read after it, and what is seen when all below it have ended is
        everything that nobody rang for.
        """
        if not self._withdrawn:
            self._withdrawn = self.lease.renew(connection, awake=False)
            return 0.0 if self._withdrawn else self._become("asleep")
        look = self._look(connection)
        if self._horizon is None:
            self._horizon = look.next
        if look.oldest >= self._horizon:
            self.lease.release(connection)
            return self._become("asleep")
        if self._wanted and self.lease.renew(connection, awake=True):
            return self._become("awake")
        if not self._renewed(connection, awake=False):
            return self._become("asleep")
        self._pause = min(LONGEST_LOOK_SECONDS, self._pause * 2)
        return self._pause

    def _look(self, connection: Connection[Any]) -> Look:
        look = self.lease.look(connection)
        self._nudge(look.due)
        # What is still there at the second look is more than this process takes, or not for it at all.
        left = [name for name in look.due if name in self._seen or name not in self.nudger.workflows]
        self._seen = set(look.due)
        now = self.clock()
        if left and now >= self._ring_at:
            self._ring_at = now + RING_SECONDS
            self.lease.ring(connection, left)
        return look

    def _renewed(self, connection: Connection[Any], *, awake: bool) -> bool:
        """Whether the lease is still ours."""
        now = self.clock()
        if now < self._renew_at:
            return True
        self._renew_at = now + RENEW_SECONDS
        return self.lease.renew(connection, awake=awake)

    def _is_quiet(self, look: Look) -> bool:
        now = self.clock()
        if self._counted is not None and now < self._count_at:
            return False
        before, self._counted = self._counted, look.submissions or 0
        self._count_at = now + SUBMISSIONS_SECONDS
        return before is not None and self._counted - before < FEW_SUBMISSIONS

    def _become(self, state: State) -> float:
        """Each state begins with nothing left over from the one before."""
        event(log, logging.DEBUG, f"listener.{state}")
        self.state = state
        self._wanted = False
        self._renew_at = self.clock() + RENEW_SECONDS
        self._counted = None
        self._withdrawn = False
        self._horizon = None
        self._pause = LOOK_SECONDS
        metrics.listener_awake.set(state == "awake")
        return 0.0

    def _nudge(self, due: list[str]) -> None:
        for workflow in due:
            if workflow in self.nudger.workflows:
                metrics.polls.labels(workflow).inc()
                self.nudger.nudge(workflow)
