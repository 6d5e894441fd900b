-- What operators do and ask about, whatever the table.

-- name: failures
-- Dead jobs by their folded error, the most frequent first. To fold one takes 0.05 ms: all of many are too many for a page.
select engine.folded(last_error) as error, count(*) as rows,
       min(started_at) as oldest, max(started_at) as newest, min(pk) as example_pk
from (
    select last_error, started_at, pk from engine.job
    where workflow = %(workflow)s and dead
    order by started_at desc nulls last
    limit %(newest)s
) as failed
group by 1
order by 2 desc, 1

-- name: record_action
insert into engine.action (operator, action, workflow, rows, detail)
values (%(operator)s, %(action)s, %(workflow)s, %(rows)s, %(detail)s)
returning id

-- name: count_action
update engine.action set rows = %(rows)s where id = %(id)s

-- name: make_due
update engine.job set run_at = now()
where workflow = %(workflow)s and pk = any(%(pks)s) and token is null and not dead and run_at > now()

-- name: ring
select pg_notify('engine', %(workflow)s) where pg_notification_queue_usage() < 0.5
