-- What `scrapersky doctor` asks. Every statement only reads, most of them catalogs and statistics; those that read the
-- user's tables are composed in app/doctor and end after a second.

-- name: harmless
select set_config('transaction_read_only', 'on', true) as writing, set_config('lock_timeout', '200ms', true) as waiting,
       set_config('statement_timeout', %(patience)s, true) as patience

-- name: server
select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
       pg_is_in_recovery() as standby, current_database() as database, current_user as role,
       current_setting('session_replication_role') as replication_role, pg_backend_pid() as pid

-- name: applied
-- By the catalog: to_regclass would ask for rights on the schema.
select obj_description(to_regnamespace('engine'), 'pg_namespace') as mark,
       exists (select 1 from pg_class where relnamespace = to_regnamespace('engine') and relname = 'worker') as engine,
       to_regclass('public.schema_version') is not null as tables

-- name: roles
select current_user as mine,
       (select pg_get_userbyid(relowner) from pg_class
        where relnamespace = to_regnamespace('engine') and relname = 'worker') as owner

-- name: revision
select version_num as revision from public.schema_version

-- name: tenant
select default_tenant_id() as id

-- name: declared
select name, table_name, status_column, queued, processing, done, failed from engine.workflow

-- name: settings
select name, setting, source from pg_settings where name = any(%(names)s)

-- name: triggers
select expected.name, trigger.tgenabled::text as enabled, trigger.tgtype as kind, trigger.tgoldtable as old_rows,
       trigger.tgnewtable as new_rows, trigger.tgqual is not null as filtered, trigger.tgfoid = function.oid as ours,
       function.oid is not null as defined, function.prosrc as source, function.prosecdef as definer,
       function.proconfig as config
from unnest(%(names)s::text[], %(tables)s::text[], %(functions)s::text[]) as expected (name, table_name, function)
left join pg_trigger as trigger
    on trigger.tgrelid = to_regclass(expected.table_name) and trigger.tgname = expected.name
left join pg_proc as function on function.oid = to_regproc(expected.function)

-- name: constraints
select attribute.attrelid::regclass::text as table_name, attribute.attname as column_name, type.typtype = 'e' as is_enum,
       array(select pg_get_constraintdef(oid) from pg_constraint
             where conrelid = attribute.attrelid and contype = 'c' and convalidated
               and conkey = array[attribute.attnum]) as checks
from unnest(%(tables)s::text[], %(columns)s::text[]) as expected (table_name, column_name)
join pg_attribute as attribute
    on attribute.attrelid = to_regclass(expected.table_name) and attribute.attname = expected.column_name
join pg_type as type on type.oid = attribute.atttypid

-- name: indexes
select expected.name as table_name, class.relname as name, index.indisvalid and index.indisready as usable,
       index.indisprimary as is_primary, class.oid::regclass::text as full_name
from unnest(%(tables)s::text[]) as expected (name)
join pg_index as index on index.indrelid = to_regclass(expected.name)
join pg_class as class on class.oid = index.indexrelid

-- name: vacuum
select class.oid::regclass::text as table_name, coalesce(stat.n_live_tup, 0) as live, coalesce(stat.n_dead_tup, 0) as dead,
       greatest(stat.last_vacuum, stat.last_autovacuum) as vacuumed, pg_relation_size(class.oid) as bytes,
       pg_indexes_size(class.oid) as index_bytes,
       coalesce((select option_value from pg_options_to_table(class.reloptions)
                 where option_name = 'autovacuum_enabled'), 'true')::boolean as enabled,
       coalesce((select option_value from pg_options_to_table(class.reloptions) where option_name = 'fillfactor'),
                '100')::integer as fill,
       coalesce((select sum(avg_width) from pg_stats
                 where schemaname = 'engine' and tablename = class.relname), 100)::integer + 32 as width
from pg_class as class
left join pg_stat_user_tables as stat on stat.relid = class.oid
where class.relnamespace = 'engine'::regnamespace and class.relkind = 'r'
order by class.relname

-- name: wraparound
select age(datfrozenxid) as age, current_setting('autovacuum_freeze_max_age')::bigint as freeze_at
from pg_database where datname = current_database()

-- name: transactions
select pid, usename as user, application_name as application, client_addr::text as client, state,
       extract(epoch from clock_timestamp() - xact_start)::float8 as age
