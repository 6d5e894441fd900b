-- Claim a batch. Jobs first, then business rows, every lock taken with SKIP LOCKED: the engine never waits while it
-- holds a lock, so it can not be part of a deadlock with a user. Each statement sees a fresh snapshot (READ COMMITTED).

-- name: serialise
-- A limit is exact only if claims of the workflow come one after the other. Without a limit there is no lock.
select pg_advisory_xact_lock(hashtextextended('engine.workflow ' || name, 0))
from engine.workflow
where name = %(workflow)s and coalesce(max_in_flight, declared_max_in_flight) is not null

-- name: serialise_group
select pg_advisory_xact_lock(hashtextextended('engine.pace ' || %(group)s, 0))

-- name: lock_jobs
-- The due jobs, as many as the batch, the limit and a registered worker allow.
select job.ctid::text, job.pk, job.generation, job.attempt, job.lost, job.key,
       extract(epoch from clock_timestamp() - job.run_at)::float8 as waited,
       (select coalesce(max_attempts, declared_max_attempts) from engine.workflow where name = %(workflow)s)
from engine.job
where job.workflow = %(workflow)s and job.token is null and not job.dead and job.run_at <= now()
order by job.priority, job.run_at
limit (
    select case
        when workflow.paused or not exists (select 1 from engine.worker where id = %(worker)s) then 0
        else greatest(0, least(
            %(size)s,
            coalesce(workflow.batch, workflow.declared_batch),
            coalesce(workflow.max_in_flight, workflow.declared_max_in_flight) - (
                select count(*) from engine.job as running
                where running.workflow = %(workflow)s and running.token is not null
                  and coalesce(workflow.max_in_flight, workflow.declared_max_in_flight) is not null)
        ))
    end
    from engine.workflow where workflow.name = %(workflow)s
)
for update of job skip locked

-- name: lock_rows
select item.{pk}::text, item.ctid::text, {columns}
from {table} as item
where item.{pk} = any(%(pks)s::{pk_type}[]) and item.{status} = %(queued)s
for no key update of item skip locked

-- name: take_jobs
update engine.job
set token = %(token)s, worker_id = %(worker)s, attempt = attempt + 1, started_at = clock_timestamp()
where ctid = any(%(tids)s::tid[])

-- name: take_rows
update {table} set {status} = %(processing)s where ctid = any(%(tids)s::tid[])

-- name: drop_withdrawn
-- Locked jobs whose row no longer asks for work, judged by a fresh snapshot.
delete from engine.job
where ctid = any(%(tids)s::tid[])
  and not exists (select 1 from {table} as item where item.{pk} = job.pk::{pk_type} and item.{status} = %(queued)s)

-- name: postpone
-- Rows that a user holds locked, or whose key must be spared, step aside so that others are seen.
update engine.job set run_at = clock_timestamp() + make_interval(secs => wait.seconds)
from unnest(%(tids)s::tid[], %(seconds)s::float8[]) as wait (tid, seconds)
where job.ctid = wait.tid

-- name: key_state
select wanted.key,
       (select count(*) from engine.job where job.key = wanted.key and job.token is not null),
       coalesce((select extract(epoch from pace.next_start - clock_timestamp())
                 from engine.pace where pace.key = wanted.key), 0)::float8
from unnest(%(keys)s::text[]) as wanted (key)

-- name: set_pace
insert into engine.pace as pace (key, next_start)
select key, clock_timestamp() + make_interval(secs => seconds)
from unnest(%(keys)s::text[], %(seconds)s::float8[]) as started (key, seconds)
on conflict (key) do update set next_start = excluded.next_start
