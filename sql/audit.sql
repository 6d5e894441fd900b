-- Who did what: every operator's action, by command, dashboard or hand-typed SQL. Pruned by age, like all history.
-- Applied again whenever its part of the engine changed (db/engine_schema.py), so each statement must be harmless the second time.

-- Commands and the dashboard name their operator for one transaction; at a prompt the operator is the role.
create or replace function engine.operator() returns text
language sql stable
return coalesce(
    nullif(current_setting('scrapersky.operator', true), ''), nullif(current_setting('role'), 'none'), session_user);

-- A pause, a resume or another limit of a workflow, whoever made it and however. What the engine blocks is not recorded.
create or replace function engine.record_control() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    changed jsonb;
begin
    if new.paused and (not old.paused or new.paused_reason is distinct from old.paused_reason) then
        insert into engine.action (operator, action, workflow, detail)
        values (engine.operator(), 'pause', new.name, jsonb_build_object('reason', new.paused_reason));
    elsif not new.paused and (old.paused or old.blocked_reason is not null and new.blocked_reason is null) then
        insert into engine.action (operator, action, workflow, detail)
        values (engine.operator(), 'resume', new.name,
                jsonb_build_object('reason', case when old.paused then old.paused_reason else old.blocked_reason end));
    end if;

    select jsonb_object_agg(was.key, jsonb_build_array(was.value, now_is.value)) into changed
    from jsonb_each(to_jsonb(old)) as was join jsonb_each(to_jsonb(new)) as now_is using (key)
    where was.key in ('max_in_flight', 'batch', 'max_attempts', 'per_minute', 'per_day', 'max_downstream')
      and was.value <> now_is.value;
    if changed is not null then
        insert into engine.action (operator, action, workflow, detail)
        values (engine.operator(), 'limit', new.name, changed);
    end if;
    return null;
end
$$;

-- Who paused a workflow that is paused still: never too old.
create or replace function engine.still_counts(action engine.action) returns boolean
language sql stable
return action.action = 'pause'
   and exists (select 1 from engine.workflow where workflow.name = action.workflow and workflow.paused)
   and not exists (
       select 1 from engine.action as later
       where later.workflow = action.workflow and later.action = 'pause' and later.id > action.id);
