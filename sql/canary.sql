-- The doctor's probe. One lock lets several doctors come and go: the workflow is there while any of them has a row.

-- name: take_turns
select case when set_config('lock_timeout', '5s', true) is not null then
           (select turn.name from engine.lock as turn where turn.name = 'workflow canary' for no key update) end as turn

-- name: last_submission
select coalesce(max(id), 0) from engine.submission

-- name: send
insert into engine.canary (id, status) values (%(id)s, 'Queued')

-- name: has_job
select exists (select 1 from engine.job where workflow = 'canary' and pk = %(id)s::text) as found

-- name: state
select status, error, extract(epoch from nudged_at - submitted_at)::float8 as nudged,
       extract(epoch from claimed_at - nudged_at)::float8 as claimed,
       extract(epoch from ran_at - claimed_at)::float8 as ran,
       extract(epoch from recorded_at - ran_at)::float8 as recorded
from engine.canary
where id = %(id)s

-- name: busy
select count(*) as rows from engine.job where token is not null and workflow <> 'canary'

-- name: remove_rows
-- Its own, and what a doctor left who was killed.
delete from engine.canary where id = %(id)s or submitted_at < clock_timestamp() - interval '1 minute'

-- name: remove_jobs
delete from engine.job
where workflow = 'canary' and not exists (select 1 from engine.canary where canary.id::text = job.pk)

-- name: remove_attempts
delete from engine.attempt where workflow = 'canary' and pk = %(id)s::text

-- name: remove_submissions
delete from engine.submission where id > %(since)s and workflow = 'canary'

-- name: remove_workflow
delete from engine.workflow where name = 'canary' and not exists (select 1 from engine.canary)
