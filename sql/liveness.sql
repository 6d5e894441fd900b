-- Worker processes say that they live by raising a counter. Timestamps are for people, never for decisions.

-- name: register
insert into engine.worker (id, supervisor, host, pid, version, drain_wanted, workflows, beat)
values (%(id)s, %(supervisor)s, %(host)s, %(pid)s, %(version)s, %(drain_wanted)s, %(workflows)s, %(beat)s)

-- name: beat
update engine.worker
set beats = beats + 1, last_beat = clock_timestamp(), draining = %(draining)s or drain_wanted
where id = %(id)s
returning drain_wanted

-- name: unregister
delete from engine.worker where id = %(id)s

-- name: beats
select id, beats from engine.worker

-- name: bury
-- Dead only if the counter still stands where it was seen standing.
delete from engine.worker where id = %(id)s and beats = %(beats)s

-- name: bury_child
delete from engine.worker where supervisor = %(supervisor)s and pid = %(pid)s returning id

-- name: listener_says
insert into engine.listener as listener (id, host, pid, poll, echo, hears, trouble)
values (%(id)s, %(host)s, %(pid)s, %(poll)s, %(echo)s, %(hears)s, %(trouble)s)
on conflict (id) do update
set hears = excluded.hears, trouble = excluded.trouble, last_seen = excluded.last_seen,
    since = case when listener.hears = excluded.hears then listener.since else excluded.since end

-- name: echo
select pg_notify('engine', %(word)s)

-- name: listener_leaves
delete from engine.listener where id = %(id)s
