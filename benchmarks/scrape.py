"""What one scrape of /metrics costs the database; `python -m benchmarks.scrape` prints it.

Fills the real tables, 1,000,000 business rows of which 100,000 are wanted, and reads the figures as the exporter does:
first as autovacuum leaves engine.job, then right after every job was rewritten and nothing was vacuumed. Time on the
processor says more than time on the clock, on a machine that has other things to do.
"""

import argparse
import statistics
import time
from collections.abc import Callable

from psycopg import Connection
from rich.console import Console
from rich.table import Table

from app.figures import read_figures
from benchmarks.processes import session_seconds
from benchmarks.stage import migrated
from db.connections import open_pool

ROUNDS = 30
PAGES_OF_A_DOMAIN = 9

DOMAINS = "insert into domains (domain) select 'site' || n || '.com' from generate_series(1, %s) as n"
PAGES = """
insert into pages (domain_id, url, title, priority_level, page_processing_status)
select domains.id, 'https://' || domain || '/' || n, repeat('t', 200), n %% 3, case when random() < %s then 'Queued' end
from domains cross join generate_series(1, %s) as n
"""
# A tenth is delayed, a tenth is dead, and some hundred run.
SPREAD = """
update engine.job set run_at = now() + interval '1 hour' where random() < 0.1;
update engine.job set dead = true where random() < 0.1;
update engine.job set token = gen_random_uuid(), worker_id = gen_random_uuid(), started_at = now()
where ctid = any(array(select ctid from engine.job where not dead limit 300));
"""
REWRITE = "update engine.job set run_at = run_at - interval '1 second'"


def measure(connection: Connection) -> tuple[float, float]:
    """Median milliseconds of a scrape's statements: on the clock, and on the server's processor."""
    clock, processor = [], []
    read_figures(connection)
    for _ in range(ROUNDS):
        used, began = session_seconds(connection), time.perf_counter()
        read_figures(connection)
        clock.append((time.perf_counter() - began) * 1000)
        processor.append((session_seconds(connection) - used) * 1000)
    return statistics.median(clock), statistics.median(processor)


def fill(user: Connection, rows: int, jobs: int) -> None:
    domains = rows // (PAGES_OF_A_DOMAIN + 1)
    user.execute("update engine.workflow set paused = true")
    user.execute(DOMAINS, [domains])
    user.execute(PAGES, [jobs * 0.75 / (domains * PAGES_OF_A_DOMAIN), PAGES_OF_A_DOMAIN])
    user.execute("update domains set sitemap_analysis_status = 'queued' where random() < %s", [jobs * 0.25 / domains])
    user.execute(SPREAD)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="business rows (default 1,000,000)")
    parser.add_argument("--jobs", type=int, default=100_000, help="of which wanted (default 100,000)")
    arguments = parser.parse_args()
    console = Console()
    table = Table("engine.job", "jobs", "on the clock", "on the processor")
    states: dict[str, Callable[[Connection], object]] = {
        "vacuumed": lambda user: user.execute("vacuum analyze"),
        "just rewritten": lambda user: user.execute(REWRITE),
    }
    with migrated() as (url, user), console.status("filling") as progress:
        fill(user, arguments.rows, arguments.jobs)
        user.execute("alter table engine.job set (autovacuum_enabled = off)")
        pool = open_pool(url, size=1, name="benchmark")
        for state, bring_about in states.items():
            progress.update(f"measuring: {state}")
            bring_about(user)
            count = user.execute("select count(*) from engine.job").fetchone()[0]
            with pool.connection() as connection:
                clock, processor = measure(connection)
            table.add_row(state, f"{count:,}", f"{clock:.1f} ms", f"{processor:.1f} ms")
        pool.close()
    table.title = f"A scrape with {arguments.rows:,} business rows, median of {ROUNDS}"
    console.print(table)


if __name__ == "__main__":
    main()
