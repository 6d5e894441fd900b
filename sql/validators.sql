-- A validator (ETag, Last-Modified) asks a server whether a page or a sitemap is what it was when it was read. That is the
-- wrong question once what was read is gone: the answer "not changed" would keep it away for good. So whoever takes
-- contacts, pages or sitemaps away, by command or by hand-typed SQL, takes the validators of their site with them, of every
-- page or sitemap of it: more than one may have named what is gone. No status changes, so nothing is queued by this.
-- The functions run with their owner's rights, for those too who may delete contacts and not write pages.

-- Rows are locked in one order, so that two who delete at once can not wait for each other. Arrays and no sequential scan,
-- because one plan is kept for one row and for a hundred thousand: it asks an index for each domain and each page.
create or replace function engine.forget_page_validators() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
    if tg_op = 'TRUNCATE' then
        update public.pages set etag = null, http_last_modified = null where num_nonnulls(etag, http_last_modified) > 0;
        return null;
    end if;
    update public.pages set etag = null, http_last_modified = null
    where id = any(array(
        select page.id from public.pages as page
        where page.domain_id = any(array(select distinct domain_id from gone))
          and num_nonnulls(page.etag, page.http_last_modified) > 0
        order by page.id
        for no key update));
    return null;
end
$$;

create or replace function engine.forget_sitemap_validators() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
    if tg_op = 'TRUNCATE' then
        update public.sitemap_files set etag = null, http_last_modified = null
        where num_nonnulls(etag, http_last_modified) > 0;
        return null;
    end if;
    update public.sitemap_files set etag = null, http_last_modified = null
    where id = any(array(
        select file.id from public.sitemap_files as file
        where file.domain_id = any(array(select distinct domain_id from gone))
          and num_nonnulls(file.etag, file.http_last_modified) > 0
        order by file.id
        for no key update));
    return null;
end
$$;

-- Who is taken off the suppression list may stand on any page that named somebody and was read while the list kept him
-- out, or at a site that had a contact changed meanwhile: a listed number is taken from the address that it stood beside.
-- Hash joins, because the plan is kept for any number of rows.
create or replace function engine.forget_unsuppressed_validators() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp set enable_hashjoin = on set enable_nestloop = off as $$
declare
    since timestamptz := '-infinity';
begin
    if tg_op = 'DELETE' then
        select min(created_at) into since from gone;
    elsif tg_op = 'UPDATE' then
        select min(created_at) into since from gone
        where not exists (select 1 from listed where listed.kind = gone.kind and listed.value = gone.value);
    end if;
    if since is null then
        return null;
    end if;
    with held as materialized (
        select page.id from public.pages as page
        where num_nonnulls(page.etag, page.http_last_modified) > 0 and page.contact_scrape_status <> 'NoContactFound'
          and page.id in (
              select id from public.pages where updated_at >= since
              union
              select named.id from public.contacts join public.pages as named using (domain_id)
              where contacts.updated_at >= since)
        order by page.id
        for no key update)
    update public.pages set etag = null, http_last_modified = null from held where pages.id = held.id;
    return null;
end
$$;
