"""Queued -> Processing: take a batch of rows for this worker, this attempt, and nobody else."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from psycopg import Connection, sql

from db.declaration import Declaration
from db.statements import statements, text_array

# How long a row whose lock a user holds steps aside before it is looked at again.
LOCKED_ROW_SECONDS = 1.0


class _Job(NamedTuple):
    pk: str
    generation: int
    attempt: int
    lost: int
    key: str | None
    priority: int
    waited: float
    max_attempts: int
    batch: int
    budgeted: bool


class Claimed(NamedTuple):
    pk: str
    tid: str
    generation: int
    attempt: int
    lost: int
    max_attempts: int
    waited: float
    key: str | None
    values: tuple[Any, ...]


class Batch(NamedTuple):
    """One claim: the token is the fence for all its rows. Full means that there may be more.

    In turns means that claims of all processes come one after the other: because of politeness, a limit or a budget.
    """

    token: UUID
    rows: Sequence[Claimed]
    full: bool
    in_turns: bool


class Claimer:
    def __init__(self, declaration: Declaration, columns: Sequence[str]) -> None:
        self.declaration = declaration
        selected = sql.SQL(", ").join(declaration.column_of(column, "item") for column in columns)
        self.sql = statements("claim.sql", **{**declaration.names, "columns": selected})
        words = declaration.words
        self.parameters = {"workflow": declaration.name, "queued": words.queued, "processing": words.processing}

    def claim(self, connection: Connection[Any], worker: UUID, size: int, *, suspects: bool = True) -> Batch:
        """Take up to `size` rows, inside the caller's transaction; without suspects, none whose worker died on it."""
        parameters: dict[str, Any] = {
            **self.parameters,
            "token": uuid4(),
            "worker": worker,
            "size": size,
            "suspects": suspects,
        }
        in_turns = connection.execute(self.sql["serialise"], parameters).fetchone() is not None
        if self.declaration.politeness is not None:
            in_turns = True
            connection.execute(self.sql["serialise_group"], {"group": self.declaration.politeness.group})
        jobs = [_Job(*job) for job in connection.execute(self.sql["take_jobs"], parameters).fetchall()]
        if not jobs:
            return Batch(parameters["token"], (), full=False, in_turns=in_turns)
        jobs.sort(key=lambda job: (job.priority, -job.waited))
        allowed = self._polite(connection, parameters, self._alone_if_suspect(connection, parameters, jobs))
        rows = self._take_rows(connection, parameters, allowed)
        claimed = [self._claimed(job, rows[job.pk]) for job in allowed if job.pk in rows]
        if claimed and jobs[0].budgeted:
            connection.execute(self.sql["spend"], {**parameters, "rows": len(claimed)})
        full = len(jobs) >= min(size, jobs[0].batch) or len(claimed) < len(jobs)
        return Batch(parameters["token"], claimed, full, in_turns)

    def _claimed(self, job: _Job, row: tuple[Any, ...]) -> Claimed:
        return Claimed(
            job.pk, row[1], job.generation, job.attempt, job.lost, job.max_attempts, job.waited, job.key, row[2:]
        )

    def _take_rows(
        self, connection: Connection[Any], parameters: dict[str, Any], jobs: list[_Job]
    ) -> dict[str, tuple[Any, ...]]:
        """Set Processing. Forget jobs whose row wants no work any more; let the rows that a user has locked wait."""
        found = connection.execute(self.sql["take_rows"], {**parameters, "pks": text_array(job.pk for job in jobs)})
        rows = {row[0]: row for row in found.fetchall()}
        missing = [job.pk for job in jobs if job.pk not in rows]
        if missing:
            connection.execute(self.sql["drop_withdrawn"], {**parameters, "pks": missing})
            self._give_back(connection, parameters, [(pk, LOCKED_ROW_SECONDS) for pk in missing])
        return rows

    def _give_back(
        self, connection: Connection[Any], parameters: dict[str, Any], jobs: Sequence[tuple[str, float]]
    ) -> None:
        if jobs:
            pks, seconds = [pk for pk, _ in jobs], [seconds for _, seconds in jobs]
            connection.execute(self.sql["give_back"], {**parameters, "pks": pks, "seconds": seconds})

    def _alone_if_suspect(
        self, connection: Connection[Any], parameters: dict[str, Any], jobs: list[_Job]
    ) -> list[_Job]:
        """A row whose worker died runs alone, so that a poisonous one takes no innocent rows with it."""
        if all(job.lost == 0 for job in jobs):
            return jobs
        chosen = jobs[:1] if jobs[0].lost else [job for job in jobs if job.lost == 0]
        kept = {job.pk for job in chosen}
        self._give_back(connection, parameters, [(job.pk, 0.0) for job in jobs if job.pk not in kept])
        return chosen

    def _polite(self, connection: Connection[Any], parameters: dict[str, Any], jobs: list[_Job]) -> list[_Job]:
        """Those whose key may start now; the others get a later slot, spaced out."""
        politeness = self.declaration.politeness
        if politeness is None:
            return jobs
        spacing = politeness.spacing.total_seconds()
        keys = sorted({job.key for job in jobs if job.key is not None})
        state = connection.execute(self.sql["key_state"], {**parameters, "keys": keys}).fetchall()
        running = {key: count for key, count, _ in state}
        pause = {key: max(0.0, seconds) for key, _, seconds in state}
        allowed: list[_Job] = []
        spared: list[tuple[str, float]] = []
        for job in jobs:
            if job.key is None:
                allowed.append(job)
            elif pause[job.key] <= 0 and running[job.key] < politeness.at_once:
                allowed.append(job)
                running[job.key] += 1
                pause[job.key] = spacing
            else:
                slot = max(pause[job.key], spacing / 2, 0.1)
                spared.append((job.pk, slot))
                pause[job.key] = slot + spacing
        self._give_back(connection, parameters, spared)
        started = sorted({job.key for job in allowed if job.key is not None})
        if started:
            connection.execute(self.sql["set_pace"], {"keys": started, "seconds": [spacing] * len(started)})
        return allowed
