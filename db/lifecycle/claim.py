"""Queued -> Processing: take a batch of rows for this worker, this attempt, and nobody else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from psycopg import Connection, sql

from db.declaration import Declaration
from db.statements import statements

# How long a row whose lock a user holds steps aside before it is looked at again.
LOCKED_ROW_SECONDS = 1.0


class _Job(NamedTuple):
    tid: str
    pk: str
    generation: int
    attempt: int
    lost: int
    key: str | None
    waited: float
    max_attempts: int


@dataclass(frozen=True, slots=True)
class Claimed:
    pk: str
    generation: int
    attempt: int
    max_attempts: int
    waited: float
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """One claim: the token is the fence for all its rows. Full means that there may be more."""

    token: UUID
    rows: Sequence[Claimed]
    full: bool


class Claimer:
    def __init__(self, declaration: Declaration, columns: Sequence[str]) -> None:
        self.declaration = declaration
        selected = sql.SQL(", ").join(sql.Identifier("item", column) for column in columns)
        self.sql = statements("claim.sql", columns=selected, **declaration.names)
        words = declaration.words
        self.parameters = {"workflow": declaration.name, "queued": words.queued, "processing": words.processing}

    def claim(self, connection: Connection[Any], worker: UUID, size: int) -> Batch:
        """Take up to `size` rows, inside the caller's transaction."""
        connection.execute(self.sql["serialise"], self.parameters)
        if self.declaration.politeness is not None:
            connection.execute(self.sql["serialise_group"], {"group": self.declaration.politeness.group})
        found = connection.execute(self.sql["lock_jobs"], {**self.parameters, "worker": worker, "size": size})
        jobs = _alone_if_suspect([_Job(*job) for job in found.fetchall()])
        token = uuid4()
        if not jobs:
            return Batch(token, (), full=False)
        rows = self._lock_rows(connection, jobs)
        self._set_aside(connection, [job for job in jobs if job.pk not in rows])
        taken = self._polite(connection, [job for job in jobs if job.pk in rows])
        if taken:
            tids = [job.tid for job in taken]
            connection.execute(self.sql["take_jobs"], {"token": token, "worker": worker, "tids": tids})
            tids = [rows[job.pk][0] for job in taken]
            connection.execute(self.sql["take_rows"], {**self.parameters, "tids": tids})
        claimed = [
            Claimed(job.pk, job.generation, job.attempt + 1, job.max_attempts, job.waited, rows[job.pk][1])
            for job in taken
        ]
        return Batch(token, claimed, full=len(jobs) >= size or len(claimed) < len(jobs))

    def _lock_rows(self, connection: Connection[Any], jobs: list[_Job]) -> dict[str, tuple[str, tuple[Any, ...]]]:
        parameters = {**self.parameters, "pks": [job.pk for job in jobs]}
        return {row[0]: (row[1], row[2:]) for row in connection.execute(self.sql["lock_rows"], parameters).fetchall()}

    def _set_aside(self, connection: Connection[Any], jobs: list[_Job]) -> None:
        """Forget jobs whose row wants no work any more; let the rows that a user has locked wait."""
        if jobs:
            tids = [job.tid for job in jobs]
            connection.execute(self.sql["drop_withdrawn"], {**self.parameters, "tids": tids})
            connection.execute(self.sql["postpone"], {"tids": tids, "seconds": [LOCKED_ROW_SECONDS] * len(tids)})

    def _polite(self, connection: Connection[Any], jobs: list[_Job]) -> list[_Job]:
        """Those whose key may start now; the others get a later slot, spaced out, and burn no attempt."""
        politeness = self.declaration.politeness
        if politeness is None or not jobs:
            return jobs
        spacing = politeness.spacing.total_seconds()
        keys = sorted({job.key for job in jobs if job.key is not None})
        state = connection.execute(self.sql["key_state"], {"keys": keys}).fetchall()
        running = {key: count for key, count, _ in state}
        pause = {key: max(0.0, seconds) for key, _, seconds in state}
        taken: list[_Job] = []
        spared: list[tuple[str, float]] = []
        for job in jobs:
            if job.key is None:
                taken.append(job)
            elif pause[job.key] <= 0 and running[job.key] < politeness.at_once:
                taken.append(job)
                running[job.key] += 1
                pause[job.key] = spacing
            else:
                pause[job.key] = max(pause[job.key], spacing / 2)
                spared.append((job.tid, pause[job.key]))
                pause[job.key] += spacing
        if spared:
            parameters = {"tids": [tid for tid, _ in spared], "seconds": [seconds for _, seconds in spared]}
            connection.execute(self.sql["postpone"], parameters)
        started = sorted({job.key for job in taken if job.key is not None})
        if started:
            connection.execute(self.sql["set_pace"], {"keys": started, "seconds": [spacing] * len(started)})
        return taken


def _alone_if_suspect(jobs: list[_Job]) -> list[_Job]:
    """A row whose worker died runs alone, so that a poisonous one takes no innocent rows with it."""
    if jobs and jobs[0].lost > 0:
        return jobs[:1]
    return [job for job in jobs if job.lost == 0]
