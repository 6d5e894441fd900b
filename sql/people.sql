-- What protects the people whom rows are about.
-- Applied again whenever its part of the engine changed (db/engine_schema.py), so each statement must be harmless the second time.

-- Taken by those who write contacts and by those who list who must not be contacted: sql/suppressions.sql. One row; a
-- listing counts it up, so that a transaction with an older view of the database finds out.
create table if not exists engine.suppression_lock (
    id boolean primary key default true,
    listings bigint not null default 0,
    constraint there_is_one_row check (id)
);
insert into engine.suppression_lock default values on conflict do nothing;

-- Sessions of the dashboard that were ended by their users, until the cookie would have expired.
create table if not exists engine.ended_session (
    id text primary key,
    ended_at timestamptz not null default clock_timestamp()
);
