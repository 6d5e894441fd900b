-- Sessions of the dashboard that were ended by their users.

-- name: is_running
select %(id)s::text is not null and not exists (select 1 from engine.ended_session where id = %(id)s) as is_running

-- name: end
insert into engine.ended_session (id) select %(id)s::text where %(id)s::text is not null on conflict do nothing
