"""Hears doorbells and nudges workflows. Deaf or not, it polls; the doorbell only makes it quick."""

import logging
import random
import threading
import time
from typing import Any
from uuid import uuid4

import psycopg
from psycopg import Connection

from app import metrics
from app.broker import Nudger
from app.config import Settings
from app.logs import event, redact
from app.presence import Presence
from db.connections import KEEPALIVE, Pool

log = logging.getLogger(__name__)

FOLD_SECONDS = 0.005
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 10.0

# One look at the head of each queue. Its cost does not grow with what is due. What is delayed the index skips from
# PostgreSQL 18 on; before, it is read there (300,000 rows in 11 ms). The canary is left to the doorbell, or it would
# prove nothing.
DUE = """
select workflow.name
from engine.workflow
cross join lateral (
    select 1 from engine.job
    where job.workflow = workflow.name and job.token is null and not job.dead and job.run_at <= now()
    order by job.priority, job.run_at
    limit 1
) as due
where not engine.is_stopped(workflow.*) and workflow.name <> 'canary'
"""


class Deaf(Exception):
    """The connection stands, but our own echo does not arrive."""


class Listener:
    """One connection that only listens, one thread that polls; both end in a nudge."""

    def __init__(self, settings: Settings, listen_url: str, pool: Pool, nudger: Nudger) -> None:
        self.settings = settings
        self.listen_url = listen_url
        self.pool = pool
        self.nudger = nudger
        self.presence = Presence(settings, pool)
        self.hearing = threading.Event()
        self._stop = threading.Event()
        self._nudged: dict[str, float] = {}
        self._held_back: set[str] = set()
        self._called_at = 0.0
        self._threads = [
            threading.Thread(target=self._listen_on, name="listener", daemon=True),
            threading.Thread(target=self._poll_on, name="poller", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        self.presence.leave()
        metrics.listeners.set(0)

    def _listen_on(self) -> None:
        pause = SHORTEST_PAUSE
        metrics.listeners.set(1)
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                self._listen()
            except (psycopg.Error, Deaf, OSError) as error:
                trouble = str(error) or type(error).__name__
                event(log, logging.WARNING, "listener.lost", error=trouble)
                metrics.listener_reconnects.inc()
                self.presence.say(hears=False, trouble=redact(trouble))
            finally:
                self.hearing.clear()
                metrics.listener_connected.set(0)
            pause = SHORTEST_PAUSE if time.monotonic() - began > LONGEST_PAUSE else min(LONGEST_PAUSE, pause * 2)
            self._stop.wait(random.uniform(pause / 2, pause))  # noqa: S311 - jitter, not a secret

    def _listen(self) -> None:
        """LISTEN, then nudge whatever is due, then wait: nothing falls between."""
        with psycopg.connect(
            self.listen_url,
            autocommit=True,
            prepare_threshold=None,
            application_name="scrapersky listener",
            **KEEPALIVE,
        ) as connection:
            connection.execute("listen engine")
            self._nudge_due()
            while not self._stop.is_set():
                self._hear(connection, self._echo())

    def _echo(self) -> str:
        """Called out on another connection: on our own we would hear ourselves even behind a pooler."""
        word = f"echo {uuid4()}"
        self._called_at = time.monotonic()
        self.presence.echo(word, hears=self.hearing.is_set())
        return word

    def _hear(self, connection: Connection[Any], echo: str) -> None:
        """Listen for one echo interval. Not to hear the own echo in it means: deaf."""
        interval = self.settings.echo.total_seconds()
        deadline = time.monotonic() + interval
        heard = False
        while not self._stop.is_set() and (left := deadline - time.monotonic()) > 0:
            patience = FOLD_SECONDS if self._held_back else min(left, 0.5)
            for notice in connection.notifies(timeout=patience, stop_after=1):
                if notice.payload == echo:
                    heard = True
                    self._hears()
                    metrics.listener_connected.set(1)
                    metrics.echo.observe(time.monotonic() - self._called_at)
                elif notice.payload in self.nudger.workflows:
                    metrics.doorbells.labels(notice.payload).inc()
                    self._held_back.add(notice.payload)
            self._nudge_folded()
        if not heard and not self._stop.is_set():
            raise Deaf(
                f"own echo not heard within {interval:g} s; a pooler in transaction mode? Set LISTEN_DATABASE_URL"
            )

    def _hears(self) -> None:
        if not self.hearing.is_set():
            self.hearing.set()
            self.presence.say(hears=True)

    def _nudge_folded(self) -> None:
        """The first doorbell nudges at once, those right behind it together a few milliseconds later."""
        for workflow in list(self._held_back):
            now = time.monotonic()
            if now - self._nudged.get(workflow, 0.0) >= FOLD_SECONDS:
                self._held_back.discard(workflow)
                self._nudged[workflow] = now
                self.nudger.nudge(workflow)

    def _poll_on(self) -> None:
        while not self._stop.wait(self.settings.poll.total_seconds()):
            self._nudge_due()

    def _nudge_due(self) -> None:
        """Due work that no doorbell announces: retries, rows that stepped aside, doorbells we slept through."""
        try:
            with self.pool.connection() as connection:
                due = [name for (name,) in connection.execute(DUE).fetchall()]
        except psycopg.Error as error:
            event(log, logging.WARNING, "poll.failed", error=str(error))
            return
        for workflow in due:
            if workflow in self.nudger.workflows:
                metrics.polls.labels(workflow).inc()
                self.nudger.nudge(workflow)
