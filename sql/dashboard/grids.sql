-- The curators' grids, newest rows first. {condition} and {position} are about `item`.

-- name: page
select item.id::text as pk, item.created_at, {shown}, item.{curation} as word, item.{processing} as processing,
       left(engine.masked(left(item.{error}, 400)), 200) as error,
       left(engine.masked(left(item.{result}, 400)), 200) as result
from {table} as item
where {condition} and {position}
order by item.created_at {direction}, item.id {direction}
limit {rows}

-- name: some
-- Rows that are on a screen already, as they are now.
select item.id::text as pk, item.created_at, {shown}, item.{curation} as word, item.{processing} as processing,
       left(engine.masked(left(item.{error}, 400)), 200) as error,
       left(engine.masked(left(item.{result}, 400)), 200) as result
from {table} as item
where item.id = any(%(pks)s::text[]::{key}[])

-- name: count
select count(*) as rows from (select from {table} as item where {condition} limit %(most)s) as counted
