-- What the engine's own tables do by themselves. Replaced under load by every migrate.

-- An operator's change (resume, a new limit) rings the workflow's doorbell, so it takes effect at once.
create or replace function engine.ring_after_control() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform pg_notify('engine', new.name);
    return null;
end
$$;

do $$
begin
    if not exists (select 1 from pg_trigger where tgname = 'ring_after_control' and tgrelid = 'engine.workflow'::regclass) then
        create trigger ring_after_control after update of paused, max_in_flight, batch, max_attempts
        on engine.workflow for each row execute function engine.ring_after_control();
    end if;
end
$$;
