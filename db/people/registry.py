"""The workflows as the database knows them: words, limits, overrides, and why one stands still."""

from typing import Any, Final

from psycopg import Connection
from psycopg.rows import DictRow, dict_row

WORKFLOWS: Final = """
select workflow.*, engine.is_stopped(workflow.*) as stopped,
       coalesce(minute.used, 0) as used_this_minute, coalesce(today.used, 0) as used_today,
       stop.operator as paused_by, stop.happened_at as paused_at
from engine.workflow
left join engine.usage as minute
    on minute.workflow = workflow.name and minute.period = 'minute'
   and minute.starts_at = date_trunc('minute', statement_timestamp())
left join engine.usage as today
    on today.workflow = workflow.name and today.period = 'day'
   and today.starts_at = date_trunc('day', statement_timestamp(), workflow.day_zone)
left join lateral (
    select action.operator, action.happened_at from engine.action
    where action.workflow = workflow.name and action.action = 'pause' and workflow.paused
    order by action.id desc limit 1
) as stop on true
where %(name)s::text is null or workflow.name = %(name)s
order by workflow.name
"""


def workflows(connection: Connection[Any], name: str | None = None) -> list[DictRow]:
    """All of them, or the one."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(WORKFLOWS, {"name": name}).fetchall()
