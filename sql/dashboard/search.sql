-- From what a person knows to the row: each question is a look into one index.

-- name: by_key
select item.{pk}::text as pk, left(engine.masked(left({name}, 600)), 300) as name from {table} as item where item.{column} = %(value)s limit %(rows)s

-- name: domains_from
-- The domains that follow in the index; whether they begin like that is for the asker to see.
select id::text as pk, domain as name from domains where domain >= %(start)s order by domain limit %(rows)s

-- name: by_url
select item.id::text as pk, engine.masked(item.url) as name
from {table} as item
where item.domain_id = (select id from domains where domain = %(domain)s) and item.url = %(url)s
