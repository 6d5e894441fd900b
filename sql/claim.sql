-- Claim a batch: jobs first, then business rows, every lock taken with SKIP LOCKED. The engine never waits while it
-- holds a lock, so it can not be part of a deadlock with a user. Each statement sees a fresh snapshot (READ COMMITTED);
-- a row that changes between a statement's snapshot and its lock is not taken, and looked at again later.

-- name: serialise
-- A limit is exact only if claims of the workflow come one after the other. Without a limit there is no lock.
-- A row, because only the engine's roles can lock it: docs/decisions/0015. To lock one is a write, so a claim that would
-- find nothing due locks none. The name of the locked row; '' when nothing is due, null when the row is missing.
select case
    when exists (
        select 1 from engine.job as due
        where due.workflow = %(workflow)s and due.token is null and not due.dead and due.run_at <= statement_timestamp())
    then (select turn.name from engine.lock as turn where turn.name = 'workflow ' || workflow.name for no key update)
    else '' end
from engine.workflow
where name = %(workflow)s
  and coalesce(max_in_flight, declared_max_in_flight, per_minute, declared_per_minute, per_day, declared_per_day) is not null

-- name: held_back
select engine.is_held_back(workflow.*) from engine.workflow where name = %(workflow)s

-- name: take_jobs
-- The due jobs, as many as the batch, the limit and a registered worker allow.
update engine.job as job
set token = %(token)s, worker_id = %(worker)s, attempt = job.attempt + 1, started_at = clock_timestamp()
where job.ctid = any(array(
    select due.ctid
    from engine.job as due
    where due.workflow = %(workflow)s and due.token is null and not due.dead and due.run_at <= statement_timestamp()
      and (due.lost = 0 or %(suspects)s)
    order by due.priority, due.run_at
    limit (
        select case
            when engine.is_stopped(workflow.*)
              or not exists (select 1 from engine.worker where id = %(worker)s and not drain_wanted) then 0
            else greatest(0, least(
                %(size)s,
                coalesce(workflow.batch, workflow.declared_batch),
                coalesce(workflow.max_in_flight, workflow.declared_max_in_flight) - (
                    select count(*) from engine.job as running
                    where running.workflow = %(workflow)s and running.token is not null
                      and coalesce(workflow.max_in_flight, workflow.declared_max_in_flight) is not null),
                coalesce(workflow.per_minute, workflow.declared_per_minute) - coalesce((
                    select usage.used from engine.usage
                    where usage.workflow = %(workflow)s and usage.period = 'minute'
                      and usage.starts_at = date_trunc('minute', statement_timestamp())
                      and coalesce(workflow.per_minute, workflow.declared_per_minute) is not null), 0),
                coalesce(workflow.per_day, workflow.declared_per_day) - coalesce((
                    select usage.used from engine.usage
                    where usage.workflow = %(workflow)s and usage.period = 'day'
                      and usage.starts_at = date_trunc('day', statement_timestamp(), workflow.day_zone)
                      and coalesce(workflow.per_day, workflow.declared_per_day) is not null), 0)
            ))
        end
        from engine.workflow where workflow.name = %(workflow)s
    )
    for update of due skip locked
))
returning job.pk, job.generation, job.attempt, job.lost, job.key, job.priority,
          extract(epoch from statement_timestamp() - job.run_at)::float8,
          (select coalesce(max_attempts, declared_max_attempts) from engine.workflow where name = %(workflow)s),
          (select coalesce(batch, declared_batch) from engine.workflow where name = %(workflow)s),
          (select coalesce(per_minute, declared_per_minute, per_day, declared_per_day) is not null
           from engine.workflow where name = %(workflow)s)

-- name: look
-- More due jobs, to find among many that may not begin those that may; locked, and not yet taken.
select due.pk, due.generation, due.attempt + 1, due.lost, due.key, due.priority,
       extract(epoch from statement_timestamp() - due.run_at)::float8
from engine.job as due
where due.workflow = %(workflow)s and due.token is null and not due.dead and due.run_at <= statement_timestamp()
  and (due.lost = 0 or %(suspects)s)
order by due.priority, due.run_at
limit %(look)s
for update of due skip locked

-- name: take_chosen
update engine.job as job
set token = %(token)s, worker_id = %(worker)s, attempt = job.attempt + 1, started_at = clock_timestamp()
where job.workflow = %(workflow)s and job.pk = any(%(pks)s) and job.token is null

-- name: survey
-- Of many, those that a run could begin with: their row wants one, and nobody has locked it.
select wanted.{pk}::text
from {table} as wanted
where wanted.{pk} = any(%(pks)s::{pk_type}[]) and wanted.{status} = %(queued)s
for no key update of wanted skip locked

-- name: take_rows
update {table} as item
set {status} = %(processing)s
where item.ctid = any(array(
    select wanted.ctid
    from {table} as wanted
    where wanted.{pk} = any(%(pks)s::{pk_type}[]) and wanted.{status} = %(queued)s
    for no key update of wanted skip locked
))
returning item.{pk}::text, {columns}

