"""Queued -> Processing: take a batch of rows for this worker, this attempt, and nobody else."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from psycopg import Connection, Cursor, sql
from psycopg.errors import ObjectNotInPrerequisiteState

from db.declaration import Declaration
from db.lifecycle.bad_rows import CHECK_AT_ONCE, reason_of, write_in_halves
from db.lifecycle.claim_by_key import Head, KeyCursor
from db.lifecycle.downstream import Downstream
from db.outcomes import error_text
from db.statements import statements, text_array

# How long a row whose lock a user holds steps aside before it is looked at again.
LOCKED_ROW_SECONDS = 1.0
# When none of the rows at the head of the queue may begin, so many behind them are looked at, in the same transaction.
LOOKS = (30, 300)


class Claimed(NamedTuple):
    pk: str
    generation: int
    attempt: int
    lost: int
    max_attempts: int
    waited: float
    key: str | None
    values: tuple[Any, ...]


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

    def like(self, own: Sequence[Any]) -> "_Job":
        """Another of the same workflow."""
        return _Job._make((*own, self.max_attempts, self.batch, self.budgeted))

    def claimed(self, row: tuple[Any, ...]) -> Claimed:
        return Claimed(
            self.pk, self.generation, self.attempt, self.lost, self.max_attempts, self.waited, self.key, row[1:]
        )


class _Later(NamedTuple):
    pk: str
    seconds: float


class Batch(NamedTuple):
    """One claim: the token is the fence for all its rows. Full means that there may be more.

    In turns means that claims of all processes come one after the other: because of a limit or a budget. Pushed back
    are rows that the database did not let us set to Processing. Due means that rows are due, though none may begin now.
    """

    token: UUID
    rows: Sequence[Claimed]
    full: bool
    in_turns: bool
    pushed_back: int = 0
    due: bool = False


class Claimer:
    def __init__(self, declaration: Declaration, columns: Sequence[str]) -> None:
        self.declaration = declaration
        selected = sql.SQL(", ").join(declaration.column_of(column, "item") for column in columns)
        self.sql = statements("claim.sql", **{**declaration.names, "columns": selected})
        self._cursor: KeyCursor | None = None
        if declaration.politeness is not None:
            self._cursor = KeyCursor(declaration.politeness)
            self.sql |= statements("claim_by_key.sql", **declaration.names)
        self._downstream = Downstream(self.sql["held_back"], declaration.name) if declaration.feeds else None
        words = declaration.words
        self.parameters = {"workflow": declaration.name, "queued": words.queued, "processing": words.processing}
        self._at_once = declaration.politeness is None  # and nothing limits it, as the last claim found

    def claim(
        self,
        connection: Connection[Any],
        worker: UUID,
        size: int,
        *,
        token: UUID | None = None,
        suspects: bool = True,
        row_by_row: bool = False,
    ) -> Batch:
        """Take up to `size` rows, inside the caller's transaction; without suspects, none whose worker died on it.

        Whoever must find the claim again when its commit has no answer brings the token. A row that can not be updated
        spoils the claim, unless it is taken row by row: then it is pushed back alone, at the price of a savepoint.
        """
        claim = _Claim(self.sql, connection, row_by_row=row_by_row)
        token = token or uuid4()
        claim.parameters = {**self.parameters, "token": token, "worker": worker, "size": size, "suspects": suspects}
        if self._at_once and not row_by_row:
            if self._downstream is not None and self._downstream.holds_back(connection):
                return Batch(token, (), full=False, in_turns=False)
            rows, full, is_limited = claim.take_at_once(size)
            if rows or not (full or is_limited):
                return Batch(token, rows, full, in_turns=False)
        turn = claim.wait_for_turn()
        self._at_once = turn is None and self._cursor is None
        in_turns = turn is not None
        if turn is False or (self._downstream is not None and self._downstream.holds_back(connection)):
            return Batch(token, (), full=False, in_turns=in_turns)
        if self._cursor is None:
            rows, full = claim.take(size)
            return Batch(token, rows, full, in_turns, claim.pushed_back)
        rows, due = claim.take_by_key(self._cursor)
        return Batch(token, rows, len(rows) == size, in_turns, claim.pushed_back, due)


class _Claim:
    """One claim, from its first lock to the rows that are set to Processing."""

    def __init__(
        self,
        statements: Mapping[str, bytes],
        connection: Connection[Any],
        *,
        row_by_row: bool,
    ) -> None:
        self.pushed_back = 0
        self._row_by_row = row_by_row
        self.parameters: dict[str, Any] = {}
        self._sql = statements
        self._connection = connection
        self._taken: frozenset[str] = frozenset()

    def execute(self, name: str, **more: Any) -> Cursor[Any]:
        return self._connection.execute(self._sql[name], {**self.parameters, **more})

    def wait_for_turn(self) -> bool | None:
        """Lock the row by which claims take turns: false if nothing is due, None if they need not take turns."""
        turn = self.execute("serialise").fetchone()
        if turn is None:
            return None
        if turn[0] is None:
            raise ObjectNotInPrerequisiteState(
                f"engine.lock lacks a row that claims of {self.parameters['workflow']} lock; run scrapersky migrate"
            )
        return bool(turn[0])

    def take(self, size: int) -> tuple[list[Claimed], bool]:
        """The rows, and whether there may be more."""
        if self._row_by_row:
            self._connection.execute(CHECK_AT_ONCE)
        head = _in_order(_Job(*job) for job in self.execute("take_jobs").fetchall())
        if not head:
            return [], False
        self._taken = frozenset(job.pk for job in head)
        jobs, claimed = head, self._begin(self._alone_if_suspect(head))
        for look in LOOKS:
            if claimed or not jobs:
                break
            jobs = _in_order(head[0].like(job) for job in self.execute("look", look=look).fetchall())
            claimed = self._begin(self._chosen_of_many(jobs, len(head)))
        if claimed and head[0].budgeted:
            self.execute("spend", rows=len(claimed))
        return claimed, len(jobs) >= min(size, head[0].batch) or len(claimed) < len(jobs)

    def take_by_key(self, cursor: KeyCursor) -> tuple[list[Claimed], bool]:
        """One row of each key that may start; and whether rows are due."""
        if self._row_by_row:
            self._connection.execute(CHECK_AT_ONCE)
        room = self.execute("room").fetchone()
        if room is None or room[0] == 0:
            return [], room is not None and room[4]
        most, *shared, due = room
        heads = cursor.heads(self.execute, min(most, shared[1])) if due else []
        if not heads:
            return [], due
        taken = self.execute("take_heads", tids=[head.tid for head in heads]).fetchall()
        jobs = _in_order(_Job(*job, *shared) for job in taken)
        self._taken = frozenset(job.pk for job in jobs)
        claimed = self._begin(self._alone_if_suspect(jobs))
        started = [row.key for row in claimed]
        self._drop_crowds([head for head in heads if head.key not in started])
        if started:
            self.execute("start_pace", keys=started, spacing=cursor.politeness.spacing.total_seconds())
            if shared[2]:
                self.execute("spend", rows=len(started))
        return claimed, due

    def _drop_crowds(self, missed: Sequence[Head]) -> None:
        """Where the first row of a key was withdrawn, many behind it may be."""
        if missed:
            keys, priorities = [head.key for head in missed], [head.priority for head in missed]
            self.execute("drop_withdrawn_of_keys", keys=keys, priorities=priorities)

    def take_at_once(self, size: int) -> tuple[list[Claimed], bool, bool]:
        """The rows, whether there may be more, and whether a limit wants claims to take turns: then there are none."""
        found = self.execute("take_batch").fetchall()
        head, taken, batch, max_attempts, is_limited, *_ = found[0] if found else (0, 0, 0, 0, False)
        rows = [row for row in found if row[5] is not None]
        rows.sort(key=_by_urgency)
        if taken > len(rows):
            begun = {row[5] for row in rows}
            self._set_aside([pk for (pk,) in self.execute("not_begun").fetchall() if pk not in begun])
        claimed = [Claimed(row[5], row[6], row[7], row[8], max_attempts, row[10], None, row[11:]) for row in rows]
        return claimed, head > 0 and (head >= min(size, batch) or len(claimed) < head), is_limited

    def _begin(self, jobs: list[_Job]) -> list[Claimed]:
        """Set Processing."""
        if self._row_by_row:
            return write_in_halves(self._connection, jobs, self._take_rows, self._push_back)
        return self._take_rows(jobs) if jobs else []

    def _take_rows(self, jobs: Sequence[_Job]) -> list[Claimed]:
        found = self.execute("take_rows", pks=text_array(job.pk for job in jobs)).fetchall()
        rows = {row[0]: row for row in found}
        self._set_aside([job.pk for job in jobs if job.pk not in rows])
        return [job.claimed(rows[job.pk]) for job in jobs if job.pk in rows]

    def _push_back(self, job: _Job, error: Exception) -> list[Claimed]:
        """With its reason, which the views and `why` tell."""
        self.pushed_back += 1
        refused = f"it can not be set to {self.parameters['processing']}: {reason_of(error)}"
        self.execute("push_back", pk=job.pk, error=error_text(refused))
        return []

    def _chosen_of_many(self, jobs: list[_Job], room: int) -> list[_Job]:
        pks = text_array(job.pk for job in jobs)
        ready = {pk for (pk,) in self.execute("survey", pks=pks).fetchall()} if jobs else set()
        self._set_aside([job.pk for job in jobs if job.pk not in ready])
        chosen = self._alone_if_suspect([job for job in jobs if job.pk in ready])[:room]
        if chosen:
            self._taken |= {job.pk for job in chosen}
            self.execute("take_chosen", pks=[job.pk for job in chosen])
        return chosen

    def _alone_if_suspect(self, jobs: list[_Job]) -> list[_Job]:
        """A row whose worker died runs alone, so that a poisonous one takes no innocent rows with it."""
        if all(job.lost == 0 for job in jobs):
            return jobs
        chosen = jobs[:1] if jobs[0].lost else [job for job in jobs if job.lost == 0]
        kept = {job.pk for job in chosen}
        self._give_back([_Later(job.pk, 0.0) for job in jobs if job.pk not in kept])
        return chosen

    def _set_aside(self, pks: list[str]) -> None:
        """Forget jobs whose row wants no work any more; let the rows that a user has locked wait."""
        if pks:
            self.execute("drop_withdrawn", pks=pks)
            self._give_back([_Later(pk, LOCKED_ROW_SECONDS) for pk in pks])

    def _give_back(self, jobs: list[_Later]) -> None:
        """What was only looked at and need not wait is still where it was."""
        jobs = [job for job in jobs if job.seconds > 0 or job.pk in self._taken]
        if jobs:
            self.execute("give_back", pks=[job.pk for job in jobs], seconds=[job.seconds for job in jobs])


def _by_urgency(row: Sequence[Any]) -> tuple[int, float]:
    """Of what take_batch found."""
    return row[9], -row[10]


def _in_order(jobs: Iterable[_Job]) -> list[_Job]:
    return sorted(jobs, key=lambda job: (job.priority, -job.waited))
