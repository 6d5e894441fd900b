-- What happened to one row, oldest first, as far as it is kept: who queued it, every attempt, and where it stands now.
--
--     select * from engine.history('pages', '7f3c…');
--
-- A job knows the statement that submitted it. Failures are kept always, successes with SCRAPERSKY_KEEP_SUCCESSES.

drop function if exists engine.history(text, text);

create function engine.history(relation text, id text)
returns table (at timestamptz, what text, attempt integer, worker text, took interval, error text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' set enable_seqscan = off as $$
declare
    flow engine.workflow;
    seen record;
begin
    for flow in select * from engine.workflows_of(relation) loop
        seen := engine.row_seen(flow, id);
        return query
        select event.at, event.what, event.attempt, event.worker, event.took, engine.masked(event.error) from (
            select submission.submitted_at as at, 1 as place,
                   format('%s: queued by %s%s%s', flow.name, engine.one_line(submission.role),
                          ' with ' || nullif(engine.one_line(submission.application_name), ''),
                          case when submission.rows > 1 then format(', one of %s rows', submission.rows) end) as what,
                   null::integer as attempt, null::text as worker, null::interval as took, null::text as error
            from engine.submission
            where submission.id in (
                select job.submission_id from engine.job where job.workflow = flow.name and job.pk = coalesce(seen.pk, history.id)
                union select past.submission_id from engine.attempt as past
                where past.workflow = flow.name and past.pk = coalesce(seen.pk, history.id))
            union all
            select past.ended_at, 2, format('%s: %s', flow.name, past.outcome), past.attempt,
                   coalesce(engine.worker_place(past.worker_id), 'worker ' || left(past.worker_id::text, 8)),
                   past.ended_at - past.started_at, past.error
            from engine.attempt as past
            where past.workflow = flow.name and past.pk = coalesce(seen.pk, history.id)
            union all
            select job.started_at, 3, format('%s: claimed', flow.name), job.attempt,
                   coalesce(engine.worker_name(job.worker_id), 'worker ' || left(job.worker_id::text, 8) || ', gone'),
                   clock_timestamp() - job.started_at, null
            from engine.job
            where job.workflow = flow.name and job.pk = coalesce(seen.pk, history.id) and job.token is not null
            union all
            select clock_timestamp(), 4, format('%s: %s', flow.name, coalesce(quote_literal(seen.status), 'not queued') || ' now'),
                   null, null, null, seen.error
            where seen.pk is not null
        ) as event
        order by event.at, event.place;
    end loop;
    if not found then
        raise invalid_parameter_value using
            message = format('no workflow has a table called %L', engine.one_line(left(relation, 100))),
            hint = (select 'Those with a workflow are ' || string_agg(distinct flows.relation::text, ', ') || '.'
                    from engine.workflow as flows);
    end if;
end
$$;
