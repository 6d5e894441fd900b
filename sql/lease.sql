-- The doorbell steps aside while a listener is awake: docs/decisions/0020. None of these needs to reach the disk before the
-- next statement: with the server, everybody who has seen the lease is gone too.

-- name: take
-- Nobody has it, or whoever had it has not renewed it in time.
update engine.lease
set holder = %(holder)s, awake = true, renewed_at = clock_timestamp(),
    expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
where (holder is null or not clock_timestamp() between renewed_at and expires_at)
  and set_config('synchronous_commit', 'off', true) is not null
returning true

-- name: take_over
-- Somebody had it and did not give it back: what was queued in silence since then is the next one's to find.
update engine.lease
set holder = %(holder)s, awake = true, renewed_at = clock_timestamp(),
    expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
where holder is not null and not clock_timestamp() between renewed_at and expires_at
  and set_config('synchronous_commit', 'off', true) is not null
returning true

-- name: renew
-- Awake: triggers ring nobody. Not awake: they ring, and the holder still looks for what was queued in silence.
update engine.lease
set awake = %(awake)s, renewed_at = clock_timestamp(),
    expires_at = clock_timestamp() + make_interval(secs => %(seconds)s)
where holder = %(holder)s
  and set_config('synchronous_commit', 'off', true) is not null
returning true

-- name: release
-- Everything that was queued in silence has been seen.
update engine.lease set holder = null, awake = false
where holder = %(holder)s
  and set_config('synchronous_commit', 'off', true) is not null

-- name: abandon
-- The process ends before it has seen everything: the next listener that looks takes over.
update engine.lease set awake = false, expires_at = '-infinity'
where holder = %(holder)s

-- name: look
-- How much was submitted so far, which transactions may still run, and the workflows with due work: of one moment.
select pg_sequence_last_value('engine.submission_id_seq'), pg_snapshot_xmin(moment)::text::bigint,
       pg_snapshot_xmax(moment)::text::bigint, array({due})
from pg_current_snapshot() as moment

-- name: ring
-- For listeners of other processes, where there are any.
select pg_notify('engine', name)
from unnest(%(workflows)s::text[]) as name
where pg_notification_queue_usage() < 0.5
  and exists (select 1 from engine.listener where id <> %(holder)s and last_seen > clock_timestamp() - interval '1 minute')
