-- Who may do what. The owner of the trigger functions can not log in and reaches nothing but the engine's two tables;
-- analysts may look, and write status columns: those grants follow from the models (db/migrate.py).

do $$
begin
    if not exists (select 1 from pg_roles where rolname = {owner_name}) then
        create role {owner} nologin;
    end if;
    if not exists (select 1 from pg_roles where rolname = {analyst_name}) then
        create role {analyst} nologin;
    end if;
exception when duplicate_object or unique_violation then
    null; -- another database of this cluster is being migrated at the same moment
end
$$;

grant usage, create on schema engine to {owner};
grant select, insert, update on engine.job to {owner};
grant insert on engine.submission to {owner};
revoke all on schema engine from public;
