-- Why does this row not move? One sentence with the figures, and a remedy, for every workflow of the row's table.
--
--     select engine.why('pages', '7f3c…');                       for people
--     select * from engine.explain('pages', '7f3c…');            for programs: the codes are stable, the wording is not
--
-- docs/why.md has an example of every code. Analysts may call these two; they change nothing, and name nobody who is suppressed.

drop function if exists engine.why(text, text);
drop function if exists engine.explain(text, text);
drop function if exists engine.explain_one(engine.workflow, text);
drop function if exists engine.why_queued(engine.workflow, engine.job, bigint, text, text);
drop function if exists engine.why_unsubmitted(engine.workflow, engine.job, bigint);
drop function if exists engine.why_processing(engine.workflow, engine.job, bigint, text);
drop function if exists engine.why_processing(engine.workflow, engine.job, bigint, text, text);
drop function if exists engine.why_late(text, text);
drop function if exists engine.why_ended(engine.workflow, engine.job, text, text, text, text, timestamptz);

-- The statement that queues a row (again).
create or replace function engine.requeue_statement(flow engine.workflow, pk text) returns text
language sql stable
return format('update %s set %I = %L where %I = %L',
              (flow).relation, (flow).status_column, (flow).queued, (flow).key_column, pk);

-- Queued, and no job stands for it.
create function engine.why_unsubmitted(
    flow engine.workflow, job engine.job, block bigint, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    fault text := engine.trigger_fault(flow);
begin
    code := case when fault is null then 'no_job' when fault ~ 'missing' then 'trigger_missing' else 'trigger_disabled' end;
    reason := format('%L, but %s: %s; %s', flow.queued,
                     case when job.pk is null then 'it has no job' else 'its job failed for good before' end,
                     coalesce(fault, 'it was written past the triggers (a restore, replication, triggers switched off)'),
                     engine.sweep_comes(flow, block, 'submits it'));
    remedy := format('To have it submitted now: %sscrapersky sweep --workflow %s', case code
        when 'trigger_missing' then 'scrapersky migrate; '
        when 'trigger_disabled' then format('alter table %s enable trigger user; ', flow.relation)
        else '' end, flow.name);
end
$$;

-- A claim that no limit of its workflow allows to last so long; null for any other, and for one whose result waits for a lock. The clock that tells it is for people:
-- the sweeper goes by its own, and by what it has seen itself.
create or replace function engine.told_overdue(flow engine.workflow, job engine.job) returns text
language sql stable
return case when clock_timestamp() - (job).started_at > (flow).declared_longest_claim
                 and not exists (select 1 from engine.worker where id = (job).worker_id and (job).token = any(late)) then
    format(', longer than every limit of the workflow allows (%s): its worker has forgotten it; %s',
           engine.span((flow).declared_longest_claim), engine.sweep_comes(flow, 0, 'ends a claim that it has seen for so long'))
end;

-- The run is over, and its worker brings the result again and again: a session has the row locked, or the suppression list,
-- or a row that the result changes.
create function engine.why_late(holder text, holder_remedy text, out reason text, out remedy text)
language plpgsql as $$
declare
    lister integer := (
        select locks.pid from pg_locks as locks
        where locks.granted and locks.locktype = 'relation' and locks.relation = 'engine.suppression_lock'::regclass
          and locks.database = (select oid from pg_database where datname = current_database())
          and locks.mode in ('ExclusiveLock', 'AccessExclusiveLock')
        limit 1);
begin
    reason := '; its run is over, and its result waits for ' || case
        when holder is not null then format('%s, which has the row locked', holder)
        when lister is not null then format('%s, which has engine.suppression_lock: it writes the suppression list', engine.backend(lister))
        else 'a lock on another row' end;
    remedy := case
        when holder is not null then holder_remedy
        when lister is not null then format('Let it commit, or end it: select pg_terminate_backend(%s)', lister)
        else 'Let the transaction that holds it commit; pg_stat_activity shows the oldest by xact_start' end
        || '; the result is kept meanwhile';
end
$$;

create function engine.why_processing(
    flow engine.workflow, job engine.job, block bigint, holder text, holder_remedy text,
    out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    worker record;
begin
    if job.token is null and job.unwritable is not null then
        code := 'unwritable';
        reason := format('%L, without a worker: the database has refused to change this row %s; %s: %s', flow.processing,
                         engine.counted(job.unwritable, 'time'), engine.sweep_comes(flow, block, 'tries again'),
                         engine.one_line(job.last_error));
        remedy := format('Mend the row, or the constraint or trigger that refuses it; then: scrapersky sweep --workflow %s', flow.name);
        return;
    elsif job.token is null then
        code := 'orphaned';
        reason := format('%L, but no worker has claimed it; %s', flow.processing,
                         engine.sweep_comes(flow, block, 'queues it again'));
        remedy := format('To have it queued now: scrapersky sweep --workflow %s', flow.name);
        return;
    end if;
    select *, last_beat < clock_timestamp() - 3 * coalesce(beat, interval '10 seconds') as quiet into worker
    from engine.worker where id = job.worker_id;
    reason := format('attempt %s of %s, claimed since %s (%s) by %s', job.attempt,
                     coalesce(flow.max_attempts, flow.declared_max_attempts), engine.moment(job.started_at),
                     engine.span(clock_timestamp() - job.started_at),
                     coalesce(engine.worker_name(job.worker_id), format('worker %s, which is gone', left(job.worker_id::text, 8))));
    if worker.id is null then
        code := 'worker_gone';
        reason := format('%s; %s', reason, engine.sweep_comes(flow, 0, 'gives it back'));
        remedy := format('To have it given back now: scrapersky sweep --workflow %s', flow.name);
    elsif worker.quiet then
        code := 'worker_silent';
        reason := reason || '; the sweeper gives it back when it has seen that worker stand still for SCRAPERSKY_LEASE_SECONDS';
        remedy := 'If the process or its host is gone, to have it given back now: scrapersky sweep';
    elsif job.token = any(worker.late) then
        code := 'result_waits';
        select why_processing.reason || late.reason, late.remedy into reason, remedy from engine.why_late(holder, holder_remedy) as late;
    elsif engine.told_overdue(flow, job) is not null then
        code := 'overdue';
        reason := reason || engine.told_overdue(flow, job);
        remedy := 'Nothing to do while a sweeper runs; to have it given back at once, restart that worker';
    else
        code := 'running';
        reason := reason || format('%s%s', '; its time limit is ' || engine.span(flow.declared_time_limit),
                                   '; its result waits for ' || holder || ', which has the row locked');
        remedy := 'Nothing to do: it is being worked on';
    end if;
end
$$;

create function engine.why_queued(
    flow engine.workflow, job engine.job, block bigint, holder text, holder_remedy text,
    out code text, out reason text, out remedy text)
language plpgsql as $$
begin
    if job.pk is null or job.dead then
        select * into code, reason, remedy from engine.why_unsubmitted(flow, job, block);
        return;
    elsif job.token is not null then
        code := 'runs_again';
        reason := format('queued again while it was running; it starts anew when that run ends (%s, since %s%s)',
                         coalesce(engine.worker_name(job.worker_id), 'of a worker that is gone'), engine.moment(job.started_at),
                         engine.told_overdue(flow, job));
        remedy := 'Nothing to do: the result of the old run is not used';
        return;
    end if;
    select * into code, reason, remedy from engine.why_stopped(flow);
    if code is null then
        select * into code, reason, remedy from engine.why_nobody_works(flow);
    end if;
    if code is null and holder is not null and job.run_at < clock_timestamp() + interval '2 seconds' then
        code := 'locked';
        reason := format('%s has it locked; claims pass it by and look again every second', holder);
        remedy := holder_remedy;
    end if;
    if code is null then
        select * into code, reason, remedy from engine.why_not_due(flow, job);
    end if;
    if code is null then
        select * into code, reason, remedy from engine.why_used_up(flow);
    end if;
    if code is null then
        select * into code, reason, remedy from engine.why_full(flow);
    end if;
    if code is null then
        select * into code, reason, remedy from engine.why_held_back(flow);
    end if;
    if code is null then
        select * into code, reason, remedy from engine.why_turn_taken(flow, job.key);
    end if;
    if code is null then
        select * into code, reason, remedy from engine.why_unheard();
    end if;
    if code is null then
        select * into code, reason, remedy from engine.why_ready(flow, job);
    end if;
end
$$;

-- Not queued and not in progress: done, failed, never asked for, or a word that says nothing to the workflow.
create function engine.why_ended(
    flow engine.workflow, job engine.job, status text, error text, result text, curated text, changed_at timestamptz,
    out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    since text := ' since ' || engine.moment(changed_at) || ' (' || engine.span(clock_timestamp() - changed_at) || ' ago)';
begin
    if status = flow.done then
        code := 'done';
        reason := format('done (%L)%s%s', status, since, ': ' || nullif(engine.one_line(result), ''));
        remedy := 'Nothing to do; to run it again: ';
    elsif status = flow.failed then
        code := 'failed';
        reason := format('failed for good%s%s: %s', ' after ' || case when job.dead then engine.counted(job.attempt, 'attempt') end, since,
                         coalesce(nullif(engine.one_line(coalesce(error, job.last_error)), ''), 'no error is kept'));
        remedy := 'To try again: ';
    elsif status is null and job.pk is null and curated = 'Selected' then
        code := 'never_queued';
        reason := format('never queued, though %s is Selected: that queues a row only at the moment when it becomes so', flow.curation_column);
        remedy := 'To queue it: ';
    elsif status is null then
        code := 'never_queued';
        reason := format('%s is null: %s', flow.status_column,
                         case when job.pk is null then 'it was never queued, or was withdrawn' else 'it was withdrawn' end);
        remedy := 'To queue it: ';
    else
        code := 'unknown_word';
        reason := format('%s is %L, which is none of the workflow''s words (%s, %s, %s, %s): nothing starts it', flow.status_column,
                         engine.one_line(status), flow.queued, flow.processing, flow.done, flow.failed);
        remedy := 'To queue it: ';
    end if;
    if job.token is not null then
        reason := reason || format('; a run that began before still goes on (%s), and its result will be discarded',
                                   coalesce(engine.worker_name(job.worker_id), 'of a worker that is gone'));
    end if;
end
$$;

create function engine.explain_one(flow engine.workflow, id text, out code text, out reason text, out remedy text)
language plpgsql as $$
declare
    seen record := engine.row_seen(flow, id);
    holder record;
    job engine.job;
    let_go text;
begin
    if seen.fault = 'locked' then
        select * into holder from engine.holder_of(flow, id, '0', '0');
        code := 'locked';
        reason := format('%s has the whole table locked', coalesce(holder.who, 'somebody'));
        remedy := 'Let it finish' || coalesce(format(', or end it: select pg_terminate_backend(%s)', holder.pid), '');
        return;
    elsif seen.pk is null then
        code := case when seen.fault ~ ' id of ' or seen.fault is null then 'no_such_row' else 'no_such_table' end;
        reason := coalesce(seen.fault, format('%s has no row with the %s %L', flow.relation, flow.key_column, engine.one_line(left(id, 100))));
        remedy := case code when 'no_such_row' then 'Look the id up; if somebody has just inserted the row, it is not committed yet'
                            else 'Put it right: scrapersky migrate' end;
        return;
    end if;
    select wanted.* into job from engine.job as wanted where wanted.workflow = flow.name and wanted.pk = seen.pk;
    select * into holder from engine.holder_of(flow, seen.pk, seen.made_by, seen.held_by);
    if holder.own then
        code := 'uncommitted';
        reason := 'this session itself has changed or locked it in a transaction that is still open';
        remedy := 'Nothing sees it before the end of the transaction: commit';
        return;
    end if;
    let_go := 'Let it commit, or end it' || coalesce(format(': select pg_terminate_backend(%s)', holder.pid), '');
    if seen.status = flow.processing then
        select * into code, reason, remedy from engine.why_processing(flow, job, seen.block, holder.who, let_go);
    elsif seen.status = flow.queued then
        select * into code, reason, remedy from engine.why_queued(flow, job, seen.block, holder.who, let_go);
    else
        select * into code, reason, remedy
        from engine.why_ended(flow, job, seen.status, seen.error, seen.result, seen.curated, seen.changed_at);
        remedy := remedy || engine.requeue_statement(flow, seen.pk);
        if holder.who is not null then
            code := 'uncommitted';
            reason := format('%s has changed or locked it and has not committed; as it is committed: %s', holder.who, reason);
            remedy := let_go;
        end if;
    end if;
end
$$;

create function engine.explain(relation text, id text)
returns table (workflow text, code text, reason text, remedy text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' set enable_seqscan = off as $$
declare
    flow engine.workflow;
begin
    for flow in select * from engine.workflows_of(relation) loop
        workflow := flow.name;
        select one.code, engine.masked(one.reason), one.remedy into code, reason, remedy from engine.explain_one(flow, id) as one;
        return next;
    end loop;
    if not found then
        raise invalid_parameter_value using
            message = format('no workflow has a table called %L', engine.one_line(left(relation, 100))),
            hint = (select 'Those with a workflow are ' || string_agg(distinct flows.relation::text, ', ') || '.'
                    from engine.workflow as flows);
    end if;
end
$$;

create function engine.why(relation text, id text) returns setof text
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
    select format('%s: %s. %s', told.workflow, told.reason, told.remedy) from engine.explain(relation, id) as told;
end;
