"""The low-frequency pass that repairs what doorbells, nudges and dead workers left behind."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from apscheduler.schedulers.background import BackgroundScheduler
from psycopg import Connection

from actors._workflow import Workflow
from app import metrics
from app.config import Settings
from app.logs import event
from db.connections import Pool, transaction
from db.lifecycle import Recovery, Swept
from db.outcomes import Outcome
from db.statements import statements

log = logging.getLogger(__name__)
LIVENESS = statements("liveness.sql")

Repair = Callable[[Connection[Any], int, int], Swept]

SLICE_BLOCKS = 512  # 4 MB at a time, each slice a transaction of its own
PASS_BLOCKS = 8192  # 64 MB of a table per periodic pass; the next pass goes on where this one stopped
CLAIMS_AT_ONCE = 500
CLEARED_AT_ONCE = 5000


class Observer:
    """Watches beat counters on a monotonic clock. Standing still counts only while nobody looked away."""

    def __init__(self, lease: timedelta, interval: timedelta) -> None:
        self.lease = lease.total_seconds()
        self.longest_gap = 3 * interval.total_seconds()
        self._seen: dict[UUID, tuple[int, float]] = {}
        self._looked_at = float("-inf")

    def dead(self, beats: dict[UUID, int]) -> dict[UUID, int]:
        """Of these workers and their counters: those that stood still for a whole lease under our eyes."""
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
        self.observer = Observer(settings.lease, settings.beat)

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

    def prune(self) -> None:
        """Forget what is older than the settings say: history, and what Places told."""
        with self.pool.connection() as connection:
            for name in ("prune_attempts", "prune_submissions", "prune_actions"):
                self._clear(connection, name, self.settings.history)
            for name in ("prune_rates", "prune_robots", "prune_paces", "prune_listeners", "forget_blocks"):
                connection.execute(self.sql[name], {"age": self.settings.history})
        if self.settings.places_retention is not None:
            self._clear_slices("clear_places", "places_staging", self.settings.places_retention)
            self._clear_slices("clear_businesses", "local_businesses", self.settings.places_retention)

    def _clear(self, connection: Connection[Any], name: str, age: timedelta) -> None:
        parameters = {"age": age, "rows": CLEARED_AT_ONCE}
        while connection.execute(self.sql[name], parameters).rowcount == CLEARED_AT_ONCE:
            pass

    def _clear_slices(self, name: str, table: str, age: timedelta) -> None:
        """One pass, each slice in a transaction of its own. What it clears is written behind it and cleared already."""
        with transaction(self.pool) as connection:
            blocks = self._number(connection, self.sql["blocks"], {"table": table})
        for low in range(0, blocks, SLICE_BLOCKS):
            area = {"low": f"({low},0)", "high": f"({low + SLICE_BLOCKS},0)"}
            with transaction(self.pool) as connection:
                connection.execute(self.sql[name], {"age": age, **area})

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
            blocks = self._number(connection, size, {})
            stopped = self._number(connection, self.sql["position"], {"name": name})
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

    def _number(self, connection: Connection[Any], query: bytes, parameters: dict[str, Any]) -> int:
        row = connection.execute(query, parameters).fetchone()
        return int(row[0]) if row else 0

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
        scheduler.add_job(self._safely, args=[self.prune], hours=1, **options)
        scheduler.start()
        stop.wait()
        scheduler.shutdown(wait=True)

    def _safely(self, step: Any, *arguments: Any) -> None:
        """A database that is away costs a pass, not the sweeper."""
        try:
            step(*arguments)
        except psycopg.Error as error:
            event(log, logging.WARNING, "sweep.failed", step=step.__name__, error=str(error))
