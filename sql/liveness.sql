-- Worker processes say that they live by raising a counter. Timestamps are for people, never for decisions.

-- name: register
insert into engine.worker (id, supervisor, host, pid, version, drain_wanted)
values (%(id)s, %(supervisor)s, %(host)s, %(pid)s, %(version)s, %(drain_wanted)s)

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
