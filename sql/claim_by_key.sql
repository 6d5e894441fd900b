-- Claim rows of a polite workflow: one row per key and visit, key after key, so that every key gets its turn however
-- many rows it has. Claims of several processes lock the pace of their keys, not each other: a key that is locked, rests or
-- runs already is passed by, and its rows stay where they are. docs/decisions/0019 says why.

-- name: room
-- How many rows may begin now, and what all of them share. A limit is exact because `serialise` has been called.
select engine.room(workflow.*, %(worker)s, %(size)s), coalesce(max_attempts, declared_max_attempts),
       coalesce(batch, declared_batch), coalesce(per_minute, declared_per_minute, per_day, declared_per_day) is not null,
       exists (select 1 from engine.job as due
               where due.workflow = %(workflow)s and due.token is null and not due.dead and due.run_at <= statement_timestamp())
from engine.workflow where name = %(workflow)s

-- name: heads
-- The first row of each key behind the cursor, where row and key may start. Each step is one look into job_of_key, and
-- only as many are made as it takes to find the rows asked for. The last look of many is returned whether its row may
-- start or not: the next claim goes on behind it.
with recursive head as (
    (select job.priority, job.key collate "C" as key, job.ctid as tid, job.run_at, 1 as look
     from engine.job
     where job.workflow = %(workflow)s and job.token is null and not job.dead and job.key is not null
       and (job.priority, job.key collate "C") > (%(priority)s, %(key)s collate "C") and job.priority < %(below)s
       and (job.lost = 0 or %(suspects)s)
     order by job.priority, job.key collate "C", job.run_at
     limit 1)
    union all
    select next.* from head cross join lateral (
        select job.priority, job.key collate "C", job.ctid, job.run_at, head.look + 1
        from engine.job
        where job.workflow = %(workflow)s and job.token is null and not job.dead and job.key is not null
          and (job.priority, job.key collate "C") > (head.priority, head.key collate "C") and job.priority < %(below)s
          and (job.lost = 0 or %(suspects)s)
        order by job.priority, job.key collate "C", job.run_at
        limit 1
    ) as next
    where head.look < %(looks)s
)
select head.priority, head.key, head.tid::text, pace.key is not null, state.may_start
from head
left join engine.pace on pace.key = head.key collate "default"
cross join lateral (
    select head.run_at <= statement_timestamp() and coalesce(pace.next_start <= statement_timestamp(), true)
       and (select count(*) from engine.job as running
            where running.key = head.key collate "default" and running.worker_id is not null) < %(at_once)s
    offset 0
) as state (may_start)
where state.may_start or head.look = %(looks)s
limit %(room)s

-- name: add_pace
insert into engine.pace (key, next_start) select unnest(%(keys)s::text[]), '-infinity' on conflict (key) do nothing

-- name: lock_pace
-- From here on no other claim starts a row of these keys.
select key from engine.pace
where key = any(%(keys)s) and next_start <= clock_timestamp()
for no key update skip locked

-- name: busy_keys
-- Asked after the lock: whoever had it before may have started a row.
select key from engine.job where key = any(%(keys)s) and worker_id is not null group by key having count(*) >= %(at_once)s

-- name: take_heads
-- By their place. The conditions are written so that no index fits them: with old statistics all look equally cheap.
update engine.job as job
set token = %(token)s, worker_id = %(worker)s, attempt = job.attempt + 1, started_at = clock_timestamp()
where job.ctid = any(array(
    select head.ctid from engine.job as head
    where head.ctid = any(%(tids)s::tid[]) and head.workflow || '' = %(workflow)s and head.token is null
      and head.dead is not true and head.run_at <= clock_timestamp()
    for update skip locked
))
returning job.pk, job.generation, job.attempt, job.lost, job.key, job.priority,
          extract(epoch from statement_timestamp() - job.run_at)::float8

-- name: drop_withdrawn_of_keys
-- Where one row of a key was withdrawn, others may be: as many as a claim can afford.
delete from engine.job
where ctid = any(array(
    select job.ctid
    from unnest(%(priorities)s::int[], %(keys)s::text[]) as crowd (priority, key)
    cross join lateral (
        select waiting.ctid, waiting.pk, waiting.key from engine.job as waiting
        where waiting.workflow = %(workflow)s and waiting.token is null and not waiting.dead and waiting.key is not null
          and (waiting.priority, waiting.key collate "C") >= (crowd.priority, crowd.key collate "C")
        order by waiting.priority, waiting.key collate "C", waiting.run_at
        limit 300
        for update skip locked
    ) as job
    where job.key = crowd.key
      and not exists (select 1 from {table} as item where item.{pk} = {job_pk} and item.{status} = %(queued)s)
))

-- name: start_pace
update engine.pace set next_start = clock_timestamp() + make_interval(secs => %(spacing)s) where key = any(%(keys)s)
