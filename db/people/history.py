"""What is remembered of people's deeds and of attempts, and for how long."""

from datetime import datetime, timedelta
from typing import Any, Final

from psycopg import Connection
from psycopg.errors import InsufficientPrivilege
from psycopg.rows import DictRow, dict_row

from db.people.actions import record_action
from db.statements import statements

AT_ONCE: Final = 20_000
KINDS: Final = ("attempts", "submissions", "actions")

# Newest first out of each table by its key, so that a long history costs nothing.
AUDIT: Final = """
(select happened_at, operator, action, workflow, rows, detail, role, application_name, client_addr
 from engine.action
 where (%(workflow)s::text is null or workflow = %(workflow)s)
   and (%(since)s::timestamptz is null or happened_at >= %(since)s)
 order by id desc limit %(limit)s)
union all
(select submitted_at, role, 'submit', workflow, rows, '{}'::jsonb, role, application_name, client_addr
 from engine.submission
 where (%(workflow)s::text is null or workflow = %(workflow)s) and not %(actions)s
   and (%(since)s::timestamptz is null or submitted_at >= %(since)s)
 order by id desc limit %(limit)s)
order by happened_at desc
limit %(limit)s
"""
# What analysts may read: the same without addresses.
AUDIT_FOR_ANALYSTS: Final = """
select * from engine.audit
where (%(workflow)s::text is null or workflow = %(workflow)s) and (action <> 'submit' or not %(actions)s)
  and (%(since)s::timestamptz is null or happened_at >= %(since)s)
order by happened_at desc limit %(limit)s
"""


def audit(
    connection: Connection[Any], *, since: datetime | None, workflow: str | None, actions: bool, limit: int
) -> list[DictRow]:
    """Who did what, newest first."""
    parameters = {"since": since, "workflow": workflow, "actions": actions, "limit": limit}
    with connection.cursor(row_factory=dict_row) as cursor:
        try:
            return cursor.execute(AUDIT, parameters).fetchall()
        except InsufficientPrivilege:
            return cursor.execute(AUDIT_FOR_ANALYSTS, parameters).fetchall()


def count_old(connection: Connection[Any], age: timedelta) -> dict[str, int]:
    """What `prune` would delete."""
    sql = statements("upkeep.sql")
    found = {kind: connection.execute(sql[f"old_{kind}"], {"age": age}).fetchone() for kind in KINDS}
    return {kind: int(row[0]) if row else 0 for kind, row in found.items()}


def prune(connection: Connection[Any], age: timedelta, *, operator: str) -> dict[str, int]:
    """Delete what is older, some rows at a time; how many of each kind."""
    sql = statements("upkeep.sql")
    counts = dict.fromkeys(KINDS, 0)
    for kind in KINDS:
        deleted = AT_ONCE
        while deleted == AT_ONCE:  # or it would run after what is written meanwhile
            deleted = connection.execute(sql[f"prune_{kind}"], {"age": age, "rows": AT_ONCE}).rowcount
            counts[kind] += deleted
    record_action(connection, "prune", operator=operator, rows=sum(counts.values()), detail=counts)
    return counts
