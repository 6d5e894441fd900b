-- A curator's word for many rows, and the way back. Filled in for one table; {condition} is about `item`.

-- name: count
-- No more rows than anybody wants to know of are counted.
select count(*) as rows, count(*) filter (where changes) as to_change
from (select item.{curation} is distinct from %(word)s as changes from {table} as item where {condition} limit %(most)s)
     as counted

-- name: sample
select item.id::text as pk, left(engine.masked(left({name}, 600)), 300) as name, item.{curation} as word, item.{processing} as processing
from {table} as item
where {condition} and item.{curation} is distinct from %(word)s
order by item.created_at desc, item.id desc
limit %(rows)s

-- name: forget
-- What is too old to be taken back.
delete from engine.curation where changed_at < clock_timestamp() - %(age)s

-- name: begin
insert into engine.curation (operator, kind, word) values (%(operator)s, %(kind)s, %(word)s) returning id

-- name: go_on
-- Locked before its rows, as by whoever takes it back: one waits for the other.
select from engine.curation where id = %(change)s and undone_at is null for no key update

-- name: choose
select item.id::text
from {table} as item
where {condition} and item.{curation} is distinct from %(word)s
order by item.created_at desc, item.id desc
limit %(most)s

-- name: change
-- The trigger of the table queues what becomes Selected; here it is only seen to have done so.
with chosen as materialized (
    select item.id, item.{curation} as word, item.{processing} as processing, item.{error} as error
    from {table} as item
    where item.id = any(%(pks)s::text[]::{key}[]) and {condition} and item.{curation} is distinct from %(word)s
    order by item.created_at desc, item.id desc
    for no key update
), changed as (
    update {table} as item set {curation} = %(word)s, updated_at = now()
    from chosen where item.id = chosen.id
    returning item.id, chosen.processing is distinct from {queued} and item.{processing} = {queued} as queued
), remembered as (
    insert into engine.curated_row (curation, pk, word, processing, error)
    select %(change)s, id::text, word, processing, error from chosen join changed using (id)
)
select count(*), count(*) filter (where queued) from changed

-- name: end
update engine.curation set rows = %(rows)s where id = %(change)s

-- name: last
select id, changed_at, word, rows
from engine.curation
where operator = %(operator)s and kind = %(kind)s and undone_at is null and rows > 0
  and changed_at > clock_timestamp() - %(age)s
order by id desc
limit 1

-- name: tally
select item.{processing} as processing, count(*) as rows
from engine.curated_row join {table} as item on item.id = curated_row.pk::{key}
where curated_row.curation = %(change)s
group by 1
order by 2 desc, 1

-- name: begin_undo
update engine.curation set undone_at = clock_timestamp()
where id = %(change)s and operator = %(operator)s and kind = %(kind)s and undone_at is null and rows > 0
  and changed_at > clock_timestamp() - %(age)s
returning word, rows

-- name: judge
-- Rows that still have the word, and by this change, are locked and marked with where their processing stands.
with standing as materialized (
    select item.id::text as pk, item.{processing} as processing
    from engine.curated_row join {table} as item on item.id = curated_row.pk::{key}
    where curated_row.curation = %(change)s and item.{curation} = %(word)s
      and not exists (
          select 1 from engine.curated_row as later join engine.curation on curation.id = later.curation
          where later.pk = curated_row.pk and later.curation > %(change)s and not later.undone
            and curation.kind = (select kind from engine.curation where id = %(change)s))
    order by item.id
    for no key update of item
)
update engine.curated_row set undone = true, standing = standing.processing
from standing where curated_row.curation = %(change)s and curated_row.pk = standing.pk

-- name: take_back
-- After Selected: the old word, and what still waits because of it is withdrawn. What ran or runs is left as it is.
update {table} as item
set {curation} = was.word, updated_at = now(),
    {processing} = case when was.waits then was.processing else item.{processing} end,
    {error} = case when was.waits then was.error else item.{error} end
from (select pk, word, processing, error, standing is not distinct from {queued} and idle as waits, idle
      from engine.curated_row
      cross join lateral (select coalesce(processing not in ({queued}, {running}), true) as idle) as before
      where curation = %(change)s and undone) as was
where item.id = was.pk::{key}
returning was.waits, was.idle and not was.waits as began

-- name: restore
-- After any other word. Rows that go back to Selected must not be queued by that: the trigger lets alone what runs, so
-- they seem to run until the next statement of this transaction.
update {table} as item
set {curation} = was.word, updated_at = now(),
    {processing} = case when was.word = 'Selected' and coalesce(was.standing <> {queued}, true) then {running}
                        else item.{processing} end
from engine.curated_row as was
where was.curation = %(change)s and was.undone and item.id = was.pk::{key}

-- name: settle
update {table} as item set {processing} = was.standing
from engine.curated_row as was
where was.curation = %(change)s and was.undone and was.word = 'Selected' and item.id = was.pk::{key}
  and item.{processing} = {running} and was.standing is distinct from {running}
