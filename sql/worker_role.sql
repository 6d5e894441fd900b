-- The role of workers, sweeper, listener and dashboard (db/worker_role.py). Tables of the user's in public are open to it,
-- because his triggers on our tables run with its rights.

do $$
begin
    if not exists (select 1 from pg_roles where rolname = {worker_name}) then
        create role {worker} nologin;
    end if;
exception when duplicate_object or unique_violation then
    null; -- another database of this cluster is being migrated at the same moment
end
$$;

grant usage on schema engine to {worker};
grant usage on schema public to {worker};
alter default privileges in schema public grant select, insert, update, delete on tables to {worker};
alter default privileges in schema public grant usage on sequences to {worker};

-- name: missing
with wanted as (
    -- What migrate alone writes: who may change engine.migration could take the lock by which migrates take turns.
    select class.oid, class.relkind,
           class.relname = 'schema_version' or class.oid = to_regclass('engine.migration') as is_ours_alone
    from pg_class as class
    where class.relkind in ('r', 'p', 'v', 'S')
      and (class.relnamespace in ('engine'::regnamespace, 'public'::regnamespace)
           or class.oid = any (select to_regclass(name) from unnest(%(tables)s::text[]) as name))
      and pg_has_role(class.relowner, 'usage')
)
select format('grant %%s on %%s to %%I', case when relkind = 'S' then 'usage' when relkind = 'v' or is_ours_alone then 'select'
              else 'select, insert, update, delete' end, oid::regclass, %(worker)s::text)
from wanted
where case
    when relkind = 'S' then not has_sequence_privilege(%(worker)s, oid, 'usage')
    when relkind = 'v' or is_ours_alone then not has_table_privilege(%(worker)s, oid, 'select')
    else not (has_table_privilege(%(worker)s, oid, 'select') and has_table_privilege(%(worker)s, oid, 'insert')
              and has_table_privilege(%(worker)s, oid, 'update') and has_table_privilege(%(worker)s, oid, 'delete'))
end
union all
select format('grant usage on schema %%I to %%I', namespace.nspname, %(worker)s::text)
from pg_class as class join pg_namespace as namespace on namespace.oid = class.relnamespace
where class.oid = any (select to_regclass(name) from unnest(%(tables)s::text[]) as name)
  and not has_schema_privilege(%(worker)s, namespace.oid, 'usage')
union all
select format('grant execute on function %%s to %%I', oid::regprocedure, %(worker)s::text)
from pg_proc
where pronamespace = 'engine'::regnamespace and prokind = 'f' and pg_has_role(proowner, 'usage')
  and not has_function_privilege(%(worker)s, oid, 'execute')
