-- Who must not be contacted is not stored as a contact, by whichever way it comes: extraction, import or hand-typed SQL.
-- The trigger functions run with their owner's rights: the list holds for those too who may write contacts and not read it.

-- They are asked for every row, so each keeps the plans of its own simple questions.

-- A host and everything above it: a listed domain stands for everybody below.
create or replace function engine.host_and_parents(host text) returns text[]
language plpgsql immutable as $$
declare
    parents text[];
begin
    host := right(host, 253); -- no name is longer, but texts from the web are
    parents := array[host];
    while position('.' in host) > 0 loop
        host := substr(host, position('.' in host) + 1);
        parents := parents || host;
    end loop;
    return parents;
end
$$;

create or replace function engine.is_suppressed_host(host text) returns boolean
language plpgsql stable as $$
begin
    return exists (select 1 from public.suppressions where kind = 'domain'
                   and value = any(engine.host_and_parents(engine.ascii_host(host))));
end
$$;

create or replace function engine.is_suppressed_address(address text) returns boolean
language plpgsql stable as $$
declare
    known text := engine.ascii_address(address);
begin
    return exists (select 1 from public.suppressions where kind = 'email' and value = known)
        or exists (select 1 from public.suppressions where kind = 'domain'
                   and value = any(engine.host_and_parents(split_part(known, '@', -1))));
end
$$;

create or replace function engine.is_suppressed_number(number text) returns boolean
language plpgsql stable as $$
begin
    return exists (select 1 from public.suppressions where kind = 'phone' and value = number);
end
$$;

-- Transactions that write what the list is about share a lock until they end, and one that lists waits for them: either
-- the writer sees the list, or the one who lists sees what was written. A lock of a table is granted in turn, so that
-- many writers do not keep the list waiting for ever; and only who may write to the table can take it.
create or replace function engine.share_suppression_lock() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    lock table engine.suppression_lock in row share mode;
    -- A transaction that sees the database as it was may not see what was listed since; it fails, and can be repeated.
    if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        perform from engine.suppression_lock for share;
    end if;
    return null;
end
$$;

create or replace function engine.take_suppression_lock() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
begin
    if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
        raise exception 'suppressions can not be written in a % transaction: it may not see every contact',
            current_setting('transaction_isolation')
            using errcode = 'feature_not_supported', hint = 'Begin a transaction with isolation level read committed.';
    end if;
    lock table engine.suppression_lock in exclusive mode;
    update engine.suppression_lock set listings = listings + 1;
    return null;
exception when lock_not_available then
    raise exception 'another transaction has written contacts and is still open; nothing was listed'
        using errcode = 'lock_not_available', hint = 'Try again when it has ended; pg_locks names those who hold engine.suppression_lock.';
end
$$;

create or replace function engine.one_spelling(kind text, value text) returns text
language sql stable parallel safe
return case kind when 'email' then engine.ascii_address(value) when 'domain' then engine.ascii_host(value) else value end;

-- The list has one spelling for each value, whichever way it comes.
create or replace function engine.normalise_suppression() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    given text := btrim(new.value, E' \t\r\n\u00a0');
begin
    if new.kind = 'phone' then
        new.value := regexp_replace(replace(given, '(0)', ''), '[ ()./\u00a0-]', '', 'g');
        if new.value !~ '^[+][1-9][0-9]{3,14}$' then
            raise exception '% is no telephone number with its country', quote_literal(given)
                using errcode = 'check_violation',
                      hint = 'Write it such as +15125550123, or use: scrapersky suppress add --region US.';
        end if;
    else
        new.value := engine.one_spelling(new.kind, given);
        -- It would match nobody.
        if new.value ~ (case new.kind when 'domain' then '[*%]' else '^[*%]@|@.*[*%]' end) then
            raise exception '% has a wildcard, and the list knows none', quote_literal(given)
                using errcode = 'check_violation',
                      hint = 'A domain stands for everybody at it and at its subdomains: write it as b.example, with the kind domain.';
        end if;
    end if;
    return new;
end
$$;

create or replace function engine.keep_suppressed_out() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    own text;
    suppressed boolean;
    without_number boolean;
