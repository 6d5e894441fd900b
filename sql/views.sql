-- What people look at. `select * from engine.overview` answers "is it moving?".

-- One range of one index per state: the business tables and the rest of engine.job are not read.
create or replace view engine.overview as
select
    workflow.name as workflow,
    engine.is_stopped(workflow.*) as paused,
    waiting.ready,
    waiting.delayed,
    running.rows as running,
    dead.rows as failed,
    waiting.oldest_ready,
    coalesce(workflow.max_in_flight, workflow.declared_max_in_flight) as max_in_flight,
    case
        when workflow.paused then workflow.paused_reason
        when engine.is_stopped(workflow.*) then workflow.blocked_reason
    end as paused_reason,
    case when engine.is_stopped(workflow.*) and not workflow.paused then workflow.blocked_until end as paused_until,
    today.used as used_today,
    coalesce(workflow.per_day, workflow.declared_per_day) as per_day,
    workflow.feeds,
    coalesce(workflow.max_downstream, workflow.declared_max_downstream) as max_downstream,
    engine.is_held_back(workflow.*) as held_back
from engine.workflow
cross join lateral (
    select
        count(*) filter (where job.run_at <= now()) as ready,
        count(*) filter (where job.run_at > now()) as delayed,
        now() - min(job.run_at) filter (where job.run_at <= now()) as oldest_ready
    from engine.job
    where job.workflow = workflow.name and job.token is null and not job.dead
) as waiting
cross join lateral (
    select count(*) as rows from engine.job where job.workflow = workflow.name and job.token is not null
) as running
cross join lateral (
    select count(*) as rows from engine.job where job.workflow = workflow.name and job.dead
) as dead
left join engine.usage as today
    on today.workflow = workflow.name and today.period = 'day'
   and today.starts_at = date_trunc('day', statement_timestamp(), workflow.day_zone);

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
    engine.is_stopped(workflow.*) as paused, job.key, job.last_error, job.unwritable
from engine.job
join engine.workflow on workflow.name = job.workflow
where job.token is null and not job.dead;

create or replace view engine.failed as
select workflow, pk, attempt, lost, last_error, started_at
from engine.job
where dead;

-- Everything that people did, in one list: what they queued, and how they steered. For analysts too: no addresses.
create or replace view engine.audit as
select happened_at, operator, action, workflow, rows, detail, role, application_name from engine.action
union all
select submitted_at, role, 'submit', workflow, rows, '{}'::jsonb, role, application_name from engine.submission;

-- Contacts as people are shown them. The triggers keep suppressed persons out of the table; what came past them (a restore,
-- a replica, a disabled trigger) is not shown either until the sweep has deleted it.
create or replace view engine.reachable_contact with (security_invoker = true) as
select contacts.id, contacts.domain_id, contacts.page_id, contacts.created_at, contacts.updated_at, contacts.email,
       contacts.email_type, engine.masked(contacts.name) as name, engine.masked(contacts.role) as role,
       case when not engine.is_suppressed_number(contacts.phone_number) then contacts.phone_number end as phone_number,
       case when not engine.is_suppressed_number(contacts.fax_number) then contacts.fax_number end as fax_number,
       engine.masked(contacts.source_url) as source_url, contacts.method, domains.domain, domains.region,
       domains.local_business_id
from public.contacts join public.domains on domains.id = contacts.domain_id
where not engine.is_suppressed_address(contacts.email)
  and (contacts.email is not null or not engine.is_suppressed_number(contacts.phone_number))
  and not engine.is_suppressed_host(domains.domain);
