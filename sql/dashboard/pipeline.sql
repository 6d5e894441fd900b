-- The first page: every workflow, and how much it did in each of the last sixty minutes.

-- name: overview
select overview.*, workflow.paused as paused_by_hand,
       coalesce(workflow.per_minute, workflow.declared_per_minute) as per_minute
from engine.overview join engine.workflow on workflow.name = overview.workflow

-- name: rates
select workflow, extract(epoch from date_trunc('minute', now()) - minute)::int / 60 as minutes_ago,
       completed, retried + failed as troubled
from engine.rate
where workflow = any(%(workflows)s) and minute > now() - interval '61 minutes'

-- name: troubles
-- Of the newest attempts those that did not end well; where successes are kept too, only some are looked at.
select id, workflow, pk, attempt, outcome, left(error, 300) as error, ended_at
from (select * from engine.attempt order by id desc limit 300) as newest
where outcome <> 'completed'
order by id desc
limit %(rows)s

-- name: workers
select count(*) filter (where not draining) as alive, count(*) filter (where draining) as draining from engine.worker
