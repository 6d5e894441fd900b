-- Contacts, newest first. {condition} and {position} are about `item` and its domain.

-- name: page
select item.id::text as pk, item.created_at, item.email, item.email_type, item.name, item.role,
       item.phone_number as phone, item.fax_number as fax, left(item.source_url, 2048) as source_url, item.method,
       domains.domain, domains.id::text as domain_pk
from contacts as item join domains on domains.id = item.domain_id
where {condition} and {position}
order by item.created_at {direction}, item.id {direction}
limit {rows}

-- name: count
select count(*) as rows
from (select from contacts as item join domains on domains.id = item.domain_id where {condition} limit %(most)s) as counted

-- name: some
select item.id, item.id::text as pk, item.email, item.name, item.role, item.phone_number as phone,
       item.fax_number as fax, domains.domain, domains.region
from contacts as item join domains on domains.id = item.domain_id
where item.id = any(%(pks)s::text[]::uuid[])
order by item.created_at desc, item.id desc
