-- Whether the dashboard has something to show.

-- name: is_migrated
select to_regclass('engine.rate') is not null as is_migrated
