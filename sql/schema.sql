-- The engine's own tables. The user's tables get triggers, and nothing else.
-- Applied again whenever its part of the engine changed (db/engine_schema.py), so each statement must be harmless the second time.

create schema if not exists engine;

-- One row per workflow. declared_* is written by migrate; the plain columns beside them are the operator's
-- and override what was declared, so a deploy never undoes them.
create table if not exists engine.workflow (
    name text primary key,
    table_name text not null,
    status_column text not null,
    queued text not null,
    processing text not null,
    done text not null,
    failed text not null,
    declared_max_in_flight integer,
    declared_batch integer not null,
    declared_max_attempts integer not null,
    paused boolean not null default false,
    paused_reason text,
    max_in_flight integer,
    batch integer,
    max_attempts integer,
    constraint max_in_flight_is_not_negative check (max_in_flight >= 0),
    constraint batch_is_positive check (batch > 0),
    constraint max_attempts_is_positive check (max_attempts > 0)
);

-- A budget counts rows begun. blocked_* is the engine's: a workflow stopped it, because no row can succeed (a wrong key,
-- a quota used up). Without blocked_until it stays so until the workers start again or somebody sets paused to false.
alter table engine.workflow
    add column if not exists declared_per_minute integer,
    add column if not exists declared_per_day integer,
    add column if not exists day_zone text not null default 'UTC',
    add column if not exists per_minute integer check (per_minute >= 0),
    add column if not exists per_day integer check (per_day >= 0),
    add column if not exists blocked_reason text,
    add column if not exists blocked_until timestamptz;

-- What engine.explain must know besides: where the rows are, and what else may hold them back. Written by migrate.
alter table engine.workflow
    add column if not exists relation regclass,
    add column if not exists key_column text,
    add column if not exists error_column text,
    add column if not exists result_column text,
    add column if not exists curation_column text,
    add column if not exists declared_at_once integer,
    add column if not exists politeness_group text,
    add column if not exists declared_time_limit interval,
    add column if not exists declared_longest_claim interval;

-- The workflow that works on what this one makes, and how many rows may wait for it before this one starts no more.
alter table engine.workflow
    add column if not exists feeds text,
    add column if not exists declared_max_downstream integer,
    add column if not exists max_downstream integer check (max_downstream > 0);

-- What was begun in the current minute and the current day of a workflow that has a budget.
create table if not exists engine.usage (
    workflow text not null,
    period text not null,
    starts_at timestamptz not null,
    used integer not null,
    primary key (workflow, period)
) with (fillfactor = 50);

-- What happened in each minute, for plots: counted by worker processes in memory and written with their beats, so that
-- no row's transaction knows of it. Pruned by age. docs/decisions/0010 says why.
create table if not exists engine.rate (
    workflow text not null,
    minute timestamptz not null,
    completed bigint not null default 0,
    retried bigint not null default 0,
    failed bigint not null default 0,
    other bigint not null default 0,
    worked_seconds float8 not null default 0,
    started bigint not null default 0,
    waited_seconds float8 not null default 0,
    longest_wait_seconds float8 not null default 0,
    primary key (workflow, minute)
) with (fillfactor = 70);

-- One row per business row that is wanted, running or dead. Narrow and short-lived.
create table if not exists engine.job (
    workflow text not null,
    pk text collate "C" not null,
    generation bigint not null default 1,
    priority integer not null default 0,
    key text,
    attempt integer not null default 0,
    lost integer not null default 0,
    run_at timestamptz not null default now(),
    token uuid,
    worker_id uuid,
    started_at timestamptz,
    dead boolean not null default false,
    last_error text,
    engine_xid xid8,
    primary key (workflow, pk),
    constraint a_claim_has_a_worker check ((token is null) = (worker_id is null)),
    constraint a_dead_job_is_not_claimed check (not (dead and token is not null))
) with (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 0
);

create index if not exists job_ready on engine.job (workflow, priority, run_at) where token is null and not dead;
create index if not exists job_dead on engine.job (workflow) where dead;
-- Running jobs by claim, and by key. When nothing ran at the last ANALYZE, all indexes of running jobs look equally
-- cheap, and one may be read from end to end. So each has a condition of its own: token and worker_id are null together.
create index if not exists job_running on engine.job (workflow, token) where token is not null;
create index if not exists job_running_key on engine.job (key) where worker_id is not null and key is not null;

-- The waiting rows of polite workflows, key after key.
create index if not exists job_of_key on engine.job (workflow, priority, key collate "C", run_at)
    where token is null and not dead and key is not null;

-- The statement that submitted it; null when the sweep did.
alter table engine.job add column if not exists submission_id bigint;

-- How often in a row the database refused to change the business row; null for almost every job.
alter table engine.job add column if not exists unwritable integer;

-- Rows that are only ever locked, one per workflow: claims of a workflow with a limit come one after the other and lock it. Written by migrate. Nobody but the engine's roles may lock them, unlike an advisory lock.
create table if not exists engine.lock (
    name text primary key
);

