"""Repair: claims of dead workers, overdue ones, rows that the trigger never saw or that nobody owns, idle jobs."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import UUID

from psycopg import Connection

from db.declaration import Declaration
from db.lifecycle.bad_rows import CHECK_AT_ONCE, reason_of, write_in_halves
from db.lifecycle.decide import Ended, Ending
from db.lifecycle.record import Recorder
from db.outcomes import Again, Lost, Outcome, error_text
from db.statements import statements

OVERDUE_REASON = "its claim outlived every limit although its worker lives; ended by the sweeper"
ORPHAN_REASON = "found in progress with no worker; queued again by the sweeper"


@dataclass
class Swept:
    """How many repairs of each kind. In a healthy system all are zero."""

    lost_claims: int = 0
    overdue_claims: int = 0
    missed_rows: int = 0
    orphaned_rows: int = 0
    idle_jobs: int = 0
    ended: list[Ended] = field(default_factory=list)

    def __iadd__(self, other: Self) -> Self:
        self.lost_claims += other.lost_claims
        self.overdue_claims += other.overdue_claims
        self.missed_rows += other.missed_rows
        self.orphaned_rows += other.orphaned_rows
        self.idle_jobs += other.idle_jobs
        self.ended += other.ended
        return self

    def counts(self) -> dict[str, int]:
        return {
            "lost_claims": self.lost_claims,
            "overdue_claims": self.overdue_claims,
            "missed_rows": self.missed_rows,
            "orphaned_rows": self.orphaned_rows,
            "idle_jobs": self.idle_jobs,
        }

    @property
    def repairs(self) -> int:
        return sum(self.counts().values())


class Recovery:
    """One workflow's repairs, each in the caller's short transaction."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.recorder = Recorder(declaration)
        self.sql = statements("sweep.sql", **declaration.names)
        words = declaration.words
        self.parameters: dict[str, Any] = {
            "workflow": declaration.name,
            "queued": words.queued,
            "processing": words.processing,
            "failed": words.failed,
            "reason": ORPHAN_REASON,
        }

    def end_lost_claims(
        self, connection: Connection[Any], after: str, size: int, outcome: Outcome | None = None
    ) -> tuple[Swept, str | None]:
        """Rows whose worker is gone go back to the queue, or to the failed word when they killed too many.

        Goes through the claims in the order of their keys; returns the key after which to go on, None at the end.
        """
        page = {**self.parameters, "after": after, "size": size}
        found = connection.execute(self.sql["claims_of_the_dead"], page).fetchall()
        swept = Swept(ended=self._end(connection, found, outcome or Lost(self.declaration.max_lost)))
        swept.lost_claims = len(swept.ended)
        self._ring(connection, swept)
        return swept, found[-1][0] if len(found) == size else None

    def claims_of_the_living(self, connection: Connection[Any]) -> dict[UUID, int]:
        """The tokens of all claims whose worker is registered, each with a counter that rises while it is late."""
        return dict(connection.execute(self.sql["claims_of_the_living"], self.parameters).fetchall())

    def end_overdue_claims(self, connection: Connection[Any], tokens: Collection[UUID]) -> Swept:
        """Claims that outlived every limit: their worker lives and has forgotten them.

        The attempt counts, so that a row that brings this about comes to an end.
        """
        overdue = {**self.parameters, "tokens": list(tokens)}
        found = connection.execute(self.sql["overdue_claims"], overdue).fetchall()
        swept = Swept(ended=self._end(connection, found, Again(OVERDUE_REASON, delay=0.0)))
        swept.overdue_claims = len(swept.ended)
        self._ring(connection, swept)
        return swept

    def _end(self, connection: Connection[Any], found: Sequence[Sequence[Any]], outcome: Outcome) -> list[Ended]:
        if found:
            connection.execute(CHECK_AT_ONCE)
        claims: dict[tuple[UUID, UUID], list[Ending]] = defaultdict(list)
        for pk, token, generation, attempt, worker, seconds, limit in found:
            claims[token, worker].append(Ending(pk, generation, attempt, limit, outcome, seconds))
        ended: list[Ended] = []
        for (token, worker), endings in claims.items():
            ended += self.recorder.record(connection, worker, token, endings)
        return [one for one in ended if one.verdict not in {"stale", "locked"}]

    def sweep_rows(self, connection: Connection[Any], low: int, high: int) -> Swept:
        """One slice of the table: adopt queued rows without a job, give ownerless Processing rows back."""
        area = {**self.parameters, "low": f"({low},0)", "high": f"({high},0)"}
        swept = Swept()
        missed = [pk for (pk,) in connection.execute(self.sql["missed_rows"], area).fetchall()]
        if missed:
            adopted = connection.execute(self.sql["adopt_rows"], {**self.parameters, "pks": missed}).fetchall()
            swept.missed_rows = len(adopted)
        orphans = dict(connection.execute(self.sql["orphan_rows"], area).fetchall())
        swept.orphaned_rows = len(self._requeue(connection, list(orphans.values())))
        self._ring(connection, swept)
        return swept

    def _requeue(self, connection: Connection[Any], tids: Sequence[str]) -> list[str]:
        """A row that can not be updated stays as it is, and its job tells why; the next pass tries again."""

        def requeue(some: Sequence[str]) -> list[str]:
            places = {**self.parameters, "tids": list(some)}
            pks = [pk for (pk,) in connection.execute(self.sql["adopt_orphans"], places).fetchall()]
            connection.execute(self.sql["requeue_orphans"], {**places, "pks": pks})
            return pks

        def refused(tid: str, error: Exception) -> list[str]:
            told = error_text(f"it can not be queued again: {reason_of(error)}")
            connection.execute(self.sql["refuse_orphan"], {**self.parameters, "tid": tid, "error": told})
            return []

        if tids:
            connection.execute(CHECK_AT_ONCE)
        return write_in_halves(connection, tids, requeue, refused)

    def sweep_jobs(self, connection: Connection[Any], low: int, high: int) -> Swept:
        """One slice of engine.job: forget jobs whose row is gone or wants no work."""
        area = {**self.parameters, "low": f"({low},0)", "high": f"({high},0)"}
        idle = [tid for (tid,) in connection.execute(self.sql["idle_jobs"], area).fetchall()]
        if not idle:
            return Swept()
        dropped = connection.execute(self.sql["drop_idle_jobs"], {**self.parameters, "tids": idle}).rowcount
        return Swept(idle_jobs=dropped)

    def _ring(self, connection: Connection[Any], swept: Swept) -> None:
        if swept.repairs:
            connection.execute(self.recorder.sql["ring"], self.parameters)