from pg_stat_activity
where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
  and backend_type = 'client backend'
  and clock_timestamp() - xact_start
      > case when state like 'idle in transaction%%' then %(forgotten)s::interval else %(long)s::interval end
order by xact_start
limit 5

-- name: turns
-- A claim has its turn for milliseconds.
select turn.name, activity.pid, usename as user, application_name as application, client_addr::text as client,
       extract(epoch from clock_timestamp() - xact_start)::float8 as age
from engine.lock as turn
join pg_locks as locks on locks.locktype = 'transactionid' and locks.granted and locks.transactionid = turn.xmax
join pg_stat_activity as activity on activity.pid = locks.pid
where clock_timestamp() - xact_start > %(long)s::interval
order by xact_start
limit 5

-- name: prepared
select gid, extract(epoch from clock_timestamp() - prepared)::float8 as age
from pg_prepared_xacts
where database = current_database() and clock_timestamp() - prepared > %(long)s::interval
order by prepared
limit 5

-- name: slots
select slot_name as name, active, coalesce(wal_status, '') as wal_status, greatest(age(xmin), age(catalog_xmin)) as xmin_age,
       pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end,
                       restart_lsn)::bigint as kept
from pg_replication_slots
order by slot_name

-- name: notification_queue
select pg_notification_queue_usage() as usage

-- name: deaf_sessions
-- Their last statement was LISTEN, and the server can not hand them what they asked for.
select pid, usename as user, application_name as application, client_addr::text as client,
       backend_xmin is not null as pins
from pg_stat_activity
where datname = current_database() and wait_event = 'ClientWrite' and query ~* '^\s*listen\y'

-- name: listening_transactions
select pid, usename as user, application_name as application, client_addr::text as client
from pg_stat_activity
where datname = current_database() and application_name = 'scrapersky listener' and state like 'idle in transaction%%'

-- name: connections
select current_setting('max_connections')::integer - reserved.connections as room, reserved.connections as reserved,
       (select rolconnlimit from pg_roles where rolname = current_user) as role_limit,
       (select datconnlimit from pg_database where datname = current_database()) as database_limit,
       count(*) filter (where application_name like 'scrapersky %%' and datname = current_database()
                          and pid <> pg_backend_pid()) as ours,
       count(*) filter (where not coalesce(application_name like 'scrapersky %%' and datname = current_database(), false)
       ) as others
from pg_stat_activity
cross join (select current_setting('superuser_reserved_connections')::integer
                   + coalesce(current_setting('reserved_connections', true), '0')::integer) as reserved (connections)
where backend_type = 'client backend'
group by reserved.connections

-- name: clock
select clock_timestamp() as now

-- name: workers
select host, pid, version, draining, workflows,
       extract(epoch from clock_timestamp() - last_beat)::float8 as silent
from engine.worker
order by host, pid

-- name: listeners
-- A killed one stays for an hour; one that starts has not heard its first echo yet.
select host, pid, hears, trouble, extract(epoch from clock_timestamp() - since)::float8 < 2 * extract(epoch from echo) as is_new,
       exists (select 1 from engine.lease where holder = listener.id and awake
                                            and clock_timestamp() between renewed_at and expires_at) as is_awake
from engine.listener
where last_seen > clock_timestamp() - greatest(3 * echo, interval '15 seconds')
order by host, pid

-- name: sweeping
select (select count(*) from pg_stat_activity
        where datname = current_database() and application_name = 'scrapersky sweeper') as sessions,
       extract(epoch from clock_timestamp() - max(swept_at))::float8 as last_pass,
       coalesce(clock_timestamp() - max(swept_at) < 3 * max(every), false) as is_recent
from engine.sweep_position

-- name: lost_claims
select count(*) as rows
from engine.job
where token is not null and not exists (select 1 from engine.worker where worker.id = job.worker_id)

-- name: stopped
select name, paused, paused_reason, engine.is_stopped(workflow.*) as stopped, blocked_reason, blocked_until,
       array_remove(array[
           case when max_in_flight = 0 then 'max_in_flight' end, case when per_minute = 0 then 'per_minute' end,
           case when per_day = 0 then 'per_day' end], null) as closed
from engine.workflow
order by name

-- name: strangers
select name from engine.workflow where name <> all(%(names)s)

-- name: data_directory
-- The view shows it only to those who may know it.
select (select setting from pg_settings where name = 'data_directory') as path, inet_server_addr() is null as is_local
