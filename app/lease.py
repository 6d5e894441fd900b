"""The lease of the doorbell: while its holder looks for what becomes queued, triggers ring nobody.

docs/decisions/0020 says why nothing is lost by that.
"""

from collections.abc import Collection
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection, sql

from db.statements import statements

# A holder that was killed silences the doorbell for no longer than this.
LEASE_SECONDS = 2.0
RENEW_SECONDS = 0.5

# One look at the head of each queue. Its cost does not grow with what is due. What is delayed the index skips from
# PostgreSQL 18 on; before, it is read there (300,000 rows in 11 ms). The canary is left to the doorbell, or it would
# prove nothing.
DUE = """
select workflow.name
from engine.workflow
cross join lateral (
    select 1 from engine.job
    where job.workflow = workflow.name and job.token is null and not job.dead and job.run_at <= now()
    order by job.priority, job.run_at
    limit 1
) as due
where not engine.is_stopped(workflow.*) and workflow.name <> 'canary'
"""
SQL = statements("lease.sql", due=sql.SQL(DUE))


class Look(NamedTuple):
    submissions: int | None
    oldest: int
    """The oldest transaction that may still run; all before it have ended, and what they queued is seen here."""

    next: int
    """The number that the next transaction gets."""

    due: list[str]


class Lease:
    """The statements of one listener. All but `look` and `ring` say whether it has the lease."""

    def __init__(self, holder: UUID) -> None:
        self.holder = holder

    def take(self, connection: Connection[Any]) -> bool:
        return self._change(connection, "take")

    def take_over(self, connection: Connection[Any]) -> bool:
        """From a holder that went without a word."""
        return self._change(connection, "take_over")

    def renew(self, connection: Connection[Any], *, awake: bool) -> bool:
        return self._change(connection, "renew", awake=awake)

    def release(self, connection: Connection[Any]) -> None:
        connection.execute(SQL["release"], {"holder": self.holder})

    def abandon(self, connection: Connection[Any]) -> None:
        connection.execute(SQL["abandon"], {"holder": self.holder})

    def look(self, connection: Connection[Any]) -> Look:
        row = connection.execute(SQL["look"]).fetchone()
        if row is None:
            raise RuntimeError("a query without a condition has a row")
        return Look(*row)

    def ring(self, connection: Connection[Any], workflows: Collection[str]) -> None:
        connection.execute(SQL["ring"], {"holder": self.holder, "workflows": list(workflows)})

    def _change(self, connection: Connection[Any], name: str, **values: object) -> bool:
        known = {"holder": self.holder, "seconds": LEASE_SECONDS, **values}
        return connection.execute(SQL[name], known).fetchone() is not None
