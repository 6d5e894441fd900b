-- What operators do to the rows of a workflow: plain writes of a status, in batches, as anybody could type them.

-- name: count
select count(*) from {table} as item where item.{status}::text = any(%(words)s) and {condition}

-- name: choose
select item.{pk}::text from {table} as item where item.{status}::text = any(%(words)s) and {condition}
order by item.{pk}
limit %(limit)s

-- name: set_status
-- Only rows that are still as they were chosen, and none that somebody is changing just now.
update {table} as item
set {status} = %(word)s, {error} = %(reason)s{touch}
where item.ctid = any(array(
    select chosen.ctid from {table} as chosen
    where chosen.{pk} = any(%(pks)s::{pk_type}[]) and chosen.{status}::text = any(%(words)s)
    for no key update of chosen skip locked
))

-- name: queue
update {table} as item
set {status} = %(word)s, {error} = null{touch}
where item.{pk} = any(%(pks)s::{pk_type}[])
  and (item.{status} is null or item.{status}::text not in (%(word)s, %(processing)s))
