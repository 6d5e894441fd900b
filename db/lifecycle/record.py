"""Processing -> done, queued or failed: write results and endings in one transaction, behind the fence."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, assert_never
from uuid import UUID

from psycopg import Connection, DataError, IntegrityError, NotSupportedError, ProgrammingError, Rollback, errors

from db.declaration import Declaration
from db.outcomes import ERROR_LENGTH, Again, Blocked, Failed, Found, Lost, Outcome, Released, error_text
from db.results import complete_rows, set_values, write_rows
from db.statements import statements, text_array

log = logging.getLogger(__name__)

# The row's own fault: it fails alone. Anything else is the database's, and the whole record is tried again.
# A key too long for its index is a ProgramLimitExceeded; what JSON or UTF-8 can not say are Python's own errors,
# and so are those of rows that a workflow makes only when they are read.
BAD_ROW = (
    DataError,
    IntegrityError,
    ProgrammingError,
    NotSupportedError,
    errors.ProgramLimitExceeded,
    errors.StatementTooComplex,
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
IN_THE_WAY = (errors.LockNotAvailable, errors.DeadlockDetected, errors.SerializationFailure, errors.QueryCanceled)


class Ending(NamedTuple):
    """How an attempt went, as its worker saw it. The tid, where known, is that of the claimed row version."""

    pk: str
    generation: int
    attempt: int
    max_attempts: int
    outcome: Outcome
    seconds: float
    tid: str | None = None


class Ended(NamedTuple):
    """What was made of it: completed, retried, failed, released, superseded, cancelled, deleted, stale or locked."""

    ending: Ending
    verdict: str
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Decision:
    ending: Ending
    verdict: str
    job_tid: str
    row_tid: str | None = None
    status: str | None = None
    error: str | None = None
    reason: str | None = None
    delay: float | None = None
    dead: bool = False
    lost: int = 0
    given_back: int = 0
    keep_job: bool = False
    submission: int | None = None


class Recorder:
    def __init__(
        self, declaration: Declaration, *, keep_successes: bool = False, created_by: UUID | None = None
    ) -> None:
        self.created_by = created_by
        self.declaration = declaration
        self.sql = statements("record.sql", **declaration.names)
        self.keep_successes = keep_successes
        self.remembered = {"retried", "failed"} | ({"completed"} if keep_successes else set())

    def record(self, connection: Connection[Any], worker: UUID, token: UUID, endings: Sequence[Ending]) -> list[Ended]:
        """Write every ending that the fence lets through. Locked ones are for the caller to bring again."""
        found = [] if self.keep_successes else [one for one in endings if one.tid and isinstance(one.outcome, Found)]
        if not found or not self._end_quickly(connection, token, found):
            return self._end_one_by_one(connection, worker, token, endings)
        others = [one for one in endings if not (one.tid and isinstance(one.outcome, Found))]
        ended = [Ended(ending, "completed") for ending in found]
        return ended + self._end_one_by_one(connection, worker, token, others)

    def _end_quickly(self, connection: Connection[Any], token: UUID, endings: Sequence[Ending]) -> bool:
        """Complete all that worked at once. If anything is not as it was at the claim: undo, and look at each row."""
        try:
            return self._end_all(connection, token, endings)
        except (*BAD_ROW, *IN_THE_WAY):
            return False
        except Rollback as undone:
            # It gets out only when the undoing failed, and psycopg keeps the reason to itself: the connection is gone.
            raise errors.OperationalError("the connection was lost while a batch was being undone") from undone

    def _end_all(self, connection: Connection[Any], token: UUID, endings: Sequence[Ending]) -> bool:
        pks = text_array(one.pk for one in endings)
        parameters = {"workflow": self.declaration.name, "token": token, "pks": pks}
        claimed = sorted((one.pk, one.generation) for one in endings)
        found = {(one.pk, one.tid): one.outcome for one in endings if one.tid and isinstance(one.outcome, Found)}
        undisturbed = False
        with connection.transaction() as savepoint:
            if sorted(connection.execute(self.sql["end_jobs"], parameters).fetchall()) == claimed:
                rows = (row for outcome in found.values() for row in outcome.rows)
                write_rows(connection, rows, created_by=self.created_by)
                undisturbed = complete_rows(connection, self.declaration, found) == len(endings)
            if not undisturbed:
                raise Rollback(savepoint)
        return undisturbed

    def _end_one_by_one(
        self, connection: Connection[Any], worker: UUID, token: UUID, endings: Sequence[Ending]
    ) -> list[Ended]:
        """Judge each row by what became of it while it ran."""
        if not endings:
            return []
        parameters = {"workflow": self.declaration.name, "token": token, "pks": [ending.pk for ending in endings]}
        rows = {row[0]: row[1:] for row in connection.execute(self.sql["lock_rows"], parameters).fetchall()}
        jobs = {job[0]: job[1:] for job in connection.execute(self.sql["lock_jobs"], parameters).fetchall()}
        there, claimed = self._seen_without_lock(connection, parameters, rows, jobs)
        ended: list[Ended] = []
        decisions: list[_Decision] = []
        for ending in endings:
            if ending.pk not in claimed:
                ended.append(Ended(ending, "stale"))
            elif ending.pk not in jobs or (ending.pk in there and ending.pk not in rows):
                ended.append(Ended(ending, "locked"))
            else:
                decisions.append(self._decide(ending, jobs[ending.pk], rows.get(ending.pk)))
        return ended + self._write(connection, worker, decisions)

    def _write_found(self, connection: Connection[Any], outcomes: Sequence[tuple[str, Outcome]]) -> None:
        found = [(pk, outcome) for pk, outcome in outcomes if isinstance(outcome, Found)]
        rows = (row for _, outcome in found for row in outcome.rows)
        write_rows(connection, rows, created_by=self.created_by)
        set_values(connection, self.declaration.table, [(pk, one.values) for pk, one in found if one.values])

    def _seen_without_lock(
        self, connection: Connection[Any], parameters: dict[str, Any], rows: dict[str, Any], jobs: dict[str, Any]
    ) -> tuple[set[str], set[str]]:
        """What is missing above is gone, or locked by somebody: ask again without wanting the lock."""
        there, claimed = set(rows), set(jobs)
        if len(claimed) < len(parameters["pks"]):
            claimed |= {pk for (pk,) in connection.execute(self.sql["still_claimed"], parameters).fetchall()}
        if len(there) < len(parameters["pks"]):
            there |= {pk for (pk,) in connection.execute(self.sql["still_there"], parameters).fetchall()}
        return there, claimed

    def _decide(self, ending: Ending, job: Sequence[Any], row: Sequence[Any] | None) -> _Decision:
        job_tid, generation, attempt, lost, submission = job
        if row is None:
            return _Decision(ending, "deleted", job_tid)
        row_tid, status = row
        if status == self.declaration.words.queued or generation != ending.generation:
            return _Decision(ending, "superseded", job_tid, keep_job=True)
        if status != self.declaration.words.processing:
            return _Decision(ending, "cancelled", job_tid)
        decision = _Decision(ending, "completed", job_tid, row_tid, submission=submission)
        return self._outcome(decision, attempt, lost)

    def _outcome(self, decision: _Decision, attempt: int, lost: int) -> _Decision:
        words = self.declaration.words
        outcome, limit = decision.ending.outcome, decision.ending.max_attempts
        last = attempt >= limit
        match outcome:
            case Found(reason=reason):
                return replace(decision, status=words.done, reason=reason and error_text(reason))
            case Released() | Blocked():
                error = error_text(outcome.reason) if isinstance(outcome, Blocked) else None
                back = replace(decision, verdict="released", status=words.queued, keep_job=True)
                return replace(back, error=error, given_back=1)
            case Again(error=error, delay=delay, counts=False):
                back = replace(decision, verdict="retried", status=words.queued, keep_job=True)
                return replace(back, error=error_text(error), delay=delay, given_back=1)
            case Again(error=error, delay=delay) if not last:
                back = replace(decision, verdict="retried", status=words.queued, keep_job=True)
                return replace(back, error=counted(error, attempt, limit), delay=delay)
            case Again(error=error) | Failed(error=error):
                return self._dead(decision, counted(error, attempt, limit))
            case Lost(max_lost=most):
                return self._after_loss(decision, attempt, lost + 1, most, last=last)
            case _:
                assert_never(outcome)

    def _after_loss(self, decision: _Decision, attempt: int, lost: int, most: int, *, last: bool) -> _Decision:
        error = counted(f"its worker process died, {lost} of {most} times", attempt, decision.ending.max_attempts)
        if last or lost >= most:
            return self._dead(replace(decision, lost=1), error)
        back = replace(decision, verdict="retried", status=self.declaration.words.queued, keep_job=True)
        return replace(back, error=error, lost=1, delay=0.0)

    def _dead(self, decision: _Decision, error: str) -> _Decision:
        return replace(
            decision, verdict="failed", status=self.declaration.words.failed, error=error, dead=True, keep_job=True
        )

    def _write(self, connection: Connection[Any], worker: UUID, decisions: list[_Decision]) -> list[Ended]:
        """All in one go; if a row spoils it, each on its own, and the bad row gets the blame."""
        if not decisions:
            return []
        try:
            with connection.transaction():
                self._write_all(connection, worker, decisions)
        except (*BAD_ROW, *IN_THE_WAY) as error:
            if len(decisions) > 1:
                return [ended for one in decisions for ended in self._write(connection, worker, [one])]
            return self._write_spoilt(connection, worker, decisions[0], error)
        return [Ended(one.ending, one.verdict, one.error) for one in decisions]

    def _write_spoilt(
        self, connection: Connection[Any], worker: UUID, decision: _Decision, error: Exception
    ) -> list[Ended]:
        ending = decision.ending
        if isinstance(error, IN_THE_WAY) or not isinstance(ending.outcome, Found):
            log.warning("record.postponed", extra={"fields": {"row": ending.pk, "error": str(error)}})
            return [Ended(ending, "locked")]
        told = Again(f"the result could not be stored: {error}", self.declaration.backoff.delay(ending.attempt))
        again = replace(decision, ending=ending._replace(outcome=told), verdict="retried", status=None, reason=None)
        return self._write(connection, worker, [self._outcome(again, ending.attempt, 0)])

    def _write_all(self, connection: Connection[Any], worker: UUID, decisions: list[_Decision]) -> None:
        gone = [one.job_tid for one in decisions if not one.keep_job]
        if gone:
            connection.execute(self.sql["delete_jobs"], {"tids": gone})
        self._free_jobs(connection, [one for one in decisions if one.keep_job])
        self._set_rows(connection, [one for one in decisions if one.status is not None])
        completed = [(one.ending.pk, one.ending.outcome) for one in decisions if one.verdict == "completed"]
        self._write_found(connection, completed)
        self._add_attempts(connection, worker, [one for one in decisions if one.verdict in self.remembered])
        self._block(connection, [one.ending.outcome for one in decisions])

    def _block(self, connection: Connection[Any], outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if isinstance(outcome, Blocked):
                parameters = {"reason": error_text(outcome.reason), "until": outcome.until}
                connection.execute(self.sql["block"], {**parameters, "workflow": self.declaration.name})

    def rest(self, connection: Connection[Any], seconds: Mapping[str, float]) -> None:
        """Leave the keys alone for so long. In a transaction of its own, before the record: no lock is held."""
        keys = sorted(seconds)
        connection.execute(self.sql["rest"], {"keys": keys, "seconds": [seconds[key] for key in keys]})

    def _free_jobs(self, connection: Connection[Any], kept: list[_Decision]) -> None:
        if kept:
            parameters = {
                "tids": [one.job_tid for one in kept],
                "given_back": [one.given_back for one in kept],
                "lost": [one.lost for one in kept],
                "dead": [one.dead for one in kept],
                "delays": [one.delay for one in kept],
                "errors": [one.error for one in kept],
            }
            connection.execute(self.sql["free_jobs"], parameters)

    def _set_rows(self, connection: Connection[Any], written: list[_Decision]) -> None:
        if written:
            parameters = {
                "queued": self.declaration.words.queued,
                "tids": [one.row_tid for one in written],
                "statuses": [one.status for one in written],
                "errors": [one.error for one in written],
                "reasons": [one.reason for one in written],
            }
            connection.execute(self.sql["set_rows"], parameters)

    def _add_attempts(self, connection: Connection[Any], worker: UUID, told: list[_Decision]) -> None:
        if told:
            parameters = {
                "workflow": self.declaration.name,
                "worker": worker,
                "pks": [one.ending.pk for one in told],
                "generations": [one.ending.generation for one in told],
                "attempts": [one.ending.attempt for one in told],
                "outcomes": [one.verdict for one in told],
                "errors": [one.error for one in told],
                "submissions": [one.submission for one in told],
                "seconds": [one.ending.seconds for one in told],
            }
            connection.execute(self.sql["add_attempts"], parameters)


def counted(error: str, attempt: int, limit: int) -> str:
    """The error with its attempt behind it, cut so that the count is never lost."""
    suffix = f" (attempt {attempt} of {limit})"
    text = error_text(error)
    room = ERROR_LENGTH - len(suffix)
    return (text if len(text) <= room else text[: room - 1] + "…") + suffix
