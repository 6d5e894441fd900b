-- What the sweeper keeps in order besides rows: where it stopped, and how much history it keeps.

-- name: position
select coalesce((select next_block from engine.sweep_position where name = %(name)s), 0)

-- name: save_position
insert into engine.sweep_position as position (name, next_block, swept_at, every, pass_blocks)
values (%(name)s, %(next_block)s, clock_timestamp(), %(every)s, %(pass_blocks)s)
on conflict (name) do update
set next_block = excluded.next_block, swept_at = excluded.swept_at, every = excluded.every, pass_blocks = excluded.pass_blocks

-- name: old_attempts
select count(*) from engine.attempt where ended_at < clock_timestamp() - %(age)s

-- name: old_submissions
select count(*) from engine.submission where submitted_at < clock_timestamp() - %(age)s

-- name: old_actions
select count(*) from engine.action where happened_at < clock_timestamp() - %(age)s and not engine.still_counts(action.*)

-- name: save_sweep
insert into engine.sweep as sweep (workflow, ended_at, lost_claims, overdue_claims, missed_rows, orphaned_rows, idle_jobs)
values (%(workflow)s, clock_timestamp(), %(lost_claims)s, %(overdue_claims)s, %(missed_rows)s, %(orphaned_rows)s, %(idle_jobs)s)
on conflict (workflow) do update
set ended_at = excluded.ended_at, lost_claims = excluded.lost_claims, overdue_claims = excluded.overdue_claims,
    missed_rows = excluded.missed_rows, orphaned_rows = excluded.orphaned_rows, idle_jobs = excluded.idle_jobs

-- name: prune_attempts
-- History goes some rows at a time, so that no transaction lasts.
delete from engine.attempt
where ctid = any(array(
    select ctid from engine.attempt where ended_at < clock_timestamp() - %(age)s limit %(rows)s))

-- name: prune_submissions
delete from engine.submission
where ctid = any(array(
    select ctid from engine.submission where submitted_at < clock_timestamp() - %(age)s limit %(rows)s))

-- name: prune_actions
delete from engine.action
where ctid = any(array(
    select action.ctid from engine.action
    where action.happened_at < clock_timestamp() - %(age)s and not engine.still_counts(action.*)
    limit %(rows)s))

-- name: prune_rates
delete from engine.rate where minute < clock_timestamp() - %(age)s

-- name: cut_off_listeners
-- A listener of ours that was stopped with its connection open reads nothing, and the queue can not be emptied behind it.
select pid, pg_terminate_backend(pid)
from pg_stat_activity
where (select pg_notification_queue_usage()) > 0.1
  and application_name = 'scrapersky listener' and wait_event = 'ClientWrite'

-- name: prune_listeners
-- Of processes that were killed. The living ones write again every few seconds.
delete from engine.listener where last_seen < clock_timestamp() - interval '1 hour'

-- name: forget_blocks
update engine.workflow set blocked_reason = null, blocked_until = null where blocked_until < clock_timestamp()

-- name: prune_robots
-- An expired copy serves while a site's robots.txt can not be read; not for ever.
delete from robots_files where expires_at < clock_timestamp() - %(age)s

-- name: prune_sessions
-- A cookie of the dashboard lasts twelve hours.
delete from engine.ended_session where ended_at < clock_timestamp() - interval '1 day'

-- name: prune_paces
delete from engine.pace where next_start < clock_timestamp() - interval '1 hour'

-- name: blocks
select pg_relation_size(%(table)s::regclass) / current_setting('block_size')::bigint

-- name: clear_places
-- Google's terms: a place id may be kept, what Places said about it not for long. What people wrote stays.
-- A slice of the table at a time, and no row that somebody has locked: those come next time.
update places_staging
set name = null, formatted_address = null, vicinity = null, latitude = null, longitude = null, rating = null,
    user_ratings_total = null, price_level = null, raw_data = null, updated_at = now()
where ctid = any(array(
    select ctid from places_staging
    where ctid >= %(low)s::tid and ctid < %(high)s::tid
      and search_time < clock_timestamp() - %(age)s
      and num_nonnulls(name, formatted_address, vicinity, latitude, longitude, rating, user_ratings_total, price_level,
                       raw_data) > 0
    for no key update skip locked
))

-- name: clear_businesses
update local_businesses
set business_name = null, full_address = null, street_address = null, city = null, state = null, zip = null,
    country = null, country_code = null, phone = null, website_url = null, google_maps_url = null,
    main_category = null, extra_categories = null, rating = null, reviews_count = null, price_text = null,
    business_status = null, monday_hours = null, tuesday_hours = null, wednesday_hours = null, thursday_hours = null,
    friday_hours = null, saturday_hours = null, sunday_hours = null, timezone = null, latitude = null,
    longitude = null, last_scan = null, updated_at = now()
where ctid = any(array(
    select ctid from local_businesses
    where ctid >= %(low)s::tid and ctid < %(high)s::tid
      and lead_source = 'google_places' and last_scan < clock_timestamp() - %(age)s
    for no key update skip locked
))

-- name: forget_contacts
-- Who is on the suppression list and came past the triggers: a restore, a replica, a trigger that was disabled.
delete from contacts
where ctid = any(array(
    select contact.ctid from contacts as contact join domains on domains.id = contact.domain_id
    where contact.ctid >= %(low)s::tid and contact.ctid < %(high)s::tid
      and (engine.is_suppressed_address(contact.email) or engine.is_suppressed_host(domains.domain)
           or (contact.email is null and engine.is_suppressed_number(contact.phone_number)))
    for update of contact skip locked
))

-- name: forget_numbers
-- The trigger takes out what is listed.
update contacts set phone_number = phone_number, fax_number = fax_number, context = context, updated_at = now()
where ctid = any(array(
    select contact.ctid from contacts as contact
    where contact.ctid >= %(low)s::tid and contact.ctid < %(high)s::tid
      and (engine.is_suppressed_number(contact.phone_number) or engine.is_suppressed_number(contact.fax_number)
           or engine.names_another(contact.context, contact.email, contact.phone_number, contact.fax_number))
    for no key update skip locked
))

-- name: forget_home_pages
update domains set email_addresses = email_addresses, phone_numbers = phone_numbers
where ctid = any(array(
    select domain.ctid from domains as domain
    where domain.ctid >= %(low)s::tid and domain.ctid < %(high)s::tid
      and cardinality(coalesce(domain.email_addresses, '{{}}') || domain.phone_numbers) > 0
      and (engine.is_suppressed_host(domain.domain)
           or exists (select 1 from unnest(domain.email_addresses) as address where engine.is_suppressed_address(address))
           or exists (select 1 from unnest(domain.phone_numbers) as number where engine.is_suppressed_number(number)))
    for no key update skip locked
))

-- name: forget_telephones
update local_businesses set phone = null
where ctid = any(array(
    select business.ctid from local_businesses as business
    where business.ctid >= %(low)s::tid and business.ctid < %(high)s::tid and engine.mentions_suppressed(business.phone)
    for no key update skip locked
))
