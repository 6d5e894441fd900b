-- Worker processes say that they live by raising a counter. Timestamps are for people, never for decisions.

-- name: register
-- With the same id again when a registration had no answer.
insert into engine.worker as worker (id, supervisor, host, pid, version, drain_wanted, workflows, beat)
values (%(id)s, %(supervisor)s, %(host)s, %(pid)s, %(version)s, %(drain_wanted)s, %(workflows)s, %(beat)s)
on conflict (id) do update set beats = worker.beats + 1

-- name: beat
update engine.worker
set beats = beats + 1, last_beat = clock_timestamp(), draining = %(draining)s or drain_wanted
where id = %(id)s
returning drain_wanted

-- name: say_late
update engine.worker set late = %(tokens)s, late_said = late_said + 1 where id = %(id)s

-- name: add_rates
-- The clock of the server decides which minute it is: all hosts write into the same one.
insert into engine.rate as rate (workflow, minute, completed, retried, failed, other, worked_seconds, started,
                                 waited_seconds, longest_wait_seconds)
select counted.workflow, date_trunc('minute', clock_timestamp()), completed, retried, failed, other, worked, started,
       waited, longest
from unnest(%(workflow)s::text[], %(completed)s::bigint[], %(retried)s::bigint[], %(failed)s::bigint[],
            %(other)s::bigint[], %(worked)s::float8[], %(started)s::bigint[], %(waited)s::float8[],
            %(longest)s::float8[])
     as counted (workflow, completed, retried, failed, other, worked, started, waited, longest)
order by counted.workflow
on conflict (workflow, minute) do update
set completed = rate.completed + excluded.completed, retried = rate.retried + excluded.retried,
    failed = rate.failed + excluded.failed, other = rate.other + excluded.other,
    worked_seconds = rate.worked_seconds + excluded.worked_seconds, started = rate.started + excluded.started,
    waited_seconds = rate.waited_seconds + excluded.waited_seconds,
    longest_wait_seconds = greatest(rate.longest_wait_seconds, excluded.longest_wait_seconds)

-- name: unregister
delete from engine.worker where id = any(%(ids)s)

-- name: claims_of_worker
select distinct workflow, token from engine.job where worker_id = %(worker)s and token is not null

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
