"""Processing -> done, queued or failed: write results and endings in one transaction, behind the fence."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from psycopg import Connection, sql

from db.declaration import Declaration
from db.lifecycle.bad_rows import CHECK_AT_ONCE, is_bad_row, is_in_the_way, reason_of, write_in_halves
from db.lifecycle.decide import Decision, Ended, Ending, Judge
from db.outcomes import Again, Blocked, Found, Outcome, Released, error_text
from db.results import completions, set_values, write_rows
from db.statements import statements, text_array

log = logging.getLogger(__name__)

# A savepoint that is not released ends with its transaction: one round trip less.
MARK, UNDO = b"savepoint before_batch", b"rollback to savepoint before_batch"
# Stands where the completion of a batch goes.
COMPLETION = b"<completion>"


class Recorder:
    def __init__(
        self, declaration: Declaration, *, keep_successes: bool = False, created_by: UUID | None = None
    ) -> None:
        self.created_by = created_by
        self.declaration = declaration
        self.judge = Judge(declaration.words)
        self.sql = statements("record.sql", **declaration.names, completion=sql.SQL(COMPLETION.decode()))
        self._end_batches: dict[bytes, bytes] = {}
        self.keep_successes = keep_successes
        self.remembered = {"retried", "failed", "unwritable"} | ({"completed"} if keep_successes else set())

    def record(
        self,
        connection: Connection[Any],
        worker: UUID,
        token: UUID | None,
        endings: Sequence[Ending],
        *,
        check_at_once: bool = False,
    ) -> list[Ended]:
        """Write every ending that the fence lets through. Locked ones are for the caller to bring again.

        All are of the claim with the token; without one, each brings its own.
        """
        if check_at_once:
            connection.execute(CHECK_AT_ONCE)
        if token is not None:
            endings = [one if one.token is token else one._replace(token=token) for one in endings]
        found = [] if self.keep_successes else [one for one in endings if isinstance(one.outcome, Found)]
        is_all = token is not None and len(found) == len(endings)
        xid = self._end_quickly(connection, found, is_all=is_all) if found else None
        if xid is None:
            return self._end_one_by_one(connection, worker, endings)
        ended = [Ended(ending, "completed", None, xid) for ending in found]
        if is_all:
            return ended
        others = [one for one in endings if not isinstance(one.outcome, Found)]
        return ended + self._end_one_by_one(connection, worker, others)

    def committed(self, connection: Connection[Any], xids: Sequence[str]) -> set[str]:
        """Of these transactions of the past, those that were committed."""
        return {xid for (xid,) in connection.execute(self.sql["committed"], {"xids": list(xids)}).fetchall()}

    def release(self, connection: Connection[Any], worker: UUID, token: UUID) -> list[Ended]:
        """Give back all rows of a claim that no thread works on, with their attempt and what they took of a budget."""
        claim = {"workflow": self.declaration.name, "token": token}
        rows = connection.execute(self.sql["rows_of_claim"], claim).fetchall()
        endings = [Ending(row[0], row[1], row[2], row[3], Released(), 0.0, token=token) for row in rows]
        connection.execute(CHECK_AT_ONCE)
        ended = self._end_one_by_one(connection, worker, endings)
        back = [one for one in ended if one.verdict not in {"stale", "locked"}]
        if back:
            connection.execute(self.sql["refund"], {**claim, "rows": len(back), "started_at": rows[0][4]})
            connection.execute(self.sql["ring"], claim)
        return back

    def _end_quickly(self, connection: Connection[Any], endings: Sequence[Ending], *, is_all: bool) -> str | None:
        """Complete all that worked at once. If anything is not as it was at the claim: undo, and look at each row."""
        connection.execute(MARK, prepare=False)
        xid = None
        try:
            xid = self._end_all(connection, endings, is_all=is_all)
        except Exception as error:
            if not _is_spoilt(error):
                raise
        if xid is None:
            connection.execute(UNDO, prepare=False)
        return xid

    def _end_all(self, connection: Connection[Any], endings: Sequence[Ending], *, is_all: bool) -> str | None:
        """The name of the transaction, unless something was not as expected."""
        found = [(one.pk, one.outcome) for one in endings if isinstance(one.outcome, Found)]
        write_rows(connection, (row for _, one in found for row in one.rows), created_by=self.created_by)
        words = self.declaration.words
        parameters: dict[str, Any] = {"done": words.done, "processing": words.processing}
        (first, given), *others = completions(self.declaration, found)
        some = None if is_all else text_array(f"{one.token} {one.pk}" for one in endings)
        fence = {**parameters, **given, "workflow": self.declaration.name, "tokens": _tokens(endings), "some": some}
        ended = connection.execute(self._end_batch(first), fence).fetchone()
        if ended is None:
            return None
        jobs, generations, completed, xid = ended
        for statement, more in others:
            completed += connection.execute(statement, {**parameters, **more}).rowcount
        is_undisturbed = jobs == completed == len(endings) and generations == sum(one.generation for one in endings)
        return str(xid) if is_undisturbed else None

    def _end_batch(self, completion: bytes) -> bytes:
        if completion not in self._end_batches:
            head, tail = self.sql["end_batch"].split(COMPLETION)
            self._end_batches[completion] = head + completion + tail
        return self._end_batches[completion]

    def _end_one_by_one(self, connection: Connection[Any], worker: UUID, endings: Sequence[Ending]) -> list[Ended]:
        """Judge each row by what became of it while it ran."""
        if not endings:
            return []
        pks, tokens = [ending.pk for ending in endings], _tokens(endings)
        parameters = {"workflow": self.declaration.name, "tokens": tokens, "pks": pks}
        rows = {row[0]: row[1:] for row in connection.execute(self.sql["lock_rows"], parameters).fetchall()}
        jobs = {job[:2]: job[2:] for job in connection.execute(self.sql["lock_jobs"], parameters).fetchall()}
        there, claimed = self._seen_without_lock(connection, parameters, rows, jobs)
        ended: list[Ended] = []
        decisions: list[Decision] = []
        for ending in endings:
            job = (ending.token, ending.pk)
            if job not in claimed:
                ended.append(Ended(ending, "stale"))
            elif job not in jobs or (ending.pk in there and ending.pk not in rows):
                ended.append(Ended(ending, "locked"))
            else:
                decisions.append(self.judge.decide(ending, jobs[job], rows.get(ending.pk)))
        return ended + self._write(connection, worker, decisions)

    def _write_found(self, connection: Connection[Any], outcomes: Sequence[tuple[str, Outcome]]) -> None:
        found = [(pk, outcome) for pk, outcome in outcomes if isinstance(outcome, Found)]
        rows = (row for _, outcome in found for row in outcome.rows)
        write_rows(connection, rows, created_by=self.created_by)
        set_values(connection, self.declaration.table, [(pk, one.values) for pk, one in found if one.values])

    def _seen_without_lock(
        self, connection: Connection[Any], parameters: dict[str, Any], rows: dict[str, Any], jobs: dict[Any, Any]
    ) -> tuple[set[str], set[tuple[UUID | None, str]]]:
        """What is missing above is gone, or locked by somebody: ask again without wanting the lock."""
        there, claimed = set(rows), set(jobs)
        if len(claimed) < len(parameters["pks"]):
            claimed |= set(connection.execute(self.sql["still_claimed"], parameters).fetchall())
        if len(there) < len(parameters["pks"]):
            there |= {pk for (pk,) in connection.execute(self.sql["still_there"], parameters).fetchall()}
        return there, claimed

    def _write(self, connection: Connection[Any], worker: UUID, decisions: list[Decision]) -> list[Ended]:
        """All in one go; if a row spoils it, the others without it, and the bad row gets the blame."""

        def write(some: Sequence[Decision]) -> list[Ended]:
            self._write_all(connection, worker, some)
            return [one.ended for one in some]

        def spoilt(one: Decision, error: Exception) -> list[Ended]:
            return self._write_spoilt(connection, worker, one, error)

        return write_in_halves(connection, decisions, write, spoilt, _is_spoilt)

    def _write_spoilt(
        self, connection: Connection[Any], worker: UUID, decision: Decision, error: Exception
    ) -> list[Ended]:
        """A result that can not be stored makes a failed attempt; a row that takes no change at all loses its claim."""
        ending = decision.ending
        if is_in_the_way(error) or decision.unwritable:
            log.warning("record.postponed", extra={"fields": {"row": ending.pk, "error": reason_of(error)}})
            return [Ended(ending, "locked")]
        if isinstance(ending.outcome, Found):
            refused = f"the result could not be stored: {reason_of(error)}"
            told = Again(refused, self.declaration.backoff.delay(ending.attempt))
            again = replace(decision, ending=ending._replace(outcome=told), verdict="retried", status=None, reason=None)
            return self._write(connection, worker, [self.judge.outcome(again, ending.attempt, 0)])
        reason = error_text(f"its status can not be written: {reason_of(error)}")
        left = replace(decision, verdict="unwritable", status=None, error=reason, dead=False)
        return self._write(connection, worker, [replace(left, given_back=0, keep_job=True, unwritable=True)])

    def _write_all(self, connection: Connection[Any], worker: UUID, decisions: Sequence[Decision]) -> None:
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

    def _free_jobs(self, connection: Connection[Any], kept: list[Decision]) -> None:
        if kept:
            parameters = {
                "tids": [one.job_tid for one in kept],
                "given_back": [one.given_back for one in kept],
                "lost": [one.lost for one in kept],
                "dead": [one.dead for one in kept],
                "delays": [one.delay for one in kept],
                "errors": [one.error for one in kept],
                "unwritable": [one.unwritable for one in kept],
            }
            connection.execute(self.sql["free_jobs"], parameters)

    def _set_rows(self, connection: Connection[Any], written: list[Decision]) -> None:
        if written:
            parameters = {
                "queued": self.declaration.words.queued,
                "tids": [one.row_tid for one in written],
                "statuses": [one.status for one in written],
                "errors": [one.error for one in written],
                "reasons": [one.reason for one in written],
            }
            connection.execute(self.sql["set_rows"], parameters)

    def _add_attempts(self, connection: Connection[Any], worker: UUID, told: list[Decision]) -> None:
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


def _is_spoilt(error: BaseException) -> bool:
    return is_bad_row(error) or is_in_the_way(error)


def _tokens(endings: Sequence[Ending]) -> list[UUID]:
    """Of their claims, each once."""
    return list({one.token for one in endings if one.token is not None})