-- name: take_batch
-- The usual case in one statement: no limit, no budget and no politeness. Jobs, then rows, locked as above. The first row
-- tells what there was even if none could begin. A job whose worker died is taken alone, and only when it is the first.
with head as materialized (
    select due.ctid as place, due.lost
    from engine.job as due
    where due.workflow = %(workflow)s and due.token is null and not due.dead and due.run_at <= statement_timestamp()
      and (due.lost = 0 or %(suspects)s)
    order by due.priority, due.run_at
    limit (
        select case
            when engine.is_stopped(workflow.*)
              or coalesce(max_in_flight, declared_max_in_flight, per_minute, declared_per_minute, per_day, declared_per_day)
                 is not null
              or not exists (select 1 from engine.worker where id = %(worker)s and not drain_wanted) then 0
            else least(%(size)s, coalesce(workflow.batch, workflow.declared_batch))
        end
        from engine.workflow where workflow.name = %(workflow)s
    )
    for update of due skip locked
), taken as (
    update engine.job as job
    set token = %(token)s, worker_id = %(worker)s, attempt = job.attempt + 1, started_at = clock_timestamp()
    where job.ctid = any(case
        when (select lost > 0 from head limit 1) then array(select place from head limit 1)
        else array(select place from head where lost = 0) end)
    returning job.pk, job.generation, job.attempt, job.lost, job.priority,
              extract(epoch from statement_timestamp() - job.run_at)::float8 as waited
), wanted as materialized (
    select source.ctid as place, job.pk, job.generation, job.attempt, job.lost, job.priority, job.waited
    from taken as job
    join {table} as source on source.{pk} = {job_pk} and source.{status} = %(queued)s
    for no key update of source skip locked
), begun as (
    update {table} as item
    set {status} = %(processing)s
    from wanted
    where item.ctid = wanted.place
    returning wanted.pk, wanted.generation, wanted.attempt, wanted.lost, wanted.priority, wanted.waited, {columns}
)
select (select count(*) from head), (select count(*) from taken), facts.*, begun.*
from (
    select coalesce(batch, declared_batch), coalesce(max_attempts, declared_max_attempts),
           coalesce(max_in_flight, declared_max_in_flight, per_minute, declared_per_minute, per_day, declared_per_day)
           is not null
    from engine.workflow where name = %(workflow)s
) as facts
left join begun on true

-- name: not_begun
select pk from engine.job where job.workflow = %(workflow)s and job.token = %(token)s

-- name: drop_withdrawn
-- Of the jobs that we have taken or locked: those whose row no longer asks for work.
delete from engine.job
where job.workflow = %(workflow)s and job.pk = any(%(pks)s) and (job.token = %(token)s or job.token is null)
  and not exists (select 1 from {table} as item where item.{pk} = {job_pk} and item.{status} = %(queued)s)

-- name: give_back
-- Rows that a user has locked, whose key must be spared, or that must run alone: later, and no attempt is burnt.
update engine.job as job
set token = null, worker_id = null, attempt = job.attempt - (job.token is not null)::int,
    run_at = case when wait.seconds > 0 then clock_timestamp() + make_interval(secs => wait.seconds) else job.run_at end
from unnest(%(pks)s::text[], %(seconds)s::float8[]) as wait (pk, seconds)
where job.workflow = %(workflow)s and job.pk = wait.pk and (job.token = %(token)s or job.token is null)

-- name: push_back
-- A row that the database does not let us set to Processing: later and later, with the reason; no attempt is burnt.
with pushed as (
    update engine.job as job
    set token = null, worker_id = null, attempt = job.attempt - (job.token is not null)::int,
        unwritable = coalesce(job.unwritable, 0) + 1, last_error = %(error)s,
        run_at = clock_timestamp() + engine.unwritable_delay(job.unwritable)
    where job.workflow = %(workflow)s and job.pk = %(pk)s and (job.token = %(token)s or job.token is null)
    returning job.workflow, job.pk, job.generation, job.attempt, job.last_error, job.submission_id
)
insert into engine.attempt (workflow, pk, generation, attempt, outcome, error, submission_id, worker_id, started_at)
select workflow, pk, generation, attempt, 'unwritable', last_error, submission_id, %(worker)s, clock_timestamp()
from pushed

-- name: spend
-- Rows begun, on the budget of this minute and this day.
insert into engine.usage as usage (workflow, period, starts_at, used)
select workflow.name, span.period, span.starts_at, %(rows)s
from engine.workflow
cross join lateral (values
    ('minute', date_trunc('minute', statement_timestamp())),
    ('day', date_trunc('day', statement_timestamp(), workflow.day_zone))
) as span (period, starts_at)
where workflow.name = %(workflow)s
on conflict (workflow, period) do update
set starts_at = excluded.starts_at,
    used = excluded.used + case when usage.starts_at = excluded.starts_at then usage.used else 0 end
