-- Which rows entries of the suppression list are about: asked before they are listed, and when they are.
-- Joins are hashed whatever the session did before and however many entries there are, so the cost is that of reading
-- each table once.

-- A contact goes when the list names its address, its domain, or the number that alone it has; otherwise it loses a number.
create or replace function engine.suppressed_contacts(kinds text[], given text[])
returns table (id uuid, domain_id uuid, goes boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp
set enable_nestloop = off set enable_hashjoin = on set enable_seqscan = on as $$
begin
    return query
    with found as (
        select contact.id, contact.domain_id, true as goes
        from public.contacts as contact
        join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'email') as listed
          on listed.value = engine.ascii_address(contact.email)
        where 'email' = any(kinds)
        union all
        select contact.id, contact.domain_id, true
        from public.contacts as contact
        cross join unnest(engine.host_and_parents(engine.ascii_host(split_part(contact.email, '@', -1)))) as host
        join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'domain') as listed
          on listed.value = host
        where 'domain' = any(kinds)
        union all
        select contact.id, contact.domain_id, true
        from public.contacts as contact
        join public.domains as domain on domain.id = contact.domain_id
        cross join unnest(engine.host_and_parents(engine.ascii_host(domain.domain))) as host
        join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'domain') as listed
          on listed.value = host
        where 'domain' = any(kinds)
        union all
        select contact.id, contact.domain_id, contact.email is null and contact.phone_number = listed.value
        from (select one.*, number from public.contacts as one
              cross join unnest(array[one.phone_number, one.fax_number]) as number) as contact
        join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'phone') as listed
          on listed.value = contact.number
        where 'phone' = any(kinds))
    select found.id, min(found.domain_id::text)::uuid, bool_or(found.goes) from found group by found.id;
end
$$;

-- The rows of domains whose lists of addresses and numbers get shorter.
create or replace function engine.suppressed_domains(kinds text[], given text[]) returns setof uuid
language plpgsql stable set search_path = pg_catalog, pg_temp
set enable_nestloop = off set enable_hashjoin = on set enable_seqscan = on as $$
begin
    return query
    with named as (
        select domain.id, address as word, split_part(address, '@', -1) as host
        from public.domains as domain cross join unnest(domain.email_addresses) as address
    )
    select named.id from named
    join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'email') as listed
      on listed.value = engine.ascii_address(named.word)
    where 'email' = any(kinds)
    union
    select named.id from named cross join unnest(engine.host_and_parents(engine.ascii_host(named.host))) as parent
    join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'domain') as listed
      on listed.value = parent
    where 'domain' = any(kinds)
    union
    select domain.id from public.domains as domain
    cross join unnest(engine.host_and_parents(engine.ascii_host(domain.domain))) as parent
    join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'domain') as listed
      on listed.value = parent
    where 'domain' = any(kinds) and cardinality(coalesce(domain.email_addresses, '{}') || domain.phone_numbers) > 0
    union
    select domain.id from public.domains as domain cross join unnest(domain.phone_numbers) as number
    join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'phone') as listed
      on listed.value = number
    where 'phone' = any(kinds);
end
$$;

-- Businesses with a listed telephone, written with its country or without: the ends of a listed number are hashed.
create or replace function engine.suppressed_businesses(kinds text[], given text[]) returns setof uuid
language plpgsql stable set search_path = pg_catalog, pg_temp
set enable_nestloop = off set enable_hashjoin = on set enable_seqscan = on as $$
begin
    if 'phone' = any(kinds) then
        return query
        select business.id from public.local_businesses as business
        join (select distinct right(value, digits) as ending
              from unnest(kinds, given) as entry (kind, value)
              cross join generate_series(7, length(value) - 1) as digits
              where kind = 'phone') as listed
          on listed.ending = engine.plain_digits(business.phone)
        where business.phone is not null;
    end if;
end
$$;

-- The sites where a listed address is at home, whether or not it is a contact there.
create or replace function engine.suppressed_sites(kinds text[], given text[]) returns setof uuid
language plpgsql stable set search_path = pg_catalog, pg_temp
set enable_nestloop = off set enable_hashjoin = on set enable_seqscan = on as $$
begin
    if 'email' = any(kinds) then
        return query
        select domain.id from public.domains as domain
        join (select distinct host from unnest(kinds, given) as entry (kind, value)
              cross join unnest(engine.host_and_parents(split_part(value, '@', -1))) as host
              where kind = 'email') as listed
          on listed.host = engine.ascii_host(domain.domain);
    end if;
end
$$;

-- The contacts of some sites whose context names somebody who is listed, but for those contacts that go themselves. A
-- number is looked for by its last seven digits first.
create or replace function engine.suppressed_contexts(kinds text[], given text[], sites uuid[], gone uuid[]) returns setof uuid
language plpgsql stable set search_path = pg_catalog, pg_temp
set enable_nestloop = off set enable_hashjoin = on set enable_seqscan = on as $$
begin
    if sites = '{}' then
        return;
    end if;
    return query
    with beside as materialized (
        select contact.id, contact.context,
               array_remove(array[engine.ascii_address(contact.email), contact.phone_number, contact.fax_number], null) as own
        from public.contacts as contact
        where contact.domain_id in (select unnest(sites)) and contact.context is not null
          and not exists (select 1 from unnest(gone) as going where going = contact.id)),
    readings as materialized (
        select beside.id, reading.address,
               bool_or(reading.address = any(beside.own)) over (partition by beside.id, reading.place) as of_its_own
        from beside cross join lateral engine.written_addresses(beside.context) as reading)
    select readings.id from readings
    join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'email') as listed
      on listed.value = readings.address
    where not coalesce(readings.of_its_own, false)
    union
    select readings.id from readings cross join unnest(engine.host_and_parents(split_part(readings.address, '@', -1))) as host
    join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'domain') as listed
      on listed.value = host
    where not coalesce(readings.of_its_own, false)
    union
    select near.id
    from (select beside.id, beside.context, beside.own, array_agg(distinct listed.value) as numbers
          from beside cross join lateral engine.plain_digits(beside.context) as digits
          cross join lateral generate_series(1, length(digits) - 6) as start
          join (select distinct value from unnest(kinds, given) as entry (kind, value) where kind = 'phone') as listed
            on right(listed.value, 7) = substr(digits, start, 7)
          group by beside.id, beside.context, beside.own) as near
    where exists (select 1 from engine.suppressed_numbers(near.context, near.own, near.numbers));
end
$$;
