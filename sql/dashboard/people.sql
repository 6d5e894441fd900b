-- Who works, who queued what, and who did what. Newest first, by their number: a page costs the same at any depth.

-- name: workers
with held as materialized (
    select worker_id, count(*) as rows, string_agg(distinct workflow, ', ') as workflows
    from engine.job where token is not null group by worker_id
)
select worker.id, worker.host, worker.pid, worker.version, worker.started_at, worker.draining, worker.beats,
       clock_timestamp() - worker.last_beat as silent, coalesce(held.rows, 0) as rows, held.workflows
from engine.worker left join held on held.worker_id = worker.id
order by worker.host, worker.pid
limit %(rows)s

-- name: submissions
select id, submitted_at, workflow, rows, role, application_name, client_addr::text as client_addr
from engine.submission
where id < %(before)s
order by id desc
limit %(rows)s

-- name: actions
select id, happened_at, operator, action, workflow, rows, detail::text as detail, role, application_name,
       client_addr::text as client_addr
from engine.action
where id < %(before)s
order by id desc
limit %(rows)s
