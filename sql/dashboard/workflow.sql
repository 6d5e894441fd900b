-- One workflow: what runs, what comes next, what failed, and how it went over time. Every list is a range of an index.

-- name: limits
select workflow.*, coalesce(minute_now.used, 0) as used_this_minute
from engine.workflow
left join engine.usage as minute_now
    on minute_now.workflow = workflow.name and minute_now.period = 'minute'
   and minute_now.starts_at = date_trunc('minute', statement_timestamp())
where name = %(workflow)s

-- name: running
select job.pk, job.attempt, job.started_at, clock_timestamp() - job.started_at as elapsed, worker.host, worker.pid,
       worker.draining, clock_timestamp() - worker.last_beat as silent
from engine.job left join engine.worker on worker.id = job.worker_id
where job.workflow = %(workflow)s and job.token is not null
order by job.started_at
limit %(rows)s

-- name: waiting
-- Whoever queues 100,000 rows in one statement makes them all due at once: among those the list goes on by counting,
-- because to sort them would take longer.
select pk, priority, attempt, run_at, run_at - now() as due_in, left(engine.masked(left(last_error, 600)), 300) as last_error
from engine.job
where workflow = %(workflow)s and token is null and not dead and (priority, run_at) >= (%(priority)s, %(run_at)s)
order by priority, run_at
limit %(rows)s offset %(skip)s

-- name: failed
-- The rows that were looked at, not only those that fit: the list goes on behind the last of them.
select pk, attempt, lost, started_at, left(engine.masked(left(last_error, 600)), 300) as last_error,
       engine.folded(last_error) as folded
from engine.job
where workflow = %(workflow)s and dead and pk > %(pk)s
order by pk
limit %(rows)s

-- name: rates
-- Minutes gathered to steps of equal length; the last step may not be over yet.
select extract(epoch from date_trunc('minute', now()) - minute)::int / 60 / %(step)s as steps_ago,
       sum(completed)::float8 as completed, sum(retried)::float8 as retried, sum(failed)::float8 as failed,
       sum(waited_seconds) / nullif(sum(started), 0) as mean_wait, max(longest_wait_seconds) as longest_wait,
       sum(worked_seconds) / nullif(sum(completed + retried + failed), 0) as mean_work
from engine.rate
where workflow = %(workflow)s and minute > date_trunc('minute', now()) - make_interval(mins => %(step)s * %(steps)s)
group by 1
