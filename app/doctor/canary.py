"""A row through the whole path, timed step by step: trigger, doorbell, nudge, claim, run, record.

It has a table of its own and asks nobody outside. No listener polls for it: its arrival proves the doorbell.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from uuid import UUID, uuid4

from dramatiq import Message
from dramatiq.brokers.redis import RedisBroker
from psycopg import Connection, Rollback

from app.broker import make_broker
from app.doctor.finding import MIGRATE, Finding, by_hand, by_service, by_setting, failure, warning, well
from app.doctor.patient import Patient
from app.doctor.workers import UP, living
from db.canary import CANARY, WORDS
from db.migrate import declare
from db.statements import statements

SQL = statements("canary.sql")
LOOK_SECONDS = 0.005
ENDED = (WORDS.done, WORDS.failed)


def canary(patient: Patient) -> Iterator[Finding]:
    """Without a worker there is nothing to wait for, and one from before the canary does not know it."""
    alive = [row for row in living(patient) if not row.draining]
    if not alive:
        yield failure("not sent: no worker would take it", "The path can be proven only while workers run.", UP)
        return
    if not any(CANARY.name in (row.workflows or ()) for row in alive):
        yield warning(
            f"not sent: none of {len(alive)} worker processes knows it",
            "They are of an older version. Their own workflows may be fine.",
            by_hand("restart the workers with this version; they finish what they run first"),
        )
        return
    with patient.connect(patient.url) as connection, patient.connect(patient.listen_url) as ear:
        yield Probe(patient, connection, ear).run()


class Probe:
    def __init__(self, patient: Patient, connection: Connection[Any], ear: Connection[Any]) -> None:
        self.patient = patient
        self.connection = connection
        self.ear = ear
        self.id: UUID = uuid4()
        self.since = 0
        self.sent = 0.0
        self.trigger = 0.0

    def run(self) -> Finding:
        self.ear.execute("listen engine")
        try:
            if not self._send():
                means = "A queued row would wait for the sweep."
                return failure("its trigger made no job", means, MIGRATE)
            return self._judge(self._hear())
        finally:
            self.ear.execute("unlisten *")
            self._remove()

    def _elapsed(self) -> float:
        return time.monotonic() - self.sent

    def _execute(self, name: str) -> Any:
        return self.connection.execute(SQL[name], {"id": self.id, "since": self.since})

    def _send(self) -> bool:
        """Queue the row as any user would; nothing is left of it where the trigger did nothing."""
        with self.connection.transaction() as transaction:
            self._execute("take_turns")
            declare(self.connection, CANARY)
            (self.since,) = self._execute("last_submission").fetchone()
            self.sent = time.monotonic()
            self._execute("send")
            self.trigger = self._elapsed()
            queued = bool(self._execute("has_job").fetchone().found)
            if not queued:
                raise Rollback(transaction)
        return queued

    def _hear(self) -> float | None:
        """When the doorbell was heard here, on a connection such as the listener's."""
        deadline = self.sent + self.patient.limits.doorbell.total_seconds()
        while (left := deadline - time.monotonic()) > 0:
            for notice in self.ear.notifies(timeout=left, stop_after=1):
                if notice.payload == CANARY.name:
                    return self._elapsed()
        return None

    def _judge(self, bell: float | None) -> Finding:
        row = self._wait()
        if row.status == WORDS.done:
            return self._arrived(row, bell)
        if row.status != WORDS.queued:
            means = "A worker took it and did not bring it back."
            advice = by_hand("look at what the workers log")
            return failure(f"it is {row.status}: {row.error or 'no reason given'}", means, advice)
        if self._nudge():
            return failure(
                "no listener passed the doorbell on; nudged by hand, a worker ran it",
                "Listeners are deaf, gone or of an older version; rows start by polling, or not at all.",
                by_service("scrapersky listen"),
            )
        return self._not_taken(bell)

    def _wait(self) -> Any:
        deadline = time.monotonic() + self.patient.limits.canary.total_seconds()
        while (row := self._execute("state").fetchone()).status not in ENDED and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)
        return row

    def _arrived(self, row: Any, bell: float | None) -> Finding:
        """The server's clock tells the steps, ours when the bell was heard; both begin when the row was sent."""
        total = row.nudged + row.claimed + row.ran + row.recorded
        if bell is None:
            return failure(
                f"arrived after {total * 1000:.0f} ms, but its doorbell was not heard here",
                "The doctor's own LISTEN is deaf, as through a pooler; see there.",
            )
        steps = {"trigger": self.trigger, "doorbell": bell - self.trigger, "nudge": max(0.0, row.nudged - bell)}
        steps |= {"claim": row.claimed, "run": row.ran, "record": row.recorded}
        told = ", ".join(f"{name} {seconds * 1000:.0f}" for name, seconds in steps.items())
        return well(f"there and back in {total * 1000:.0f} ms: {told}")

    def _nudge(self) -> bool:
        """With a broker outside we can knock ourselves, and so tell a deaf listener from a deaf worker."""
        if not self.patient.settings.broker_url:
            return False
        with closing(make_broker(self.patient.settings)) as broker:
            message: Message[Any] = Message(
                queue_name=CANARY.name, actor_name=CANARY.name, args=(), kwargs={}, options={}
            )
            try:
                broker.enqueue(message)
            except Exception:  # noqa: BLE001 - each client has its own errors; the check of the broker tells them
                return False
            finally:
                if isinstance(broker, RedisBroker):
                    broker.client.close()  # which Dramatiq leaves open
        return bool(self._wait().status == WORDS.done)

    def _not_taken(self, bell: float | None) -> Finding:
        seconds = self.patient.limits.canary.total_seconds()
        busy = self._execute("busy").fetchone().rows
        heard = "its doorbell rang" if bell is not None else "its doorbell was not heard"
        if busy:
            return warning(
                f"not taken within {seconds:g} s ({heard}); {busy} other rows are running",
                "All threads may be busy with slow rows. If it stays so, give the workers more threads.",
                by_setting(f"SCRAPERSKY_THREADS={2 * self.patient.settings.threads}"),
            )
        return failure(
            f"not taken within {seconds:g} s ({heard}), and nothing else runs",
            "Workers beat but do not work: their listener is deaf, or the broker does not reach them.",
            by_hand("look at what the workers log, then restart them"),
        )

    def _remove(self) -> None:
        with self.connection.transaction():
            self._execute("take_turns")
            names = ("rows", "jobs", "attempts", "submissions", "workflow")
            for name in names:
                self._execute(f"remove_{name}")
