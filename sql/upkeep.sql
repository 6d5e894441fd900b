-- What the sweeper keeps in order besides rows: where it stopped, and how much history it keeps.

-- name: position
select coalesce((select next_block from engine.sweep_position where name = %(name)s), 0)

-- name: save_position
insert into engine.sweep_position as position (name, next_block) values (%(name)s, %(next_block)s)
on conflict (name) do update set next_block = excluded.next_block

-- name: prune_attempts
delete from engine.attempt where ended_at < clock_timestamp() - %(age)s

-- name: prune_submissions
delete from engine.submission where submitted_at < clock_timestamp() - %(age)s

-- name: prune_paces
delete from engine.pace where next_start < clock_timestamp() - interval '1 hour'
