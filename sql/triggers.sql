-- The body of a workflow's trigger function: it runs in the user's transaction, once per statement.
-- Filled in from the registry by db/migrate.py; what stands in braces becomes a quoted name or word.
--
-- Put every row that became queued into engine.job, note who asked, ring the doorbell once unless a listener is awake.
-- A change that the engine itself makes is known by the transaction id it left in the job row.
-- The plan is made for as many rows as the first statement of a session has, and kept for all later ones. So nothing is
-- joined here: rows that were queued before are found by grouping, which is linear for one row and for a million
-- (docs/decisions/0016).

<<ask>>
declare
    wanted bigint;
    some_waited boolean := false;
    submitted bigint;
    number bigint;
begin
    perform from new_rows as new_row where new_row.{status} = {queued} limit 1000;
    if not found then
        return null;
    end if;
    get diagnostics wanted = row_count;

    if tg_op = 'UPDATE' then
        perform from old_rows as old_row where old_row.{status} = {queued} limit 1;
        some_waited := found;
    end if;
    number := nextval('engine.submission_id_seq');
    -- Many rows of which none was queued before are most likely new to engine.job. A plain insert, which does not look for
    -- each of them first, takes two thirds of the time. Where it meets one that is there, it is undone.
    if wanted = 1000 and not some_waited then
        begin
            insert into engine.job (workflow, pk, priority, key, submission_id)
            select {workflow}, new_row.{pk}::text, {priority}, {key}, ask.number
            from new_rows as new_row
            where new_row.{status} = {queued};
            get diagnostics submitted = row_count;
        exception when unique_violation then
            null;
        end;
    end if;
    if submitted is null and not some_waited then
        insert into engine.job as job (workflow, pk, priority, key, submission_id)
        select {workflow}, new_row.{pk}::text, {priority}, {key}, ask.number
        from new_rows as new_row
        where new_row.{status} = {queued}
        on conflict (workflow, pk) do update
        set generation = job.generation + 1, attempt = 0, lost = 0, run_at = now(), dead = false, last_error = null,
            priority = excluded.priority, key = excluded.key, submission_id = excluded.submission_id
        where job.engine_xid is distinct from pg_current_xact_id();
        get diagnostics submitted = row_count;
    elsif submitted is null then
        insert into engine.job as job (workflow, pk, priority, key, submission_id)
        select {workflow}, seen.pk::text, max(seen.priority), max(seen.key), ask.number
        from (
            select new_row.{pk} as pk, {priority} as priority, {key} as key, false as was_queued
            from new_rows as new_row where new_row.{status} = {queued}
            union all
            select old_row.{pk}, null, null, true
            from old_rows as old_row where old_row.{status} = {queued}
        ) as seen
        group by seen.pk
        having not bool_or(seen.was_queued)
        on conflict (workflow, pk) do update
        set generation = job.generation + 1, attempt = 0, lost = 0, run_at = now(), dead = false, last_error = null,
            priority = excluded.priority, key = excluded.key, submission_id = excluded.submission_id
        where job.engine_xid is distinct from pg_current_xact_id();
        get diagnostics submitted = row_count;
    end if;
    if submitted = 0 then
        return null;
    end if;

    insert into engine.submission (id, workflow, rows, role, application_name, client_addr)
    overriding system value
    values (number, {workflow}, submitted, coalesce(nullif(current_setting('role'), 'none'), session_user),
            current_setting('application_name'), inet_client_addr());
    -- While a listener is awake it looks for itself, and nobody need be rung for: a commit that rings waits for all others
    -- that do. It relies on the job's row standing before the lease is read (docs/decisions/0020). Above READ COMMITTED the
    -- lease may be an old one. The doctor's canary rings always, to prove that it is heard.
    if {workflow} <> 'canary' and current_setting('transaction_isolation') = 'read committed' then
        perform from engine.lease
        where lease.awake and clock_timestamp() between lease.renewed_at and lease.expires_at;
        if found then
            return null;
        end if;
    end if;
    -- Where somebody has stopped reading notifications, a full queue would fail the user's commit: polls find the row.
    if pg_notification_queue_usage() < 0.5 then
        perform pg_notify('engine', {workflow});
    end if;
    return null;
end
