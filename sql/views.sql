-- What people look at. `select * from engine.overview` answers "is it moving?".

create or replace view engine.overview as
select
    workflow.name as workflow,
    workflow.paused,
    coalesce(job.ready, 0) as ready,
    coalesce(job.delayed, 0) as delayed,
    coalesce(job.running, 0) as running,
    coalesce(job.failed, 0) as failed,
    job.oldest_ready,
    coalesce(workflow.max_in_flight, workflow.declared_max_in_flight) as max_in_flight,
    workflow.paused_reason
from engine.workflow
left join (
    select
        workflow,
        count(*) filter (where token is null and not dead and run_at <= now()) as ready,
        count(*) filter (where token is null and not dead and run_at > now()) as delayed,
        count(*) filter (where token is not null) as running,
        count(*) filter (where dead) as failed,
        now() - min(run_at) filter (where token is null and not dead and run_at <= now()) as oldest_ready
    from engine.job
    group by workflow
) as job on job.workflow = workflow.name;

create or replace view engine.running as
select
    job.workflow, job.pk, job.attempt, job.started_at, clock_timestamp() - job.started_at as running_for,
    worker.host, worker.pid, worker.last_beat, worker.draining, job.worker_id
from engine.job
left join engine.worker on worker.id = job.worker_id
where job.token is not null;

create or replace view engine.waiting as
select
    job.workflow, job.pk, job.priority, job.attempt, job.run_at, job.run_at > now() as delayed,
    workflow.paused, job.key, job.last_error
from engine.job
join engine.workflow on workflow.name = job.workflow
where job.token is null and not job.dead;

create or replace view engine.failed as
select workflow, pk, attempt, lost, last_error, started_at
from engine.job
where dead;
