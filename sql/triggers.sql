-- The body of a workflow's trigger function: it runs in the user's transaction, once per statement.
-- Filled in from the registry by db/migrate.py; what stands in braces becomes a quoted name or word.
--
-- Put every row that became queued into engine.job, note who asked, ring the doorbell once.
-- A change that the engine itself makes is known by the transaction id it left in the job row.
-- The plan is made for as many rows as the first statement of a session has, and kept for all later ones. db/triggers.py
-- sets what makes it a hash join: that is linear for one row and for a million (docs/decisions/0016).

<<ask>>
declare
    submitted bigint;
    number bigint;
begin
    perform 1 from new_rows as new_row where new_row.{status} = {queued} limit 1;
    if not found then
        return null;
    end if;

    number := nextval('engine.submission_id_seq');
    if tg_op = 'INSERT' then
        insert into engine.job as job (workflow, pk, priority, key, submission_id)
        select {workflow}, new_row.{pk}::text, {priority}, {key}, ask.number
        from new_rows as new_row
        where new_row.{status} = {queued}
        on conflict (workflow, pk) do update
        set generation = job.generation + 1, attempt = 0, lost = 0, run_at = now(), dead = false, last_error = null,
            priority = excluded.priority, key = excluded.key, submission_id = excluded.submission_id
        where job.engine_xid is distinct from pg_current_xact_id();
    else
        insert into engine.job as job (workflow, pk, priority, key, submission_id)
        select {workflow}, new_row.{pk}::text, {priority}, {key}, ask.number
        from new_rows as new_row
        where new_row.{status} = {queued}
          and not exists (select from old_rows as old_row where old_row.{pk} = new_row.{pk} and old_row.{status} = {queued})
        on conflict (workflow, pk) do update
        set generation = job.generation + 1, attempt = 0, lost = 0, run_at = now(), dead = false, last_error = null,
            priority = excluded.priority, key = excluded.key, submission_id = excluded.submission_id
        where job.engine_xid is distinct from pg_current_xact_id();
    end if;
    get diagnostics submitted = row_count;
    if submitted = 0 then
        return null;
    end if;

    insert into engine.submission (id, workflow, rows, role, application_name, client_addr)
    overriding system value
    values (number, {workflow}, submitted, coalesce(nullif(current_setting('role'), 'none'), session_user),
            current_setting('application_name'), inet_client_addr());
    -- Where somebody has stopped reading notifications, a full queue would fail the user's commit: polls find the row.
    if pg_notification_queue_usage() < 0.5 then
        perform pg_notify('engine', {workflow});
    end if;
    return null;
end
