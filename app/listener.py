"""Hears doorbells and nudges workflows. Deaf or not, a poller looks too; the doorbell only makes it quick."""

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
from app.poller import Poller
from app.presence import Presence
from db.connections import KEEPALIVE, Pool

log = logging.getLogger(__name__)

FOLD_SECONDS = 0.005
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 10.0


class Deaf(Exception):
    """The connection stands, but our own echo does not arrive."""


class Listener:
    """One connection that only listens, and a poller; both end in a nudge."""

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
        self.poller = Poller(settings, pool, nudger, self.presence.id)
        self._thread = threading.Thread(target=self._listen_on, name="listener", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self.poller.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        self.poller.stop()
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
            self.poller.nudge_due()
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
                    self.poller.rang()
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
