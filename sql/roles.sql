-- Who may do what. The owner of the trigger functions can not log in and reaches nothing but three tables of the engine; the
-- reader can not either, and answers why a row does not move: it reads, and locks a row for a moment (db/reader.py);
-- analysts may look, and write status columns: those grants follow from the models (db/migrate.py).

do $$
begin
    if not exists (select 1 from pg_roles where rolname = {owner_name}) then
        create role {owner} nologin;
    end if;
    if not exists (select 1 from pg_roles where rolname = {analyst_name}) then
        create role {analyst} nologin;
    end if;
    if not exists (select 1 from pg_roles where rolname = {reader_name}) then
        create role {reader} nologin;
    end if;
exception when duplicate_object or unique_violation then
    null; -- another database of this cluster is being migrated at the same moment
end
$$;

grant usage, create on schema engine to {owner};
grant select, insert, update on engine.job to {owner};
grant insert on engine.submission to {owner};
grant select on engine.lease to {owner};
grant usage on sequence engine.submission_id_seq to {owner};
grant usage, create on schema engine to {reader};
grant select on all tables in schema engine to {reader};
grant execute on all functions in schema engine to {reader};
-- What it says names nobody who is suppressed.
grant usage on schema public to {reader};
do $$
begin
    if not has_table_privilege({reader_name}, 'public.suppressions', 'select') then
        grant select on public.suppressions to {reader}; -- one that changes nothing waits for a locked table too
    end if;
end
$$;
revoke all on schema engine from public;

-- Analysts may read who did what, and ask what there is to say about a row. They may call nothing else that is more than
-- a formula: a trigger function on a table of theirs would write into the log.
grant usage on schema engine to {analyst};
grant select on engine.audit to {analyst};
do $$
declare
    function regprocedure;
begin
    for function in
        select oid from pg_proc
        where pronamespace = 'engine'::regnamespace and proname not in ('is_stopped', 'operator', 'folded')
          and has_function_privilege('public', oid, 'execute')
    loop
        execute format('revoke execute on function %s from public', function);
    end loop;
end
$$;
grant execute on function engine.explain(text, text), engine.why(text, text), engine.history(text, text) to {analyst};
-- They may read the suppression list, and an export asks it by these.
grant select on engine.reachable_contact to {analyst};
grant execute on function
    engine.punycode(text), engine.lower_case(text), engine.idna(text), engine.ascii_host(text), engine.ascii_address(text),
    engine.host_and_parents(text), engine.is_suppressed_host(text), engine.is_suppressed_address(text),
    engine.is_suppressed_number(text), engine.plain_digits(text), engine.listed_digits(text, text[]),
    engine.is_own_number(text, text[]), engine.name_readings(text), engine.host_readings(text), engine.written_addresses(text),
    engine.suppressed_addresses(text, text[]), engine.suppressed_numbers(text, text[], text[]),
    engine.suppressed_parts(text, text[]), engine.mentions_suppressed(text), engine.masked(text)
to {analyst};
