-- What the engine's own tables do by themselves. Replaced under load by every migrate.

-- An operator's change (resume, a new limit) rings the workflow's doorbell, so it takes effect at once.
create or replace function engine.ring_after_control() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if pg_notification_queue_usage() < 0.5 then
        perform pg_notify('engine', new.name);
    end if;
    return null;
end
$$;

-- To set paused to false is to resume, whoever stopped it; an old reason must not explain the next pause.
create or replace function engine.unblock() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    new.blocked_reason := null;
    new.blocked_until := null;
    new.paused_reason := null;
    return new;
end
$$;

-- Whether a workflow may start rows now, as far as nobody stopped it.
create or replace function engine.is_stopped(workflow engine.workflow) returns boolean
language sql stable
return workflow.paused
    or (workflow.blocked_reason is not null and coalesce(workflow.blocked_until > statement_timestamp(), true));

-- Whether so many rows wait for the next workflow that this one, which makes more of them, is to start none. Not exact:
-- what runs goes on making them.
create or replace function engine.is_held_back(flow engine.workflow) returns boolean
language sql stable
return coalesce(flow.max_downstream, flow.declared_max_downstream) is not null
   and exists (
       select 1 from engine.job
       where job.workflow = flow.feeds and job.token is null and not job.dead
       order by job.priority, job.run_at
       offset coalesce(flow.max_downstream, flow.declared_max_downstream) - 1 limit 1);

-- How many rows a worker may begin now, of those that it asks for.
create or replace function engine.room(flow engine.workflow, claimant uuid, wanted integer) returns integer
language sql stable
return case
    when engine.is_stopped(flow) or not exists (select 1 from engine.worker where id = claimant and not drain_wanted) then 0
    else greatest(0, least(
        wanted,
        coalesce(flow.max_in_flight, flow.declared_max_in_flight) - (
            select count(*) from engine.job as running
            where running.workflow = flow.name and running.token is not null
              and coalesce(flow.max_in_flight, flow.declared_max_in_flight) is not null),
        coalesce(flow.per_minute, flow.declared_per_minute) - coalesce((
            select usage.used from engine.usage
            where usage.workflow = flow.name and usage.period = 'minute'
              and usage.starts_at = date_trunc('minute', statement_timestamp())
              and coalesce(flow.per_minute, flow.declared_per_minute) is not null), 0),
        coalesce(flow.per_day, flow.declared_per_day) - coalesce((
            select usage.used from engine.usage
            where usage.workflow = flow.name and usage.period = 'day'
              and usage.starts_at = date_trunc('day', statement_timestamp(), flow.day_zone)
              and coalesce(flow.per_day, flow.declared_per_day) is not null), 0)))
    end;

-- How long to leave a row alone whose every change the database refuses (a constraint, a user's trigger), after it has
-- done so so many times before: 10 seconds at first, ten minutes at most.
create or replace function engine.unwritable_delay(times integer) returns interval
language sql immutable
return least(interval '10 minutes', interval '10 seconds' * 2 ^ least(coalesce(times, 0), 10));

-- How long no claim looks at a job whose row stands in Processing and can not be written: a claim would take it for withdrawn
-- and forget the reason. Each pass of the sweep tries the row, and begins this time anew.
create or replace function engine.left_to_sweep() returns interval
language sql immutable
return interval '1 day';

-- A canary's times. A transaction's own time says when a claim began, that is, when the nudge had arrived, and when a
-- record began, that is, when the run had ended.
create or replace function engine.stamp_canary() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if new.status = 'Processing' then
        new.nudged_at := now();
        new.claimed_at := clock_timestamp();
    elsif new.status <> 'Queued' then
        new.ran_at := now();
        new.recorded_at := clock_timestamp();
    end if;
    return new;
end
$$;
