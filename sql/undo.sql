-- What curators changed in bulk, with the words that the rows had before, so that it can be taken back for a while.
-- Applied again whenever its part of the engine changed (db/engine_schema.py), so each statement must be harmless the second time.

create table if not exists engine.curation (
    id bigint generated always as identity primary key,
    changed_at timestamptz not null default clock_timestamp(),
    operator text not null,
    kind text not null,
    word text not null,
    rows bigint not null default 0,
    undone_at timestamptz
);

create index if not exists curation_of_operator on engine.curation (operator, kind, id);

-- The row as it was before the change. `standing` is where its processing stood when the change was taken back.
create table if not exists engine.curated_row (
    curation bigint not null references engine.curation on delete cascade,
    pk text not null,
    word text not null,
    processing text,
    error text,
    undone boolean not null default false,
    standing text,
    primary key (curation, pk)
);

create index if not exists curated_row_by_row on engine.curated_row (pk, curation);
