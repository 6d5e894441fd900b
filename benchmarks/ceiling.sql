-- What pure SQL can do with the same tables: claim 100 rows, complete them, in two transactions. pgbench calls these.

create or replace function bench_claim(client integer) returns void language plpgsql as $$
declare
    claim uuid := ('00000000-0000-0000-0000-' || lpad(client::text, 12, '0'))::uuid;
    taken text[];
begin
    with jobs as (
        update engine.job set token = claim, worker_id = claim, attempt = attempt + 1, started_at = clock_timestamp()
        where ctid = any(array(
            select ctid from engine.job
            where workflow = 'noop' and token is null and not dead and run_at <= now()
            order by priority, run_at limit 100 for update skip locked))
        returning pk
    )
    select array_agg(pk) into taken from jobs;
    update wide set status = 'Processing' where id = any(taken::uuid[]) and status = 'Queued';
end
$$;

create or replace function bench_end(client integer) returns void language plpgsql as $$
declare
    claim uuid := ('00000000-0000-0000-0000-' || lpad(client::text, 12, '0'))::uuid;
    ended text[];
begin
    with jobs as (delete from engine.job where token = claim returning pk)
    select array_agg(pk) into ended from jobs;
    update wide set status = 'Done' where id = any(ended::uuid[]) and status = 'Processing';
end
$$;
