"""What becomes of a row when its attempt has ended: by how it ended, and by what happened to the row meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, assert_never
from uuid import UUID

from db.declaration import Words
from db.outcomes import ERROR_LENGTH, Again, Blocked, Failed, Found, Lost, Outcome, Released, error_text


class Ending(NamedTuple):
    """How an attempt went, as its worker saw it. The token, where known, is that of its claim."""

    pk: str
    generation: int
    attempt: int
    max_attempts: int
    outcome: Outcome
    seconds: float
    token: UUID | None = None


class Ended(NamedTuple):
    """What was made of it.

    The verdict is completed, retried, failed, released, superseded, cancelled, deleted, unwritable, stale
    or locked. The xid names the transaction, so that one whose commit had no answer can be asked after.
    """

    ending: Ending
    verdict: str
    error: str | None = None
    xid: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
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
    unwritable: bool = False
    xid: str | None = None

    @property
    def ended(self) -> Ended:
        return Ended(self.ending, self.verdict, self.error, self.xid)


class Judge:
    """Knows the words of the workflow."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def decide(self, ending: Ending, job: Sequence[Any], row: Sequence[Any] | None) -> Decision:
        job_tid, generation, attempt, lost, submission, xid = job
        if row is None:
            return Decision(ending, "deleted", job_tid, xid=xid)
        row_tid, status = row
        if status == self.words.queued or generation != ending.generation:
            return Decision(ending, "superseded", job_tid, keep_job=True, xid=xid)
        if status != self.words.processing:
            return Decision(ending, "cancelled", job_tid, xid=xid)
        decision = Decision(ending, "completed", job_tid, row_tid, submission=submission, xid=xid)
        return self.outcome(decision, attempt, lost)

    def outcome(self, decision: Decision, attempt: int, lost: int) -> Decision:
        words = self.words
        outcome, limit = decision.ending.outcome, decision.ending.max_attempts
        last = attempt >= limit
        match outcome:
            case Found(reason=reason):
                return replace(decision, status=words.done, reason=reason and error_text(reason))
            case Released() | Blocked():
                error = error_text(outcome.reason) if isinstance(outcome, Blocked) else None
                back = replace(decision, verdict="released", status=words.queued, keep_job=True)
                delay = outcome.delay if isinstance(outcome, Released) else None
                return replace(back, error=error, delay=delay, given_back=1)
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

    def _after_loss(self, decision: Decision, attempt: int, lost: int, most: int, *, last: bool) -> Decision:
        error = counted(f"its worker process died, {lost} of {most} times", attempt, decision.ending.max_attempts)
        if last or lost >= most:
            return self._dead(replace(decision, lost=1), error)
        back = replace(decision, verdict="retried", status=self.words.queued, keep_job=True)
        return replace(back, error=error, lost=1, delay=0.0)

    def _dead(self, decision: Decision, error: str) -> Decision:
        return replace(decision, verdict="failed", status=self.words.failed, error=error, dead=True, keep_job=True)


def counted(error: str, attempt: int, limit: int) -> str:
    """The error with its attempt behind it, cut so that the count is never lost."""
    suffix = f" (attempt {attempt} of {limit})"
    text = error_text(error)
    room = ERROR_LENGTH - len(suffix)
    return (text if len(text) <= room else text[: room - 1] + "…") + suffix
