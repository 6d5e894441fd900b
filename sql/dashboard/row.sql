-- One row of a business table: its columns, its relatives, why it stands where it stands, and what happened to it.

-- name: columns
select {columns} from {table} as item where item.{pk} = %(pk)s::{pk_type}

-- name: kin
select item.{pk}::text as pk, left(engine.masked(left({name}, 600)), 300) as name from {table} as item where item.{column} = %(value)s limit %(rows)s

-- name: why
select workflow, code, reason, remedy from engine.explain(%(table)s, %(pk)s)

-- name: history
select at, what, attempt, worker, took, error
from engine.history(%(table)s, %(pk)s) order by at desc limit %(rows)s
