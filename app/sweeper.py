"""The low-frequency pass that repairs what doorbells, nudges and dead workers left behind."""

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from apscheduler.schedulers.blocking import BlockingScheduler

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

SLICE_BLOCKS = 512  # 4 MB at a time, each slice a transaction of its own
PASS_BLOCKS = 8192  # 64 MB of a table per periodic pass; the next pass goes on where this one stopped
CLAIMS_AT_ONCE = 500


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
        self.settings = settings
        self.recoveries = {workflow.name: Recovery(workflow) for workflow in workflows}
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
        return buried

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
        while True:
            with transaction(self.pool, dry_run=self.dry_run) as connection:
                swept = recovery.end_lost_claims(connection, None if self.dry_run else CLAIMS_AT_ONCE, outcome)
            total += swept
            if swept.lost_claims < CLAIMS_AT_ONCE or self.dry_run:
                break
        name = recovery.declaration.name
        for ended in () if self.dry_run else total.ended:
            metrics.rescues.labels(name, ended.verdict).inc()
        if total.lost_claims and not self.dry_run:
            event(log, logging.WARNING, "claims.given_back", workflow=name, rows=total.lost_claims)
        return total

    def sweep(self, workflow: str, *, whole: bool = False) -> Swept:
        """One pass over a workflow: lost claims, then a bounded part of its table and jobs (or the whole of them)."""
        recovery = self.recoveries[workflow]
        total = self._end_lost_claims(recovery)
        blocks = self._blocks(recovery.sql["table_blocks"], {})
        start = 0 if whole else self._position(recovery)
        end = blocks if whole else min(blocks, start + PASS_BLOCKS)
        for low in range(start, end, SLICE_BLOCKS):
            with transaction(self.pool, dry_run=self.dry_run) as connection:
                total += recovery.sweep_rows(connection, low, min(low + SLICE_BLOCKS, end))
        if not whole:
            self._save_position(recovery, 0 if end >= blocks else end)
        jobs = self._blocks(b"select pg_relation_size('engine.job') / current_setting('block_size')::bigint", {})
        for low in range(0, jobs, SLICE_BLOCKS):
            with transaction(self.pool, dry_run=self.dry_run) as connection:
                total += recovery.sweep_jobs(connection, low, low + SLICE_BLOCKS)
        if not self.dry_run:
            self._report(workflow, total)
        return total

    def prune(self) -> None:
        """Forget history that is older than the setting says."""
        sql = next(iter(self.recoveries.values())).sql
        with self.pool.connection() as connection:
            for name in ("prune_attempts", "prune_submissions", "prune_paces"):
                connection.execute(sql[name], {"age": self.settings.history})

    def _report(self, workflow: str, swept: Swept) -> None:
        for kind, count in swept.counts().items():
            metrics.swept.labels(workflow, kind).inc(count)
        metrics.last_sweep.set_to_current_time()
        level = logging.WARNING if swept.repairs else logging.DEBUG
        log.log(level, "sweep.ended", extra={"fields": {"workflow": workflow, **swept.counts()}})

    def _blocks(self, query: bytes, parameters: dict[str, Any]) -> int:
        with self.pool.connection() as connection:
            row = connection.execute(query, parameters).fetchone()
        return int(row[0]) if row else 0

    def _position(self, recovery: Recovery) -> int:
        return self._blocks(recovery.sql["position"], recovery.parameters)

    def _save_position(self, recovery: Recovery, next_block: int) -> None:
        with self.pool.connection() as connection:
            connection.execute(recovery.sql["save_position"], {**recovery.parameters, "next_block": next_block})

    def run(self, scheduler: BlockingScheduler) -> None:
        """Watch every beat, sweep each workflow at its interval, prune every hour; until the scheduler stops."""
        options: dict[str, Any] = {
            "trigger": "interval",
            "max_instances": 1,
            "coalesce": True,
            "misfire_grace_time": None,
        }
        scheduler.add_job(self._safely, args=[self.watch], seconds=self.settings.beat.total_seconds(), **options)
        for name in self.recoveries:
            override = self.settings.overrides.get(name)
            interval = (override and override.sweep) or self.settings.sweep
            scheduler.add_job(self._safely, args=[self.sweep, name], seconds=interval.total_seconds(), **options)
        scheduler.add_job(self._safely, args=[self.prune], hours=1, **options)
        scheduler.start()

    def _safely(self, step: Any, *arguments: Any) -> None:
        """A database that is away costs a pass, not the sweeper."""
        try:
            step(*arguments)
        except psycopg.Error as error:
            event(log, logging.WARNING, "sweep.failed", step=step.__name__, error=str(error))