begin
    if not exists (select 1 from public.suppressions) then
        return new;
    end if;
    select domain.domain into own from public.domains as domain where domain.id = new.domain_id;
    without_number := engine.is_suppressed_number(new.phone_number);
    suppressed := engine.is_suppressed_address(new.email) or engine.is_suppressed_host(own)
        or (without_number and new.email is null);
    if suppressed and tg_op = 'INSERT' then
        return null;
    elsif suppressed and (new.email, new.phone_number, new.domain_id)
                         is distinct from (old.email, old.phone_number, old.domain_id) then
        raise exception '% is on the suppression list', coalesce(new.email, new.phone_number, own)
            using hint = 'Remove it from suppressions first, or delete the contact.';
    elsif suppressed then
        return new; -- it came past the triggers, and the sweep deletes it
    end if;
    if without_number then
        new.phone_number := null;
    end if;
    if engine.is_suppressed_number(new.fax_number) then
        new.fax_number := null;
    end if;
    -- The words beside the address of another person name her too; those beside this one's own are her own.
    if engine.names_another(new.context, new.email, new.phone_number, new.fax_number) then
        new.context := null;
    end if;
    return new;
end
$$;

-- The lists that a home page's addresses and numbers are kept in.
create or replace function engine.keep_suppressed_off_domains() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if not exists (select 1 from public.suppressions) then
        return new;
    end if;
    if engine.is_suppressed_host(new.domain) then
        new.email_addresses := case when new.email_addresses is not null then '{}'::text[] end;
        new.phone_numbers := case when new.phone_numbers is not null then '{}'::text[] end;
        return new;
    end if;
    new.email_addresses := array(
        select address from unnest(new.email_addresses) with ordinality as given (address, place)
        where not engine.is_suppressed_address(address) order by place);
    new.phone_numbers := array(
        select number from unnest(new.phone_numbers) with ordinality as given (number, place)
        where not engine.is_suppressed_number(number) order by place);
    return new;
end
$$;

create or replace function engine.keep_suppressed_off_businesses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    if engine.mentions_suppressed(new.phone) then
        new.phone := null;
    end if;
    return new;
end
$$;

-- What is listed now is forgotten: contacts, and what stands elsewhere, as sql/suppressed_rows.sql finds it. The triggers
-- above take out what is listed of rows that stay. It holds the lock that all writers of contacts want, so it does not
-- wait for long, and gives way before the server takes two who wait for each other for a deadlock.
create or replace function engine.forget_suppressed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms'
set enable_nestloop = off set enable_hashjoin = on set enable_seqscan = on as $$
declare
    kinds text[];
    given text[];
    gone uuid[];
    changed uuid[];
    sites uuid[];
begin
    -- (A trigger with a table of its rows can not be one of some columns.)
    if tg_op = 'UPDATE' then
        select array_agg(kind), array_agg(value) into kinds, given
        from (select kind, value from listed except select kind, value from before) as entries;
    else
        select array_agg(kind), array_agg(value) into kinds, given from listed;
    end if;
    if kinds is null then
        return null;
    end if;
    select array_agg(id) filter (where goes), array_agg(id) filter (where not goes), array_agg(distinct domain_id)
    into gone, changed, sites
    from engine.suppressed_contacts(kinds, given);
    if gone is not null then
        delete from public.contacts where id in (select unnest(gone));
    end if;
    if changed is not null then
        update public.contacts set phone_number = phone_number, fax_number = fax_number, updated_at = now()
        where id in (select unnest(changed));
    end if;
    sites := array(select unnest(sites) union select engine.suppressed_sites(kinds, given));
    if sites <> '{}' then
        update public.contacts set context = null
        where id in (select engine.suppressed_contexts(kinds, given, sites, '{}'));
    end if;
    update public.domains set email_addresses = email_addresses, phone_numbers = phone_numbers
    where id in (select engine.suppressed_domains(kinds, given));
    update public.local_businesses set phone = null
    where id in (select engine.suppressed_businesses(kinds, given));
    return null;
exception when lock_not_available then
    raise exception 'another transaction is changing rows that name whom you list; nothing was listed'
        using errcode = 'lock_not_available', hint = 'Try again in a moment.';
end
$$;
