-- Contacts, newest first. {condition} and {position} are about `item` and its domain.

-- name: page
select item.id::text as pk, item.created_at, item.email, item.email_type, item.name, item.role,
       item.phone_number as phone, item.fax_number as fax, left(item.source_url, 2048) as source_url, item.method,
       item.domain, item.domain_id::text as domain_pk
from engine.reachable_contact as item
where {condition} and {position}
order by item.created_at {direction}, item.id {direction}
limit {rows}

-- name: count
-- Of the table: to ask the suppression list about 10,000 rows would take longer than the page.
select count(*) as rows
from (select from contacts as item join domains on domains.id = item.domain_id where {condition} limit %(most)s) as counted

-- name: some
select item.id, item.id::text as pk, item.email, item.name, item.role, item.phone_number as phone,
       item.fax_number as fax, item.domain, item.region
from engine.reachable_contact as item
where item.id = any(%(pks)s::text[]::uuid[])
order by item.created_at desc, item.id desc
