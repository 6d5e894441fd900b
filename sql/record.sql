-- End attempts. The fence: only rows whose job still carries this claim's token are written, in the same
-- transaction as the results. Job rows are changed before business rows, so that the trigger sees engine_xid.

-- name: end_batch
-- The usual case: every row of one claim worked, or some of several claims, and nobody touched them meanwhile. In one statement with
-- the completion of the rows, which stands between these two. Generations only rise: their sum is the same, or one did.
with ended as (
    delete from engine.job
    where ctid = any(array(
        select held.ctid from engine.job as held
        where held.token = any(%(tokens)s) and held.workflow = %(workflow)s
          and (%(some)s::text[] is null or held.token || ' ' || held.pk = any(%(some)s::text[]))
        for update of held skip locked
    ))
    returning generation
), completed as (
    {completion} returning 1
)
select (select count(*) from ended), (select coalesce(sum(generation), 0)::bigint from ended),
       (select count(*) from completed), pg_current_xact_id()::text

-- name: lock_rows
select item.{pk}::text, item.ctid::text, item.{status}::text
from {table} as item
where item.{pk} = any(%(pks)s::{pk_type}[])
for no key update of item skip locked

-- name: lock_jobs
select token, pk, ctid::text, generation, attempt, lost, submission_id, pg_current_xact_id()::text
from engine.job
where token = any(%(tokens)s) and workflow = %(workflow)s
for update skip locked

-- name: still_there
select item.{pk}::text from {table} as item where item.{pk} = any(%(pks)s::{pk_type}[])

-- name: still_claimed
select token, pk from engine.job where token = any(%(tokens)s) and workflow = %(workflow)s and pk = any(%(pks)s)

-- name: committed
-- Asked when a commit had no answer. (A server that was restored may not have reached the transaction yet.)
select xid::text
from unnest(%(xids)s::text[]::xid8[]) as tried (xid)
where case when xid < pg_snapshot_xmax(pg_current_snapshot()) then pg_xact_status(xid) = 'committed' end

-- name: rows_of_claim
select job.pk, job.generation, job.attempt, coalesce(workflow.max_attempts, workflow.declared_max_attempts),
       job.started_at
from engine.job
join engine.workflow on workflow.name = job.workflow
where job.token = %(token)s and job.workflow = %(workflow)s

-- name: refund
-- Rows that were claimed and never begun, in the minute and on the day that they were charged to.
update engine.usage
set used = greatest(0, used - %(rows)s)
where workflow = %(workflow)s and starts_at <= %(started_at)s

-- name: delete_jobs
delete from engine.job where ctid = any(%(tids)s::tid[])

-- name: free_jobs
-- Back in the queue, or dead. A null delay keeps the due time, a null error keeps the old text. A job whose row can not
-- be written leaves it in Processing, without a claim: the sweep queues it again as soon as it can.
update engine.job
set token = null, worker_id = null, engine_xid = pg_current_xact_id(),
    attempt = greatest(0, attempt - ending.given_back), lost = job.lost + ending.lost, dead = ending.dead,
    run_at = case when ending.unwritable then clock_timestamp() + engine.left_to_sweep()
                  else coalesce(clock_timestamp() + make_interval(secs => ending.delay), run_at) end,
    last_error = coalesce(ending.error, last_error),
    unwritable = case when ending.unwritable then coalesce(job.unwritable, 0) + 1 end
from unnest(%(tids)s::tid[], %(given_back)s::int[], %(lost)s::int[], %(dead)s::bool[], %(delays)s::float8[],
            %(errors)s::text[], %(unwritable)s::bool[])
     as ending (tid, given_back, lost, dead, delay, error, unwritable)
where job.ctid = ending.tid

-- name: set_rows
-- A row that goes back to the queue without a new error keeps the old text.
update {table} as item
set {status} = ending.status,
    {error} = coalesce(ending.error, case when ending.status::text = %(queued)s then item.{error} end){reason}{touch}
from unnest(%(tids)s::tid[], %(statuses)s::{status_type}[], %(errors)s::text[], %(reasons)s::text[])
     as ending (tid, status, error, reason)
where item.ctid = ending.tid

-- name: add_attempts
insert into engine.attempt (workflow, pk, generation, attempt, outcome, error, submission_id, worker_id, started_at)
select %(workflow)s, pk, generation, attempt, outcome, error, submission, %(worker)s,
       clock_timestamp() - make_interval(secs => seconds)
from unnest(%(pks)s::text[], %(generations)s::bigint[], %(attempts)s::int[], %(outcomes)s::text[],
            %(errors)s::text[], %(submissions)s::bigint[], %(seconds)s::float8[])
     as ended (pk, generation, attempt, outcome, error, submission, seconds)

-- name: ring
select pg_notify('engine', %(workflow)s) where pg_notification_queue_usage() < 0.5

-- name: rest
-- The run is over: its key is left alone for a while longer, by every workflow of the group.
insert into engine.pace as pace (key, next_start)
select key, clock_timestamp() + make_interval(secs => seconds)
from unnest(%(keys)s::text[], %(seconds)s::float8[]) as ended (key, seconds)
on conflict (key) do update set next_start = greatest(pace.next_start, excluded.next_start)

-- name: block
update engine.workflow set blocked_reason = %(reason)s, blocked_until = %(until)s where name = %(workflow)s
