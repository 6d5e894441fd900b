"""`make bench`: throughput, pickup, the price of the trigger and memory, side by side with PgQueuer and pgbench.

All in one run on one server, because machines differ and are noisy: read the ratios before the figures.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict
from rich.console import Console
from rich.table import Table

from benchmarks.stage import drained, one, pause, queue_all, resident_megabytes, stage, wait_until, workers
from db.embedded import bin_directory

HERE = Path(__file__).parent
PEER = HERE.parent / ".venv-bench" / "bin" / "python"
PICKUPS = 300


def throughput(url: str, user: Connection, rows: int, processes: int) -> tuple[float, float]:
    """Rows per second from resume to the last row done, and the memory of a worker process after it."""
    queue_all(user)
    with workers(url, user, processes) as started:
        began = time.perf_counter()
        pause(user, paused=False)
        wait_until(lambda: drained(user))
        rate = rows / (time.perf_counter() - began)
        return rate, max(resident_megabytes(process.pid) for process in started)


def pickups(url: str, user: Connection) -> tuple[float, float]:
    """Milliseconds from a user's commit to the start of the row's run, p50 and p99, on an idle system."""
    pause(user, paused=False)
    ids = [row[0] for row in user.execute("select id from wide limit %s", [PICKUPS]).fetchall()]
    waits = []
    with workers(url, user, 1):
        time.sleep(1)
        for number, identity in enumerate(ids):
            user.execute("update wide set pickup_status = 'Queued' where id = %s", [identity])
            committed = time.time()
            wait_until(lambda: one(user, "select count(*) from engine.job where workflow = 'pickup'") == 0)
            row = user.execute("select picked_up_at from wide where id = %s", [identity]).fetchone()
            if number >= PICKUPS // 10 and row is not None:
                waits.append((row[0] - committed) * 1000)
            time.sleep(0.01)
    return statistics.median(waits), statistics.quantiles(waits, n=100)[98]


def bulk_update(user: Connection) -> tuple[float, float, int]:
    """Seconds for one UPDATE that queues every row: with our trigger, and without any."""
    pause(user, paused=True)
    with_trigger, without = [], []
    for _ in range(3):
        for action, times in (("enable", with_trigger), ("disable", without)):
            user.execute(f"alter table wide {action} trigger all")
            user.execute("update wide set status = null")
            user.execute("delete from engine.job")
            user.execute("vacuum analyze wide, engine.job")
            began = time.perf_counter()
            rows = user.execute("update wide set status = 'Queued'").rowcount
            times.append(time.perf_counter() - began)
    user.execute("alter table wide enable trigger all")
    return statistics.median(with_trigger), statistics.median(without), rows


def peer(url: str, user: Connection, rows: int, processes: int, what: str) -> float:
    subprocess.run([PEER, HERE / "peer_pgqueuer.py", url, str(rows), "fill"], check=True)
    user.execute("vacuum analyze")
    command = [PEER, HERE / "peer_pgqueuer.py", url, str(rows), what]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    for process in started:
        process.stdout.readline()
    began = time.perf_counter()
    for process in started:
        process.stdin.write("go\n")
        process.stdin.flush()
    wait_until(lambda: one(user, "select count(*) from pgqueuer") == 0)
    rate = rows / (time.perf_counter() - began)
    for process in started:
        process.communicate()
    return rate


def ceiling(url: str, user: Connection, rows: int, clients: int) -> float:
    """The same claim and completion as pure SQL in batches of 100."""
    user.execute((HERE / "ceiling.sql").read_text())
    queue_all(user)
    script = "select bench_claim(:client_id);\nselect bench_end(:client_id);\n"
    target = conninfo_to_dict(url)
    options = ["-n", "-c", str(clients), "-j", str(clients), "-t", str(rows // 100 // clients), "-f", "-"]
    command = [bin_directory() / "pgbench", *options, "-h", target["host"], "-U", target["user"], target["dbname"]]
    began = time.perf_counter()
    subprocess.run(command, input=script, text=True, check=True, capture_output=True)
    return rows / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=40_000, help="rows for throughput (default 40,000)")
    parser.add_argument("--bulk", type=int, default=100_000, help="rows for the bulk UPDATE (default 100,000)")
    arguments = parser.parse_args()
    console = Console()
    table = Table(
        "what", "one", "two", title=f"{arguments.rows:,} rows of 1 kB with five indexes", title_justify="left"
    )
    with stage(arguments.rows) as (url, user), console.status("measuring") as progress:
        ours, memory = [], 0.0
        for processes in (1, 2):
            progress.update(f"ScraperSky, {processes} process(es)")
            rate, used = throughput(url, user, arguments.rows, processes)
            ours.append(rate)
            memory = max(memory, used)
        table.add_row("ScraperSky, status on the business row", *(f"{rate:,.0f} rows/s" for rate in ours))
        subprocess.run([PEER, HERE / "peer_pgqueuer.py", url, "0", "install"], check=True)
        for what, label in (("noop", "PgQueuer, own table only"), ("status", "PgQueuer, status on the business row")):
            progress.update(label)
            rates = [peer(url, user, arguments.rows, processes, what) for processes in (1, 2)]
            table.add_row(label, *(f"{rate:,.0f} rows/s" for rate in rates))
            table.add_row(
                "  ScraperSky to PgQueuer", *(f"{mine / its:.2f} x" for mine, its in zip(ours, rates, strict=True))
            )
        progress.update("pgbench")
        rates = [ceiling(url, user, arguments.rows, clients) for clients in (1, 2)]
        table.add_row("pgbench, the same in pure SQL by 100", *(f"{rate:,.0f} rows/s" for rate in rates))
        progress.update("pickup")
        half, most = pickups(url, user)
    with stage(arguments.bulk) as (_, user), console.status("bulk update"):
        mine, bare, rows = bulk_update(user)
    console.print(table)
    console.print(f"pickup at idle, commit to start   p50 {half:.1f} ms   p99 {most:.1f} ms")
    console.print(f"UPDATE of {rows:,} rows   {mine:.2f} s with trigger   {bare:.2f} s without   {mine / bare:.2f} x")
    console.print(f"memory of a worker process   {memory:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