-- When the next run for a politeness key may start. A claim locks the rows of the keys that it takes.
create table if not exists engine.pace (
    key text primary key,
    next_start timestamptz not null
) with (fillfactor = 70);
alter table engine.pace drop column if exists first_slot, drop column if exists last_slot, drop column if exists last_priority;

-- One row per worker process boot. No index holds beats, so a beat is a HOT update.
create table if not exists engine.worker (
    id uuid primary key,
    supervisor uuid,
    host text not null,
    pid integer not null,
    version text not null,
    beats bigint not null default 0,
    started_at timestamptz not null default now(),
    last_beat timestamptz not null default now(),
    draining boolean not null default false
) with (fillfactor = 50);

-- An operator's word: claim nothing, until it is taken back. No index holds it either.
alter table engine.worker add column if not exists drain_wanted boolean not null default false;

-- Which workflows it takes, and how often it beats; null for a process from before these columns.
alter table engine.worker
    add column if not exists workflows text[],
    add column if not exists beat interval;

-- Claims whose run is over and whose result waits for a lock, and how often the process has said so. Written only while
-- there are any: a claim that its worker still brings is not overdue.
alter table engine.worker
    add column if not exists late uuid[],
    add column if not exists late_said bigint not null default 0;

-- One row per listener, in a worker process or in one of its own. Written together with the echo, which is a commit anyway.
create table if not exists engine.listener (
    id uuid primary key,
    host text not null,
    pid integer not null,
    poll interval not null,
    echo interval not null,
    hears boolean not null,
    trouble text,
    since timestamptz not null default clock_timestamp(),
    last_seen timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- One row: whether a listener is awake and finds by looking what becomes queued, so that triggers need ring nobody. It has to
-- be renewed all the time; a holder that is not awake any more still looks for what was queued in silence.
-- docs/decisions/0020 says why nothing is lost. Written a few times a second at most, read by every submission.
create table if not exists engine.lease (
    id integer primary key default 1,
    holder uuid,
    awake boolean not null default false,
    renewed_at timestamptz not null default '-infinity',
    expires_at timestamptz not null default '-infinity',
    constraint there_is_one_lease check (id = 1)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
insert into engine.lease default values on conflict (id) do nothing;

-- What became of attempts: failures always, successes when SCRAPERSKY_KEEP_SUCCESSES is set. Pruned by age.
create table if not exists engine.attempt (
    id bigint generated always as identity primary key,
    workflow text not null,
    pk text collate "C" not null,
    generation bigint not null,
    attempt integer not null,
    outcome text not null,
    error text,
    worker_id uuid,
    started_at timestamptz,
    ended_at timestamptz not null default clock_timestamp()
);
alter table engine.attempt add column if not exists submission_id bigint;
create index if not exists attempt_of_row on engine.attempt (workflow, pk);
create index if not exists attempt_by_age on engine.attempt using brin (ended_at);

-- Who queued what: one row per submitting statement. Pruned by age.
create table if not exists engine.submission (
    id bigint generated always as identity primary key,
    workflow text not null,
    rows bigint not null,
    role text not null,
    application_name text not null,
    client_addr inet,
    submitted_at timestamptz not null default clock_timestamp()
);
create index if not exists submission_by_age on engine.submission using brin (submitted_at);

-- Where the bounded sweep of a table goes on next time.
create table if not exists engine.sweep_position (
    name text primary key,
    next_block bigint not null default 0
);
-- When that was, how often it happens, and how much of the table it takes at a time.
alter table engine.sweep_position
    add column if not exists swept_at timestamptz,
    add column if not exists every interval,
    add column if not exists pass_blocks integer;

-- What the last pass over each workflow found. Kept for those who may not read business tables, as a scrape of metrics.
create table if not exists engine.sweep (
    workflow text primary key,
    ended_at timestamptz not null,
    lost_claims bigint not null,
    missed_rows bigint not null,
    orphaned_rows bigint not null,
    idle_jobs bigint not null
) with (fillfactor = 50);

-- Claims that outlived every limit of their workflow although their worker lives.
alter table engine.sweep add column if not exists overdue_claims bigint not null default 0;

-- Rows that prove the whole path, put there and removed by `scrapersky doctor`. A trigger keeps their times.
create table if not exists engine.canary (
    id uuid primary key,
    status text not null,
    error text,
    submitted_at timestamptz not null default clock_timestamp(),
    nudged_at timestamptz,
    claimed_at timestamptz,
    ran_at timestamptz,
    recorded_at timestamptz,
    constraint status_is_known check (status in ('Queued', 'Processing', 'Done', 'Failed'))
);

-- What operators did, by command, dashboard or hand-typed SQL. Pruned by age.
-- Whoever writes a row need not say who connects: the server knows.
create table if not exists engine.action (
    id bigint generated always as identity primary key,
    happened_at timestamptz not null default clock_timestamp(),
    operator text not null,
    action text not null,
    workflow text,
    rows bigint,
    detail jsonb not null default '{}',
    role text not null default coalesce(nullif(current_setting('role'), 'none'), session_user),
    application_name text not null default current_setting('application_name'),
    client_addr inet default inet_client_addr()
);
