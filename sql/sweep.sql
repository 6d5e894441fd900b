-- Find what doorbells, nudges and dead workers left behind. Reads of the user's tables are TID ranges of bounded size.

-- name: claims_of_the_dead
-- Claims whose worker is no longer registered, page by page. (Materialized: or the planner may read all jobs by key.)
with lost as materialized (
    select job.pk, job.token, job.generation, job.attempt, job.worker_id, job.started_at
    from engine.job
    where job.workflow = %(workflow)s and job.token is not null
      and not exists (select 1 from engine.worker where worker.id = job.worker_id)
)
select pk, token, generation, attempt, worker_id, extract(epoch from clock_timestamp() - started_at)::float8,
       (select coalesce(max_attempts, declared_max_attempts) from engine.workflow where name = %(workflow)s)
from lost
where pk > %(after)s
order by pk
limit %(size)s

-- name: claims_of_the_living
-- With a counter, which stands still unless the worker says again and again that it still brings the claim's results.
select job.token, max(case when job.token = any(worker.late) then worker.late_said else 0 end)
from engine.job
join engine.worker on worker.id = job.worker_id
where job.workflow = %(workflow)s and job.token is not null
group by job.token

-- name: overdue_claims
select pk, token, generation, attempt, worker_id, extract(epoch from clock_timestamp() - started_at)::float8,
       (select coalesce(max_attempts, declared_max_attempts) from engine.workflow where name = %(workflow)s)
from engine.job
where workflow = %(workflow)s and token = any(%(tokens)s)

-- name: table_blocks
select pg_relation_size({table_name}::regclass) / current_setting('block_size')::bigint

-- name: job_blocks
select pg_relation_size('engine.job') / current_setting('block_size')::bigint

-- name: missed_rows
-- Queued rows that have no job, or a dead one: trigger disabled or bypassed, restore, replication.
select item.{pk}::text
from {table} as item
where item.ctid >= %(low)s::tid and item.ctid < %(high)s::tid and item.{status} = %(queued)s
  and not exists (
      select 1 from engine.job
      where job.workflow = %(workflow)s and job.pk = item.{pk}::text collate "C" and not job.dead)

-- name: adopt_rows
insert into engine.job as job (workflow, pk, priority, key)
select %(workflow)s, item.{pk}::text, {priority}, {key}
from {table} as item
where item.{pk} = any(%(pks)s::{pk_type}[]) and item.{status} = %(queued)s
on conflict (workflow, pk) do update
set generation = job.generation + 1, attempt = 0, lost = 0, run_at = now(), dead = false, last_error = null,
    submission_id = null
where job.dead
returning pk

-- name: orphan_rows
-- Processing rows that no claim covers. (worker_id, not token: or the planner may read all running jobs for each row.)
select item.{pk}::text, item.ctid::text
from {table} as item
where item.ctid >= %(low)s::tid and item.ctid < %(high)s::tid and item.{status} = %(processing)s
  and not exists (
      select 1 from engine.job
      where job.workflow = %(workflow)s and job.pk = item.{pk}::text collate "C" and job.worker_id is not null)
for no key update of item skip locked

-- name: adopt_orphans
-- Second look with a fresh snapshot while the rows are locked: only those still without a claim.
insert into engine.job as job (workflow, pk, priority, key, engine_xid)
select %(workflow)s, item.{pk}::text, {priority}, {key}, pg_current_xact_id()
from {table} as item
where item.ctid = any(%(tids)s::tid[]) and item.{status} = %(processing)s
on conflict (workflow, pk) do update
set engine_xid = pg_current_xact_id(), dead = false, run_at = now(), unwritable = null,
    attempt = case when job.dead then 0 else job.attempt end, lost = case when job.dead then 0 else job.lost end
where job.token is null
returning pk

-- name: requeue_orphans
update {table} as item set {status} = %(queued)s, {error} = %(reason)s
where item.ctid = any(%(tids)s::tid[]) and item.{pk} = any(%(pks)s::{pk_type}[])

-- name: refuse_orphan
-- A row in Processing that the database does not let us queue: its job keeps the reason, for people.
insert into engine.job as job (workflow, pk, priority, key, run_at, last_error, unwritable)
select %(workflow)s, item.{pk}::text, {priority}, {key}, clock_timestamp() + engine.left_to_sweep(), %(error)s, 1
from {table} as item
where item.ctid = %(tid)s::tid and item.{status} = %(processing)s
on conflict (workflow, pk) do update
set dead = false, last_error = excluded.last_error, unwritable = coalesce(job.unwritable, 0) + 1,
    run_at = clock_timestamp() + engine.left_to_sweep()
where job.token is null

-- name: idle_jobs
-- Unclaimed jobs whose row is gone or wants no work: not queued for a waiting job, not failed for a dead one. A row in
-- Processing is adopted with its job. (The || '' keeps the planner from reading all jobs of the workflow for one slice.)
select job.ctid::text
from engine.job
where job.workflow || '' = %(workflow)s and job.token is null and job.ctid >= %(low)s::tid and job.ctid < %(high)s::tid
  and not exists (
      select 1 from {table} as item
      where item.{pk} = {job_pk}
        and item.{status}::text in (%(processing)s, case when job.dead then %(failed)s else %(queued)s end))
for update of job skip locked

-- name: drop_idle_jobs
delete from engine.job
where ctid = any(%(tids)s::tid[]) and token is null
  and not exists (
      select 1 from {table} as item
      where item.{pk} = {job_pk}
        and item.{status}::text in (%(queued)s, %(processing)s, case when job.dead then %(failed)s else %(queued)s end))
