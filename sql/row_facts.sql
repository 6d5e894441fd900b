-- What can be found out about one row: its columns, who has it locked, who could work on it, when the sweep comes by.
-- For sql/why.sql and sql/history.sql; nobody else may call these. Dropped first, because a result can not be replaced.

drop function if exists engine.row_seen(engine.workflow, text);
drop function if exists engine.holder_of(engine.workflow, text, xid, xid);
drop function if exists engine.workers_of(text);

create or replace function engine.span(length interval) returns text
language sql immutable
return (
    select case
        when seconds < 10 then trim_scale(round(seconds, 1)) || ' s'
        when seconds < 120 then round(seconds) || ' s'
        when seconds < 7200 then round(seconds / 60) || ' min'
        when seconds < 172800 then round(seconds / 3600) || ' h'
        else round(seconds / 86400) || ' days'
    end
    from (select greatest(0, extract(epoch from length)) as seconds) as measured
);

create or replace function engine.counted(number bigint, thing text) returns text
language sql immutable
return format('%s %s%s', number, thing, case when number <> 1 then 's' end);

create or replace function engine.moment(at timestamptz) returns text
language sql stable
return to_char(at, 'YYYY-MM-DD HH24:MI:SS TZ');

-- What people and web pages wrote, as part of a sentence.
create or replace function engine.one_line(told text) returns text
language sql immutable
return (
    select case when length(line) > 300 then left(line, 299) || '…' else line end
    from (select btrim(regexp_replace(left(told, 2000), '[[:cntrl:][:space:]]+', ' ', 'g')) as line) as straight
);

-- The workflows of a table, however its name is written: pages, public.pages, "pages".
create or replace function engine.workflows_of(relation text) returns setof engine.workflow
language sql stable
begin atomic
    select workflow.*
    from engine.workflow
    left join pg_catalog.pg_class as class on class.oid = workflow.relation
    left join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
    where workflows_of.relation in (
        workflow.table_name, class.relname, namespace.nspname || '.' || class.relname, quote_ident(class.relname),
        quote_ident(namespace.nspname) || '.' || quote_ident(class.relname))
       or workflow.table_name = '"' || replace(workflows_of.relation, '"', '""') || '"'
    order by workflow.name;
end;

create or replace function engine.key_type(flow engine.workflow) returns text
language sql stable
return (
    select format_type(atttypid, null) from pg_catalog.pg_attribute
    where attrelid = (flow).relation and attname = (flow).key_column and not attisdropped
);

-- The row as it is committed. made_by and held_by: the transactions that wrote this version and that hold or change it.
create function engine.row_seen(
    flow engine.workflow, id text, out pk text, out status text, out error text, out result text, out curated text,
    out changed_at timestamptz, out block bigint, out made_by xid, out held_by xid, out fault text)
language plpgsql as $$
declare
    key_type text := engine.key_type(flow);
    query text := 'select item.%I::text, item.%I::text';
    name text;
begin
    if key_type is null then
        fault := format('its table %s is not where migrate found it', flow.table_name);
        return;
    end if;
    query := format(query, flow.key_column, flow.status_column);
    foreach name in array array[flow.error_column, flow.result_column, flow.curation_column] loop
        query := query || case when name is null then ', null' else format(', item.%I::text', name) end;
    end loop;
    perform 1 from pg_attribute where attrelid = flow.relation and attname = 'updated_at' and atttypid = 'timestamptz'::regtype;
    query := query || case when found then ', item.updated_at' else ', null' end
        || format(', (item.ctid::text::point)[0]::bigint, item.xmin, item.xmax from only %s as item where item.%I = $1::%s',
                  flow.relation, flow.key_column, key_type);
    execute query into pk, status, error, result, curated, changed_at, block, made_by, held_by using id;
exception
    when data_exception then
        fault := format('%L is no id of %s: its ids are of type %s', engine.one_line(left(id, 100)), flow.table_name, key_type);
    when lock_not_available then
        fault := 'locked';
    when undefined_table or undefined_column then
        fault := format('its table %s is not as migrate found it', flow.table_name);
end
$$;

-- A server process in words. Not its query: that may hold secrets.
create or replace function engine.backend(id integer) returns text
language sql stable
return coalesce(
    (select format('backend %s of user %s (%s, %s, its transaction began %s ago)', id, usename,
                   coalesce(nullif(engine.one_line(application_name), ''), 'no application name'), state,
                   engine.span(clock_timestamp() - coalesce(xact_start, state_change)))
     from pg_catalog.pg_stat_activity where pid = id and usename is not null and state is not null),
    format('backend %s', id));

-- Whether a claim could lock the row now. The lock is given back at once: it is taken in a subtransaction that fails.
-- Null when that can not be tried, such as in a read-only transaction.
create or replace function engine.is_free(flow engine.workflow, pk text) returns boolean
language plpgsql as $$
begin
    execute format('select 1 from only %s where %I = $1::%s for no key update nowait',
                   flow.relation, flow.key_column, engine.key_type(flow)) using pk;
    raise exception using errcode = 'SKY01';
