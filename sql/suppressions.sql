-- Who must not be contacted is not stored as a contact, by whichever way it comes: extraction, import or hand-typed SQL.
-- The functions run with their owner's rights: the list holds for those too who may write contacts and not read it.

-- A host and everything above it: a listed domain stands for everybody below.
create or replace function engine.host_and_parents(host text) returns text[]
language sql immutable
begin atomic
    select array(
        select array_to_string(labels[first:], '.') from generate_subscripts(labels, 1) as first order by first
    )
    from string_to_array(host, '.') as labels;
end;

create or replace function engine.is_suppressed_address(address text) returns boolean
language sql stable
begin atomic
    select exists (select 1 from public.suppressions where kind = 'email' and value = lower(address))
        or exists (select 1 from public.suppressions where kind = 'domain'
                   and value = any(engine.host_and_parents(lower(split_part(address, '@', 2)))));
end;

create or replace function engine.is_suppressed_number(number text) returns boolean
language sql stable
begin atomic
    select exists (select 1 from public.suppressions where kind = 'phone' and value = number);
end;

create or replace function engine.keep_suppressed_out() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    own text := (select domain.domain from public.domains as domain where domain.id = new.domain_id);
    suppressed boolean := engine.is_suppressed_address(new.email)
        or exists (select 1 from public.suppressions where kind = 'domain' and value = own);
begin
    if engine.is_suppressed_number(new.fax_number) then
        new.fax_number := null;
    end if;
    if engine.is_suppressed_number(new.phone_number) then
        new.phone_number := null;
        suppressed := suppressed or new.email is null;
    end if;
    if not suppressed then
        return new;
    end if;
    if tg_op = 'UPDATE' then
        raise exception '% is on the suppression list', coalesce(new.email, own)
            using hint = 'Remove it from suppressions first, or delete the contact.';
    end if;
    return null;
end
$$;

-- The lists that a home page's addresses and numbers are kept in.
create or replace function engine.keep_suppressed_off_domains() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    new.email_addresses := array(
        select address from unnest(new.email_addresses) with ordinality as given (address, place)
        where not engine.is_suppressed_address(address) order by place);
    new.phone_numbers := array(
        select number from unnest(new.phone_numbers) with ordinality as given (number, place)
        where not engine.is_suppressed_number(number) order by place);
    return new;
end
$$;

-- What is listed now is forgotten. Each condition is an equality, so that a long list is hashed once. Only a listed domain
-- has to be compared with every contact, and a new reason with nothing. The lists of domains are written as they are, and
-- the trigger above takes out what is listed.
create or replace function engine.forget_suppressed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    -- (A trigger with a table of its rows can not be one of some columns.)
    if tg_op = 'UPDATE' then
        if not exists (select kind, value from listed except select kind, value from before) then
            return null;
        end if;
    end if;
    if exists (select 1 from listed where kind = 'email') then
        delete from public.contacts using listed where listed.kind = 'email' and contacts.email = listed.value;
        update public.domains set email_addresses = email_addresses
        where id in (
            select domain.id from public.domains as domain cross join unnest(domain.email_addresses) as address
            join listed on listed.kind = 'email' and listed.value = lower(address));
    end if;
    if exists (select 1 from listed where kind = 'phone') then
        delete from public.contacts using listed
        where listed.kind = 'phone' and contacts.phone_number = listed.value and contacts.email is null;
        update public.contacts set phone_number = null, updated_at = now() from listed
        where listed.kind = 'phone' and contacts.phone_number = listed.value;
        update public.contacts set fax_number = null, updated_at = now() from listed
        where listed.kind = 'phone' and contacts.fax_number = listed.value;
        update public.domains set phone_numbers = phone_numbers
        where id in (
            select domain.id from public.domains as domain cross join unnest(domain.phone_numbers) as number
            join listed on listed.kind = 'phone' and listed.value = number);
    end if;
    if exists (select 1 from listed where kind = 'domain') then
        delete from public.contacts using listed, public.domains
        where listed.kind = 'domain' and domains.domain = listed.value and contacts.domain_id = domains.id;
        delete from public.contacts where id in (
            select contact.id from public.contacts as contact
            cross join unnest(engine.host_and_parents(split_part(contact.email, '@', 2))) as host
            join listed on listed.kind = 'domain' and listed.value = host);
        update public.domains set email_addresses = email_addresses
        where id in (
            select domain.id from public.domains as domain cross join unnest(domain.email_addresses) as address
            cross join unnest(engine.host_and_parents(lower(split_part(address, '@', 2)))) as host
            join listed on listed.kind = 'domain' and listed.value = host);
    end if;
    return null;
end
$$;
