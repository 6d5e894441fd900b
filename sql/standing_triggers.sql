-- The triggers that every database has; those of workflows follow from the registry. Their functions stand in functions.sql,
-- audit.sql, suppressions.sql and validators.sql, apart: functions can be replaced under load, triggers can not.

create or replace trigger ring_after_control
after update of paused, max_in_flight, batch, max_attempts, per_minute, per_day, max_downstream, blocked_reason
on engine.workflow
for each row execute function engine.ring_after_control();

create or replace trigger unblock
before update of paused on engine.workflow
for each row when (not new.paused) execute function engine.unblock();

create or replace trigger stamp_canary
before update of status on engine.canary
for each row execute function engine.stamp_canary();

create or replace trigger share_suppression_lock
before insert or update of email, phone_number, fax_number, domain_id, context on contacts
for each statement execute function engine.share_suppression_lock();

create or replace trigger share_suppression_lock
before insert or update of domain, email_addresses, phone_numbers on domains
for each statement execute function engine.share_suppression_lock();

create or replace trigger share_suppression_lock
before insert or update of phone on local_businesses
for each statement execute function engine.share_suppression_lock();

create or replace trigger take_suppression_lock
before insert or update of kind, value on suppressions
for each statement execute function engine.take_suppression_lock();

create or replace trigger normalise_suppression
before insert or update of kind, value on suppressions
for each row execute function engine.normalise_suppression();

create or replace trigger keep_suppressed_out
before insert or update of email, phone_number, fax_number, domain_id, context on contacts
for each row execute function engine.keep_suppressed_out();

create or replace trigger keep_suppressed_off_domains
before insert or update of domain, email_addresses, phone_numbers on domains
for each row when (new.email_addresses is not null or new.phone_numbers is not null)
execute function engine.keep_suppressed_off_domains();

create or replace trigger keep_suppressed_off_businesses
before insert or update of phone on local_businesses
for each row when (new.phone is not null) execute function engine.keep_suppressed_off_businesses();

create or replace trigger forget_suppressed_insert
after insert on suppressions referencing new table as listed
for each statement execute function engine.forget_suppressed();

create or replace trigger forget_suppressed_update
after update on suppressions referencing old table as before new table as listed
for each statement execute function engine.forget_suppressed();

create or replace trigger record_control
after update of paused, paused_reason, max_in_flight, batch, max_attempts, per_minute, per_day, max_downstream
on engine.workflow
for each row execute function engine.record_control();

create or replace trigger forget_page_validators
after delete on contacts referencing old table as gone
for each statement execute function engine.forget_page_validators();

create or replace trigger forget_page_validators_truncate
after truncate on contacts
for each statement execute function engine.forget_page_validators();

create or replace trigger forget_sitemap_validators
after delete on pages referencing old table as gone
for each statement execute function engine.forget_sitemap_validators();

create or replace trigger forget_sitemap_validators_truncate
after truncate on pages
for each statement execute function engine.forget_sitemap_validators();

create or replace trigger forget_sitemap_validators
after delete on sitemap_files referencing old table as gone
for each statement execute function engine.forget_sitemap_validators();

create or replace trigger forget_unsuppressed_validators
after delete on suppressions referencing old table as gone
for each statement execute function engine.forget_unsuppressed_validators();

create or replace trigger forget_unsuppressed_validators_update
after update on suppressions referencing old table as gone new table as listed
for each statement execute function engine.forget_unsuppressed_validators();

create or replace trigger forget_unsuppressed_validators_truncate
after truncate on suppressions
for each statement execute function engine.forget_unsuppressed_validators();

-- Entries from before there was one spelling of each value. Of those that are one now, the oldest stays.
do $$
begin
    if exists (select 1 from public.suppressions where octet_length(value) <> length(value)
               and value <> engine.one_spelling(kind, value)) then
        delete from public.suppressions where id in (
            select id from (
                select id, row_number() over (partition by kind, engine.one_spelling(kind, value) order by created_at, id) as place
                from public.suppressions) as spelled
            where place > 1);
        update public.suppressions set value = value
        where octet_length(value) <> length(value) and value <> engine.one_spelling(kind, value);
    end if;
end
$$;
