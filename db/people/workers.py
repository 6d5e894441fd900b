"""Worker processes as an operator sees them: what each runs, and the word to claim nothing more."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from db.people.actions import record_action

WORKERS: Final = """
select worker.id, worker.host, worker.pid, worker.version, worker.started_at, worker.last_beat, worker.beats,
       worker.draining, worker.drain_wanted, clock_timestamp() - worker.last_beat as silent_for,
       coalesce(running.rows, 0) as running, running.by_workflow, running.longest
from engine.worker
left join (
    select worker_id, sum(rows)::bigint as rows, jsonb_object_agg(workflow, rows) as by_workflow,
           max(longest) as longest
    from (
        select worker_id, workflow, count(*) as rows, clock_timestamp() - min(started_at) as longest
        from engine.job where token is not null group by 1, 2
    ) as each_workflow
    group by worker_id
) as running on running.worker_id = worker.id
order by worker.host, worker.started_at, worker.pid
"""
DRAIN: Final = """
update engine.worker set drain_wanted = %(wanted)s where id = any(%(ids)s) and drain_wanted <> %(wanted)s
"""


def workers(connection: Connection[Any]) -> list[DictRow]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(WORKERS).fetchall()


def drain(connection: Connection[Any], ids: Sequence[UUID], *, wanted: bool, operator: str) -> int:
    """Tell workers to claim nothing more, or to claim again; how many had not been told so already."""
    with connection.transaction():
        told = connection.execute(DRAIN, {"wanted": wanted, "ids": list(ids)}).rowcount
        if told:
            action = "drain" if wanted else "undrain"
            record_action(
                connection, action, operator=operator, rows=told, detail={"workers": [str(one) for one in ids]}
            )
    return told


def still_running(connection: Connection[Any], ids: Sequence[UUID]) -> int:
    """How many rows these workers hold."""
    query = "select count(*) from engine.job where token is not null and worker_id = any(%s)"
    row = connection.execute(query, [list(ids)]).fetchone()
    return int(row[0]) if row else 0
