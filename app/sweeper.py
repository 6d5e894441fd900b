"""The low-frequency pass that repairs what doorbells, nudges and dead workers left behind."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Generic, TypeVar
from uuid import UUID

import psycopg
from apscheduler.schedulers.background import BackgroundScheduler
from psycopg import Connection

from actors._workflow import Workflow
from app import metrics
from app.config import Settings
from app.logs import event
from app.retention import SLICE_BLOCKS, Retention, number
from db.connections import Pool, transaction
from db.lifecycle import Recovery, Swept
from db.outcomes import Outcome
from db.statements import statements

log = logging.getLogger(__name__)
LIVENESS = statements("liveness.sql")

Key = TypeVar("Key")
Repair = Callable[[Connection[Any], int, int], Swept]

PASS_BLOCKS = 8192  # 64 MB of a table per periodic pass; the next pass goes on where this one stopped
CLAIMS_AT_ONCE = 500


class Observer(Generic[Key]):
    """Watches counters on a monotonic clock. Standing still counts only while nobody looked away."""

    def __init__(self, lease: timedelta, interval: timedelta) -> None:
        self.lease = lease.total_seconds()
        self.longest_gap = 3 * interval.total_seconds()
        self._seen: dict[Key, tuple[int, float]] = {}
        self._looked_at = float("-inf")

    def dead(self, beats: dict[Key, int]) -> dict[Key, int]:
        """Of these workers (or claims) and their counters: those that stood still for a whole lease under our eyes."""
        now = time.monotonic()
        if now - self._looked_at > self.longest_gap:
            self._seen.clear()  # an outage or a suspended machine: everybody starts afresh
        self._looked_at = now
        before = self._seen
        self._seen = {
            worker: before[worker] if worker in before and before[worker][0] == count else (count, now)
            for worker, count in beats.items()
        }
        return {worker: count for worker, (count, since) in self._seen.items() if now - since >= self.lease}


class Sweeper:
    """In a dry run everything is repaired and rolled back, so the counts are true and nothing changes."""

    def __init__(self, pool: Pool, workflows: Sequence[Workflow], settings: Settings, *, dry_run: bool = False) -> None:
        self.pool = pool
        self.dry_run = dry_run
        self._rehearsal: Connection[Any] | None = None
        self.settings = settings
        self.recoveries = {workflow.name: Recovery(workflow) for workflow in workflows}
        self.sql = statements("upkeep.sql")
        self.retention = Retention(pool, settings)
        self.observer: Observer[UUID] = Observer(settings.lease, settings.beat)
        self.claim_observers: dict[str, Observer[UUID]] = {
            workflow.name: Observer(workflow.longest_claim, settings.sweep_interval(workflow.name))
            for workflow in workflows
        }

    def watch(self) -> list[UUID]:
        """One look at the counters; bury who stood still for a lease and give their rows back at once."""
        with self.pool.connection() as connection:
            beats = dict(connection.execute(LIVENESS["beats"]).fetchall())
            buried = [
                worker
                for worker, count in self.observer.dead(beats).items()
                if connection.execute(LIVENESS["bury"], {"id": worker, "beats": count}).rowcount
            ]
        for worker in buried:
            event(log, logging.WARNING, "worker.buried", worker=worker)
            metrics.workers_buried.labels("sweeper").inc()
        if buried:
            self.end_lost_claims()
        self._cut_off_listeners()
        return buried

    def _cut_off_listeners(self) -> None:
        with self.pool.connection() as connection:
            for pid, _ in connection.execute(self.sql["cut_off_listeners"]).fetchall():
                event(log, logging.WARNING, "listener.cut_off", server_process=pid, reason="it does not read")

    def bury_child(self, supervisor: str, pid: int, outcome: Outcome | None = None) -> int:
        """The parent saw its child die: no need to wait for a lease. Returns the number of rows given back."""
        with self.pool.connection() as connection:
            buried = connection.execute(LIVENESS["bury_child"], {"supervisor": supervisor, "pid": pid}).rowcount
        if buried:
            metrics.workers_buried.labels("supervisor").inc(buried)
        return self.end_lost_claims(outcome)

    def end_lost_claims(self, outcome: Outcome | None = None) -> int:
        return sum(self._end_lost_claims(recovery, outcome).lost_claims for recovery in self.recoveries.values())

    def _end_lost_claims(self, recovery: Recovery, outcome: Outcome | None = None) -> Swept:
        total = Swept()
        after: str | None = ""
        while after is not None:
            with self._transaction() as connection:
                swept, after = recovery.end_lost_claims(connection, after, CLAIMS_AT_ONCE, outcome)
            total += swept
        name = recovery.declaration.name
        for ended in () if self.dry_run else total.ended:
            metrics.rescues.labels(name, ended.verdict).inc()
        if total.lost_claims and not self.dry_run:
            event(log, logging.WARNING, "claims.given_back", workflow=name, rows=total.lost_claims)
        return total

    def _end_overdue_claims(self, recovery: Recovery) -> Swept:
        """Claims that stood for longer than every limit of their workflow, all the time under our eyes.

        No clock of a server is asked: one that jumps would end claims whose rows still run. A claim whose results wait
        for a lock does not stand still: its worker counts it up (app/late.py).
        """
        name = recovery.declaration.name
        with self._transaction() as connection:
            standing = recovery.claims_of_the_living(connection)
        overdue = self.claim_observers[name].dead(standing)
        if not overdue:
            return Swept()
        with self._transaction() as connection:
            swept = recovery.end_overdue_claims(connection, overdue)
        if swept.overdue_claims and not self.dry_run:
            event(log, logging.WARNING, "claims.overdue", workflow=name, rows=swept.overdue_claims)
        return swept

    def sweep(self, workflow: str, *, whole: bool = False) -> Swept:
        """One pass over a workflow: lost claims, then a bounded part of its table and jobs (or the whole of them)."""
        if not self.dry_run:
            swept = self._sweep(workflow, whole=whole)
            self._report(workflow, swept)
            return swept
        with transaction(self.pool, dry_run=True) as connection:
            self._rehearsal = connection
            try:
                return self._sweep(workflow, whole=whole)
            finally:
                self._rehearsal = None

    def _sweep(self, workflow: str, *, whole: bool) -> Swept:
        recovery = self.recoveries[workflow]
        total = self._end_lost_claims(recovery)
        total += self._end_overdue_claims(recovery)
        total += self._slices(workflow, recovery.sql["table_blocks"], recovery.sweep_rows, whole=whole)
        total += self._slices(f"{workflow} jobs", recovery.sql["job_blocks"], recovery.sweep_jobs, whole=whole)
        return total

    @contextmanager
    def _transaction(self) -> Iterator[Connection[Any]]:
        """A short transaction of its own, or a part of the one that a dry run rolls back as a whole."""
        if self._rehearsal is None:
            with transaction(self.pool) as connection:
                yield connection
        else:
            with self._rehearsal.transaction():
                yield self._rehearsal

    def _report(self, workflow: str, swept: Swept) -> None:
        """In the database too: whoever scrapes may not look for unowned rows himself, and the sweep has just looked."""
        with self.pool.connection() as connection:
            connection.execute(self.sql["save_sweep"], {"workflow": workflow, **swept.counts()})
        for kind, count in swept.counts().items():
            metrics.swept.labels(workflow, kind).inc(count)
        level = logging.WARNING if swept.repairs else logging.DEBUG
        log.log(level, "sweep.ended", extra={"fields": {"workflow": workflow, **swept.counts()}})

    def _slices(self, name: str, size: bytes, repair: Repair, *, whole: bool) -> Swept:
        """Go through a table in slices of bounded size, from where the last pass stopped."""
        total = Swept()
        with self._transaction() as connection:
            blocks = number(connection, size, {})
            stopped = number(connection, self.sql["position"], {"name": name})
        place = {
            "name": name,
            "every": self.settings.sweep_interval(name.removesuffix(" jobs")),
            "pass_blocks": PASS_BLOCKS,
        }
        start = 0 if whole or stopped >= blocks else stopped
        end = blocks if whole else min(blocks, start + PASS_BLOCKS)
        for low in range(start, end, SLICE_BLOCKS):
            with self._transaction() as connection:
                total += repair(connection, low, min(low + SLICE_BLOCKS, end))
        if not whole:
            with self._transaction() as connection:
                connection.execute(self.sql["save_position"], {**place, "next_block": end})
        return total

    def run(self, stop: threading.Event) -> None:
        """Watch every beat, sweep each workflow at its interval, prune every hour; a pass that runs may end."""
        scheduler = BackgroundScheduler(timezone="UTC")
        options: dict[str, Any] = {
            "trigger": "interval",
            "max_instances": 1,
            "coalesce": True,
            "misfire_grace_time": None,
        }
        scheduler.add_job(self._safely, args=[self.watch], seconds=self.settings.beat.total_seconds(), **options)
        for name in self.recoveries:
            interval = self.settings.sweep_interval(name).total_seconds()
            scheduler.add_job(self._safely, args=[self.sweep, name], seconds=interval, **options)
        scheduler.add_job(self._safely, args=[self.retention.prune], hours=1, **options)
        scheduler.start()
        stop.wait()
        scheduler.shutdown(wait=True)

    def _safely(self, step: Any, *arguments: Any) -> None:
        """A database that is away costs a pass, not the sweeper."""
        try:
            step(*arguments)
        except psycopg.Error as error:
            event(log, logging.WARNING, "sweep.failed", step=step.__name__, error=str(error))