exception
    when sqlstate 'SKY01' then return true;
    when lock_not_available then return false;
    when read_only_sql_transaction or insufficient_privilege or serialization_failure then return null;
end
$$;

-- Who keeps a claim from taking the row: a lock on the whole table, or on the row. Locks on rows stand in the row itself,
-- as the number of a transaction or of a group of them, and every running transaction has a lock on its own number.
create function engine.holder_of(
    flow engine.workflow, pk text, made_by xid, held_by xid, out who text, out pid integer, out own boolean)
language plpgsql as $$
declare
    holders xid[] := array[made_by, held_by];
    on_table boolean;
begin
    if held_by <> '0'::xid then
        begin
            holders := holders || array(select member.xid from pg_get_multixact_members(held_by) as member);
        exception when others then
            null; -- the number is not that of a group
        end;
    end if;
    select locks.pid, locks.locktype = 'relation',
           case when locks.pid is null then 'a prepared transaction (see pg_prepared_xacts)' else engine.backend(locks.pid) end
    into pid, on_table, who
    from pg_locks as locks
    where locks.granted
      and ((locks.locktype = 'transactionid' and locks.transactionid = any(holders))
        or (locks.locktype = 'relation' and locks.relation = flow.relation and locks.pid <> pg_backend_pid()
            and locks.database = (select oid from pg_database where datname = current_database())
            and locks.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')))
    order by locks.locktype, array_position(holders, locks.transactionid)
    limit 1;
    own := pid = pg_backend_pid();
    if who is null or own or on_table then
        return;
    end if;
    if engine.is_free(flow, pk) then -- such as by somebody who adds a child row: that hinders no claim
        who := null;
    end if;
end
$$;

-- Registered workers: those that take the workflow, and why the others do not.
create function engine.workers_of(
    flow text, out registered bigint, out drained bigint, out draining bigint, out silent bigint, out unaware bigint,
    out working bigint)
language sql stable
begin atomic
    select count(*), count(*) filter (where worker.drain_wanted), count(*) filter (where stops and not worker.drain_wanted),
           count(*) filter (where quiet and not stops), count(*) filter (where not knows and not quiet and not stops),
           count(*) filter (where knows and not quiet and not stops)
    from engine.worker
    cross join lateral (
        select coalesce(flow = any(worker.workflows), true) as knows, worker.draining or worker.drain_wanted as stops,
               worker.last_beat < clock_timestamp() - 3 * coalesce(worker.beat, interval '10 seconds') as quiet
    ) as state;
end;

create or replace function engine.worker_place(id uuid) returns text
language sql stable
return (
    select format('worker %s on %s pid %s', left(worker.id::text, 8), worker.host, worker.pid)
    from engine.worker where worker.id = worker_place.id
);

create or replace function engine.worker_name(id uuid) returns text
language sql stable
return (
    select format('%s (heartbeat %s ago%s)', engine.worker_place(worker.id),
                  engine.span(clock_timestamp() - worker.last_beat), case when worker.draining then ', draining' else '' end)
    from engine.worker where worker.id = worker_name.id
);

-- When the sweep looks at a block of the workflow's table again. It takes so many blocks per pass, from where it stopped.
create or replace function engine.sweep_comes(flow engine.workflow, block bigint, does text) returns text
language plpgsql as $$
declare
    place engine.sweep_position;
    blocks bigint := pg_relation_size(flow.relation) / current_setting('block_size')::bigint;
    start bigint;
    passes bigint;
begin
    select * into place from engine.sweep_position where name = flow.name;
    if place.swept_at is null then
        return format('the sweep %s, but no sweeper has come by yet', does);
    elsif place.swept_at < clock_timestamp() - 3 * place.every then
        return format('the sweep %s, but no sweeper runs: the last pass was %s ago', does,
                      engine.span(clock_timestamp() - place.swept_at));
    end if;
    start := case when place.next_block >= blocks then 0 else place.next_block end;
    passes := 1 + case
        when block >= start then (block - start) / place.pass_blocks
        else ceil((blocks - start)::numeric / place.pass_blocks)::bigint + block / place.pass_blocks
    end;
    return format('the sweep %s in about %s', does,
                  engine.span(place.swept_at + passes * place.every - clock_timestamp()));
end
$$;

-- What is wrong with the triggers that turn a queued row into a job; null when nothing is.
create or replace function engine.trigger_fault(flow engine.workflow) returns text
language sql stable
return (
    select string_agg(format('its trigger %s is %s', wanted.name,
                             case when present.oid is null then 'missing' else 'disabled' end), ' and ' order by wanted.name)
    from (values ('engine_' || (flow).name || '_insert'), ('engine_' || (flow).name || '_update')) as wanted (name)
    left join pg_catalog.pg_trigger as present on present.tgrelid = (flow).relation and present.tgname = wanted.name
    where present.oid is null or present.tgenabled not in ('O', 'A')
);
