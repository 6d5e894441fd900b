-- What happened, written by triggers inside the transaction in which it happened: a rollback leaves no trace here.
-- Filled in by ledger.py; {table} has the columns id, status and action, {effects} has run and sample_id.
--
-- A row's entries are in the order of their ids: each id is drawn while the row or its job is locked. Entries of one
-- transaction belong together by their xid. The triggers are "enable always": who bypasses triggers is seen too.

create schema chaos;

-- A name for each connection, so that what it wrote can be laid at one process's door.
create function chaos.session() returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if coalesce(current_setting('chaos.session', true), '') = '' then
        perform set_config('chaos.session', gen_random_uuid()::text, false);
    end if;
    return current_setting('chaos.session');
end
$$;

create table chaos.ledger (
    id bigserial,
    at timestamptz not null default clock_timestamp(),
    xid xid8 not null default pg_current_xact_id(),
    kind text not null,
    who text not null default current_setting('application_name'),
    session uuid not null default chaos.session(),
    workflow text,
    pk text collate "C",
    generation bigint,
    token uuid,
    worker_id uuid,
    status_before text,
    status_after text,
    detail jsonb not null default '{{}}'
);

-- A claim begins when a job gets a token and ends when it loses it. A token that replaces another ends nothing.
create function chaos.note_job() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if old.token is not null and new.token is null then
        insert into chaos.ledger (kind, workflow, pk, generation, token, worker_id, status_after)
        values ('ended', old.workflow, old.pk, old.generation, old.token, old.worker_id,
                case when tg_op = 'DELETE' then 'gone' when new.dead then 'dead' else 'waiting' end);
    end if;
    if new.token is not null and new.token is distinct from old.token then
        insert into chaos.ledger (kind, workflow, pk, generation, token, worker_id, detail)
        values ('claimed', new.workflow, new.pk, new.generation, new.token, new.worker_id,
                jsonb_build_object('attempt', new.attempt, 'lost', new.lost));
    end if;
    return null;
end
$$;

-- The engine also writes to rows whose status stays; a user who sets what is there already has said something.
create function chaos.note_row() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if tg_op = 'UPDATE' and old.status is not distinct from new.status
       and current_setting('application_name') like 'scrapersky%' then
        return null;
    end if;
    insert into chaos.ledger (kind, pk, status_before, status_after, detail)
    values (case tg_op when 'INSERT' then 'inserted' when 'UPDATE' then 'status' else 'deleted' end,
            coalesce(new.id, old.id)::text, old.status, new.status,
            jsonb_build_object('action', coalesce(new.action, old.action)));
    return null;
end
$$;

-- Effects are only ever added; a second writing of the same run shows as an update.
create function chaos.note_effect() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into chaos.ledger (kind, pk, token, status_after, detail)
    values ('effect', new.sample_id::text, new.run, lower(tg_op), to_jsonb(new));
    return null;
end
$$;

create function chaos.note_worker() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    insert into chaos.ledger (kind, worker_id, detail)
    values (case tg_op when 'INSERT' then 'registered' else 'unregistered' end, coalesce(new.id, old.id),
            jsonb_build_object('pid', coalesce(new.pid, old.pid)));
    return null;
end
$$;

-- What a user wants of rows, said in the transaction that does it: queue, cancel or delete.
create function chaos.intend(pks text[], what text) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
    insert into chaos.ledger (kind, pk, status_after) select 'intent', pk, what from unnest(pks) as pk;
end;

create function chaos.intend(pk text, what text) returns void
language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
    insert into chaos.ledger (kind, pk, status_after) values ('intent', pk, what);
end;

grant usage on schema chaos to public;

create trigger chaos_insert after insert on engine.job
for each row when (new.token is not null) execute function chaos.note_job();
create trigger chaos_update after update on engine.job
for each row when (old.token is distinct from new.token) execute function chaos.note_job();
create trigger chaos_delete after delete on engine.job
for each row when (old.token is not null) execute function chaos.note_job();
create trigger chaos_worker after insert or delete on engine.worker
for each row execute function chaos.note_worker();
create trigger chaos_row after insert or update or delete on {table}
for each row execute function chaos.note_row();
create trigger chaos_effect after insert or update on {effects}
for each row execute function chaos.note_effect();

alter table engine.job enable always trigger chaos_insert;
alter table engine.job enable always trigger chaos_update;
alter table engine.job enable always trigger chaos_delete;
alter table engine.worker enable always trigger chaos_worker;
alter table {table} enable always trigger chaos_row;
alter table {effects} enable always trigger chaos_effect;
