-- What a scrape of /metrics reads: the engine's tables and the server's own statistics, never a business table.

-- name: workflows
-- The operator's side of each workflow, and what the last sweep found there.
select
    workflow.name,
    workflow.paused,
    engine.is_stopped(workflow.*) and not workflow.paused,
    engine.is_held_back(workflow.*),
    coalesce(today.used, 0)::float8 / nullif(coalesce(workflow.per_day, workflow.declared_per_day), 0),
    coalesce(extract(epoch from sweep.ended_at), 0)::float8,
    coalesce(sweep.missed_rows, 0),
    coalesce(sweep.orphaned_rows, 0)
from engine.workflow
left join engine.sweep on sweep.workflow = workflow.name
left join engine.usage as today
    on today.workflow = workflow.name and today.period = 'day'
   and today.starts_at = date_trunc('day', statement_timestamp(), workflow.day_zone)

-- name: waiting
-- The index of waiting jobs holds all that is asked for. The clock is read once, not for every row.
with clock as materialized (select statement_timestamp() as now)
select
    workflow.name,
    waiting.rows - waiting.delayed,
    waiting.delayed,
    coalesce(extract(epoch from clock.now - least(waiting.oldest, clock.now)), 0)::float8
from engine.workflow
cross join clock
cross join lateral (
    select count(*) as rows, count(*) filter (where job.run_at > clock.now) as delayed, min(job.run_at) as oldest
    from engine.job
    where job.workflow = workflow.name and job.token is null and not job.dead
) as waiting

-- name: running
-- Never many: as many as all workers hold.
select
    job.workflow,
    count(*),
    coalesce(extract(epoch from statement_timestamp() - min(job.started_at)), 0)::float8,
    count(*) filter (where not exists (select 1 from engine.worker where worker.id = job.worker_id))
from engine.job
where job.token is not null
group by job.workflow

-- name: failed
select workflow, count(*) from engine.job where dead group by workflow

-- name: server
select
    (select count(*) from engine.worker where not draining),
    (select count(*) from engine.worker where draining),
    pg_notification_queue_usage(),
    (select coalesce(extract(epoch from max(clock_timestamp() - began.at)), 0)::float8
     from (
         select xact_start as at from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
         union all
         select prepared from pg_prepared_xacts where database = current_database()
     ) as began),
    pg_stat_get_dead_tuples('engine.job'::regclass),
    pg_total_relation_size('engine.job'),
    (select obj_description(oid, 'pg_namespace') from pg_namespace where nspname = 'engine'),
    (select max(version_num) from public.schema_version)
