-- Why a queued row that has its job is not claimed: one function per kind of reason; no code means: not this one.
-- For sql/why.sql; nobody else may call these. Dropped first, because a result can not be replaced.

drop function if exists engine.why_stopped(engine.workflow);
drop function if exists engine.why_nobody_works(engine.workflow);
drop function if exists engine.why_not_due(engine.workflow, engine.job);
drop function if exists engine.why_used_up(engine.workflow);
drop function if exists engine.why_full(engine.workflow);
drop function if exists engine.why_held_back(engine.workflow);
drop function if exists engine.why_turn_taken(engine.workflow);
drop function if exists engine.why_turn_taken(engine.workflow, text);
drop function if exists engine.why_unheard();
drop function if exists engine.why_ready(engine.workflow, engine.job);

create function engine.why_stopped(flow engine.workflow, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    author record;
begin
    if flow.paused then
        code := 'paused';
        reason := 'paused';
        select action.operator, action.happened_at into author
        from engine.action where action.workflow = flow.name and action.action = 'pause' order by action.id desc limit 1;
        if found then
            reason := format('paused by %s since %s (%s ago)', engine.one_line(author.operator),
                             engine.moment(author.happened_at), engine.span(clock_timestamp() - author.happened_at));
        end if;
        reason := format('%s: %s', reason, coalesce(nullif(engine.one_line(flow.paused_reason), ''), 'no reason given'));
        remedy := format('To go on: scrapersky resume %s', flow.name);
    elsif engine.is_stopped(flow) then
        code := 'blocked';
        reason := format('the workflow stopped itself%s: %s', ' until ' || engine.moment(flow.blocked_until)
                         || ' (in ' || engine.span(flow.blocked_until - clock_timestamp()) || ')',
                         engine.one_line(flow.blocked_reason));
        remedy := case when flow.blocked_until is null then 'Remove the cause and restart the workers, or try at once: '
                       else 'It goes on by itself; to try at once: ' end || format('scrapersky resume %s', flow.name);
    end if;
end
$$;

create function engine.why_nobody_works(flow engine.workflow, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    workers record := engine.workers_of(flow.name);
begin
    if workers.working > 0 then
        return;
    end if;
    code := 'no_worker';
    reason := 'no live worker takes this workflow: ' || case
        when workers.registered = 0 then 'none is registered'
        else concat_ws(', ', format('of %s registered', workers.registered),
            case when workers.drained > 0 then format('%s drained by an operator', workers.drained) end,
            case when workers.draining > 0 then format('%s draining', workers.draining) end,
            case when workers.silent > 0 then format('%s silent for more than three heartbeats', workers.silent) end,
            case when workers.unaware > 0 then format('%s of a version that does not know it', workers.unaware) end)
    end;
    remedy := case when workers.drained > 0 then 'Let them work again: scrapersky drain --all --undo; or start others: '
                   when workers.unaware > 0 then 'Restart the workers with the version that was migrated: '
                   else 'Start workers: ' end || 'scrapersky work';
end
$$;

-- Waiting for its time, or for its host. A retry has an error to tell; a row that stepped aside for its host has none.
create function engine.why_not_due(flow engine.workflow, job engine.job, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    later boolean := job.run_at > clock_timestamp();
    spared_until timestamptz := (select next_start from engine.pace where key = job.key and next_start > clock_timestamp());
    others text;
    busy bigint;
begin
    select count(*), min(format('%s of row %s', running.workflow, running.pk)) into busy, others
    from engine.job as running where running.key = job.key and running.worker_id is not null;
    if later and job.unwritable is not null then
        code := 'unwritable';
        reason := format('the database has refused to change this row %s; tried again at %s (in %s): %s',
                         engine.counted(job.unwritable, 'time'), engine.moment(job.run_at),
                         engine.span(job.run_at - clock_timestamp()), engine.one_line(job.last_error));
        remedy := 'Mend the row, or the constraint or trigger that refuses it; to try at once: ' || format(
            'update engine.job set run_at = now() where workflow = %L and pk = %L', flow.name, job.pk);
    elsif later and job.last_error is not null then
        code := 'not_due';
        reason := format('not due until %s (in %s), attempt %s of %s comes then; the last one ended with: %s',
                         engine.moment(job.run_at), engine.span(job.run_at - clock_timestamp()), job.attempt + 1,
                         coalesce(flow.max_attempts, flow.declared_max_attempts), engine.one_line(job.last_error));
        remedy := 'It is tried again by itself; to try now: ' || format(
            'update engine.job set run_at = now() where workflow = %L and pk = %L', flow.name, job.pk);
    elsif job.key is not null and (later or spared_until is not null or busy >= flow.declared_at_once) then
        code := 'spared';
        reason := format('its host (%s) is being spared%s%s', engine.one_line(job.key),
                         ' until ' || engine.moment(greatest(spared_until, case when later then job.run_at end))
                         || ' (in ' || engine.span(greatest(spared_until, job.run_at) - clock_timestamp()) || ')',
                         case when busy >= flow.declared_at_once
                              then format(': %s of at most %s running, %s', busy, flow.declared_at_once, others) end);
        remedy := 'It is taken in its turn; the pause between visits is SCRAPERSKY_CRAWL_PAUSE_SECONDS, '
            'or what the site itself asks for';
    elsif later then
        code := 'not_due';
        reason := format('not due until %s (in %s)', engine.moment(job.run_at), engine.span(job.run_at - clock_timestamp()));
        remedy := 'It steps aside for a second when somebody has it locked; to try now: ' || format(
            'update engine.job set run_at = now() where workflow = %L and pk = %L', flow.name, job.pk);
    end if;
end
$$;

create function engine.why_used_up(flow engine.workflow, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    budget record;
begin
    select span.period, span.most, usage.used, span.ends_at into budget
    from (values
        ('day', 1, coalesce(flow.per_day, flow.declared_per_day), date_trunc('day', clock_timestamp(), flow.day_zone),
         (date_trunc('day', clock_timestamp() at time zone flow.day_zone) + interval '1 day') at time zone flow.day_zone),
        ('minute', 2, coalesce(flow.per_minute, flow.declared_per_minute), date_trunc('minute', clock_timestamp()),
         date_trunc('minute', clock_timestamp()) + interval '1 minute')
    ) as span (period, place, most, starts_at, ends_at)
    left join engine.usage on usage.workflow = flow.name and usage.period = span.period and usage.starts_at = span.starts_at
    where coalesce(usage.used, 0) >= span.most
    order by span.place
    limit 1;
    if budget.period is null then
        return;
    end if;
    code := budget.period || '_budget';
    reason := format('the %s''s budget is used up (%s of %s) until %s (in %s)', budget.period, coalesce(budget.used, 0),
                     budget.most, engine.moment(budget.ends_at), engine.span(budget.ends_at - clock_timestamp()));
    remedy := format('It goes on by itself; to allow more: scrapersky limit %s --per-%s %s',
                     flow.name, budget.period, greatest(1, 2 * budget.most));
end
$$;

create function engine.why_full(flow engine.workflow, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    most integer := coalesce(flow.max_in_flight, flow.declared_max_in_flight);
    running bigint;
    places text;
begin
    select coalesce(sum(claims), 0), string_agg(format('%s on %s', claims, coalesce(place, 'workers that are gone')), ', ')
    into running, places
    from (
        select worker.host || ' pid ' || worker.pid as place, count(*) as claims
        from engine.job left join engine.worker on worker.id = job.worker_id
        where job.workflow = flow.name and job.token is not null and most is not null
        group by 1 order by 2 desc
    ) as by_worker;
    if running >= most then
        code := 'in_flight_limit';
        reason := format('the limit in flight is reached: %s of %s running%s', running, most, ' (' || engine.one_line(places) || ')');
        remedy := format('It is taken when one ends; to allow more: scrapersky limit %s --max-in-flight %s',
                         flow.name, greatest(1, 2 * most));
    end if;
end
$$;

create function engine.why_held_back(flow engine.workflow, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    most integer := coalesce(flow.max_downstream, flow.declared_max_downstream);
begin
    if engine.is_held_back(flow) then
        code := 'downstream_limit';
        reason := format('held back by the limit downstream: %s or more wait for %s', engine.counted(most, 'row'), flow.feeds);
        remedy := format('It is taken when fewer wait there; to allow more: scrapersky limit %s --max-downstream %s',
                         flow.name, 2 * most::bigint);
    end if;
end
$$;

-- A claim holds its locks for milliseconds. A session that has one for longer stops the claims of a workflow with a limit, or
-- of a host.
create function engine.why_turn_taken(flow engine.workflow, key text, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    holder record;
begin
    select activity.pid, turn.name, turn.source into holder
    from (
        select name, xmax, 'engine.lock' as source from engine.lock where name = 'workflow ' || flow.name
        union all
        select pace.key, pace.xmax, 'engine.pace' from engine.pace where pace.key = why_turn_taken.key
    ) as turn
    join pg_locks as locks on locks.locktype = 'transactionid' and locks.granted and locks.transactionid = turn.xmax
    join pg_stat_activity as activity on activity.pid = locks.pid
    where activity.xact_start < clock_timestamp() - interval '1 second'
    order by activity.xact_start
    limit 1;
    if holder.pid is not null then
        code := 'turn_taken';
        reason := format('claims wait for their turn: %s has the row %L of %s locked', engine.backend(holder.pid), holder.name,
                         holder.source);
        remedy := format('Let it commit, or end it: select pg_terminate_backend(%s)', holder.pid);
    end if;
end
$$;

-- A listener from before engine.listener is known by its connection alone, and believed.
create function engine.why_unheard(out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    ear record;
begin
    select count(*) as living, bool_or(hears) as hears, min(poll) as poll, max(since) as since,
           max(trouble) as trouble, min(format('%s pid %s', host, pid)) as place
    into ear
    from engine.listener where last_seen > clock_timestamp() - greatest(3 * echo, interval '30 seconds');
    if ear.hears or exists (select 1 from engine.lease where awake and clock_timestamp() between renewed_at and expires_at) then
        return; -- who is awake looks for itself
    elsif ear.living > 0 then
        code := 'deaf';
        reason := format('ready, but the listener (%s) hears no doorbell since %s (%s); its next poll comes within %s', ear.place,
                         engine.moment(ear.since), coalesce(engine.one_line(ear.trouble), 'it has just started'),
                         engine.span(ear.poll));
        remedy := 'Nothing is lost. If it stays so, LISTEN_DATABASE_URL must lead to Postgres past any pooler: scrapersky doctor';
    elsif not exists (select 1 from pg_stat_activity where application_name = 'scrapersky listener' and datname = current_database()) then
        code := 'no_listener';
        reason := 'ready, and no listener runs that could call a worker';
        remedy := 'Without BROKER_URL every worker listens for itself, so restart the workers; with it: scrapersky listen';
    end if;
end
$$;

create function engine.why_ready(flow engine.workflow, job engine.job, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    looked_at bigint;
    ahead bigint;
    waited interval := clock_timestamp() - job.run_at;
begin
    select count(*), count(*) filter (where before.run_at <= clock_timestamp()) into looked_at, ahead
    from (
        select other.run_at from engine.job as other
        where other.workflow = flow.name and other.token is null and not other.dead
          and (other.priority, other.run_at) < (job.priority, job.run_at)
        order by other.priority, other.run_at limit 1001
    ) as before;
    code := 'ready';
    reason := format('ready since %s (%s ago)%s, %s', engine.moment(job.run_at), engine.span(waited),
        case when job.lost > 0 then format(', to run alone because its worker died %s', engine.counted(job.lost, 'time')) end,
        case when looked_at > 1000 then format('more than %s before it', engine.counted(greatest(ahead - 1, 0), 'row'))
             when ahead > 0 then engine.counted(ahead, 'row') || ' before it'
             else 'next in line' end);
    remedy := case when ahead = 0 and waited > interval '1 minute'
                   then 'So long should not be: look at the workers'' log, and: scrapersky doctor'
                   else 'Nothing to do: a worker takes it in its turn' end;
end
$$;
