"""What a question costs: `engine.explain` and `engine.history` on a full database, for several answers.

    .venv/bin/python -m benchmarks.why --pages 1000000 --jobs 100000

Prints p50 and p99 in milliseconds as a client sees them, on a session that is open, and the processor time of the
server per question: on a busy machine that is the figure to trust.
"""

import argparse
import statistics
import time

import psycopg
from psycopg import Connection
from rich.console import Console
from rich.table import Table

from benchmarks.processes import session_seconds
from benchmarks.stage import migrated

PAGES_PER_DOMAIN = 100

FILL = """
insert into domains (domain) select 'site-' || n || '.com' from generate_series(1, %(domains)s) as n;
insert into pages (domain_id, url, title, priority_level)
select domains.id, 'https://' || domain || '/page-' || n, repeat(md5(n::text), 8), n %% 3
from domains, generate_series(1, %(per_domain)s) as n;
update pages set page_processing_status = 'Queued' where id in (select id from pages limit %(jobs)s);
update pages set page_processing_status = 'Complete' where id in (
    select id from pages where page_processing_status is null limit %(jobs)s);
insert into engine.attempt (workflow, pk, generation, attempt, outcome, error)
select workflow, pk, 1, n, 'retried', 'no answer' from engine.job, generate_series(1, 3) as n;
insert into engine.worker (id, host, pid, version, beat) select gen_random_uuid(), 'mill', n, '1', '1 day'
from generate_series(1, 20) as n;
insert into engine.listener (id, host, pid, poll, echo, hears)
values (gen_random_uuid(), 'mill', 1, '1 s', '1 day', true);
vacuum analyze domains; vacuum analyze pages; vacuum analyze engine.job; vacuum analyze engine.attempt
"""
WAITING = "select pk from engine.job where token is null and not dead order by priority {0}, run_at {0}, pk limit {1}"
CLAIM = """
update engine.job set token = gen_random_uuid(), worker_id = (select id from engine.worker limit 1), started_at = now(),
       attempt = 1, key = null where pk = any(%(pks)s);
update pages set page_processing_status = 'Processing' where id = any(%(pks)s::uuid[])
"""
RETRY = """update engine.job set run_at = now() + interval '1 hour', last_error = 'no answer', attempt = 2
           where pk = any(%(pks)s)"""
SPARE = """update engine.job set key = pk where pk = any(%(pks)s);
           insert into engine.pace select unnest(%(pks)s::text[]), now() + interval '1 hour'"""
FAIL = """update engine.job set dead = true, last_error = 'gone' where pk = any(%(pks)s);
          update pages set page_processing_status = 'Error' where id = any(%(pks)s::uuid[])"""


def ids(user: Connection, query: str) -> list[str]:
    return [str(row[0]) for row in user.execute(query.encode()).fetchall()]


def prepare(user: Connection, pages: int, jobs: int) -> dict[str, list[str]]:
    """Rows for each answer, a hundred of each."""
    numbers = {"domains": pages // PAGES_PER_DOMAIN, "per_domain": PAGES_PER_DOMAIN, "jobs": jobs}
    with psycopg.ClientCursor(user) as cursor:
        for statement in FILL.split(";"):
            cursor.execute(statement.encode(), numbers)
        rows = {
            "ready": ids(user, WAITING.format("asc", 100)),
            "ready, at the end of the queue": ids(user, WAITING.format("desc", 100)),
            "done": ids(user, "select id from pages where page_processing_status = 'Complete' limit 100"),
            "never_queued": ids(user, "select id from pages where page_processing_status is null limit 100"),
        }
        answers = {"running": CLAIM, "not_due": RETRY, "failed": FAIL, "spared": SPARE}
        others = ids(user, WAITING.format("desc", 500))[100:]
        for number, (name, change) in enumerate(answers.items()):
            rows[name] = others[number * 100 : number * 100 + 100]
            cursor.execute(change.encode(), {"pks": rows[name]})
    user.execute("set session_replication_role = replica")
    rows["no_job"] = ids(user, "select id from pages where page_processing_status is null offset 1000 limit 100")
    user.execute("update pages set page_processing_status = 'Queued' where id = any(%s::uuid[])", [rows["no_job"]])
    user.execute("reset session_replication_role")
    return rows


def measure(user: Connection, question: str, rows: list[str], expected: str | None) -> tuple[float, float, float]:
    """Milliseconds: p50, p99 and the processor's mean."""
    times = []
    before = session_seconds(user)
    for row in rows * 3:
        began = time.perf_counter()
        answer = user.execute(f"select * from engine.{question}('pages', %s)".encode(), [row]).fetchall()
        times.append((time.perf_counter() - began) * 1000)
        if expected is not None and answer[0][1] != expected:
            raise SystemExit(f"expected {expected}, was told {answer[0]}")
    return (
        statistics.median(times),
        statistics.quantiles(times, n=100)[98],
        (session_seconds(user) - before) * 1000 / len(times),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=100_000)
    options = parser.parse_args()
    table = Table(title=f"{options.pages:,} pages, {options.jobs:,} jobs; milliseconds")
    for name in ("answer", "p50", "p99", "processor"):
        table.add_column(name, justify="left" if name == "answer" else "right")
    with migrated() as (url, user), psycopg.connect(url) as other:
        rows = prepare(user, options.pages, options.jobs)
        for name, some in rows.items():
            figures = measure(user, "explain", some, name.partition(",")[0])
            table.add_row(name, *(f"{figure:.1f}" for figure in figures))
        other.execute("select 1 from pages where id = any(%s::uuid[]) for update", [rows["ready"]])
        figures = measure(user, "explain", rows["ready"], "locked")
        table.add_row("locked", *(f"{figure:.1f}" for figure in figures))
        other.rollback()
        user.execute("update engine.workflow set paused = true")
        figures = measure(user, "explain", rows["ready"], "paused")
        table.add_row("paused", *(f"{figure:.1f}" for figure in figures))
        figures = measure(user, "history", rows["not_due"], None)
        table.add_row("the history of a row", *(f"{figure:.1f}" for figure in figures))
    Console().print(table)


if __name__ == "__main__":
    main()
