"""Rows that do nothing: what an engine itself costs, beside pure SQL and the peers, in interleaved rounds."""

import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict

from benchmarks import peers
from benchmarks.crawl_run import postmaster
from benchmarks.processes import family, megabytes, processor_seconds
from benchmarks.section import Options, Plot, Section, middle, ratio
from benchmarks.stage import drained, pause, queue_all, stage, wait_until, workers
from db.embedded import bin_directory

HERE = Path(__file__).parent
OURS, CEILING = "ScraperSky, status on the business row", "pgbench, the same in pure SQL by 100"
CLAIM = "select bench_claim(:client_id);\nselect bench_end(:client_id);\n"
STATUS = "status on the business row"


class Counters:
    """What one run of ours costs, for one row: processor time and what the server counts."""

    QUERY = """
    select xact_commit + xact_rollback, pg_current_wal_lsn() - '0/0',
           (select sum(n_tup_upd) from pg_stat_user_tables where relname = 'wide'),
           (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables where schemaname = 'engine')
    from pg_stat_database where datname = current_database()
    """

    def __init__(self, user: Connection[Any], pids: list[int]) -> None:
        self.user, self.pids, self.postmaster = user, pids, postmaster(user)
        self.processor = self._processor()
        self.counted = self._counted()

    def _processor(self) -> tuple[float, float]:
        return processor_seconds(self.pids), processor_seconds(family(self.postmaster))

    def _counted(self) -> list[float]:
        self.user.execute("select pg_stat_force_next_flush()")
        return [float(number) for number in self.user.execute(self.QUERY).fetchone()]

    def stop_the_clock(self) -> None:
        self.processor = tuple(now - then for now, then in zip(self._processor(), self.processor, strict=True))

    def for_each(self, rows: int) -> dict[str, float]:
        """To be asked when the sessions of the workers have ended, for they tell their counts late."""
        names = ("transactions", "wal_bytes", "heap_updates", "engine_tuples")
        told = {name: (now - then) / rows for name, now, then in zip(names, self._counted(), self.counted, strict=True)}
        worker, server = (seconds / rows * 1e6 for seconds in self.processor)
        return {**told, "worker_us": worker, "server_us": server}


def ours(
    url: str,
    user: Connection[Any],
    rows: int,
    processes: int,
    queue: Callable[[Connection[Any]], None] = queue_all,
) -> dict[str, float]:
    """Rows per second from resume to the last row done, and what a row costs."""
    queue(user)
    with workers(url, user, processes) as started:
        pids = [process.pid for process in started]
        counters, began = Counters(user, pids), time.perf_counter()
        pause(user, paused=False)
        wait_until(lambda: drained(user))
        rate = rows / (time.perf_counter() - began)
        counters.stop_the_clock()
        memory = max(megabytes([pid]) for pid in pids)
    return {"rate": rate, "memory": memory, **counters.for_each(rows)}


def ceiling(url: str, user: Connection[Any], rows: int, clients: int) -> dict[str, float]:
    """The same claim and completion as pure SQL in batches of 100."""
    user.execute((HERE / "ceiling.sql").read_text())
    queue_all(user)
    counters, began = Counters(user, []), time.perf_counter()
    pgbench(url, CLAIM, "-c", str(clients), "-j", str(clients), "-t", str(rows // 100 // clients))
    rate = rows / (time.perf_counter() - began)
    counters.stop_the_clock()
    return {"rate": rate, **counters.for_each(rows)}


def pgbench(url: str, script: str, *options: str) -> str:
    target = conninfo_to_dict(url)
    where = ["-h", target["host"], "-U", target["user"], target["dbname"]]
    command = [bin_directory() / "pgbench", "-n", *options, "-f", "-", *where]
    return subprocess.run(command, input=script, text=True, check=True, capture_output=True).stdout


def measure(options: Options, tell: Callable[[str], None]) -> Section:
    rates: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    costs: dict[int, list[dict[str, float]]] = defaultdict(list)
    with stage(options.rows) as (url, user), peers.dramatiq_over_rabbitmq() as dramatiq:
        others = [peers.PGQUEUER, peers.AWA, peers.PROCRASTINATE, *([dramatiq] if dramatiq else [])]
        for peer in others:
            peers.prepare(peer, url, user, 0, "install")
        contests = [(peer, what) for peer in others for what in ("noop", "status")] + [(peers.APSCHEDULER, "status")]
        for turn in range(options.rounds):
            for processes in (1, 2):
                tell(f"rows: round {turn + 1} with {processes} process(es)")
                costs[processes].append(mine := ours(url, user, options.rows, processes))
                rates[OURS][processes].append(mine["rate"])
                rates[CEILING][processes].append(ceiling(url, user, options.rows, processes)["rate"])
                for peer, what in contests:
                    if peer is peers.APSCHEDULER and processes > 1:
                        continue
                    rate = peers.measure(peer, url, user, options.rows, processes, what)
                    rates[f"{peer.label}, {STATUS if what == 'status' else peer.alone}"][processes].append(rate)
    return section(options, rates, costs, has_dramatiq=dramatiq is not None)


def section(
    options: Options,
    rates: dict[str, dict[int, list[float]]],
    costs: dict[int, list[dict[str, float]]],
    *,
    has_dramatiq: bool,
) -> Section:
    made = Section(
        f"{options.rows:,} rows of 1 kB with five indexes, which do nothing: rows/s",
        ["", "one process", "two processes", "ScraperSky to it, one / two"],
        raw={"rates": rates, "costs": costs},
    )
    for label, by_processes in rates.items():
        cells = [middle(by_processes[number]) if by_processes[number] else "" for number in (1, 2)]
        ratios = {number: ratio(rates[OURS][number], by_processes[number]) for number in (1, 2) if by_processes[number]}
        made.rows.append([label, *cells, " / ".join(f"{value:.2f}" for value in ratios.values())])
        for number, value in ratios.items():
            made.values[f"{label}, {number}"] = value
    for number, some in costs.items():
        for name in some[0]:
            made.values[f"{name}, {number}"] = statistics.median(cost[name] for cost in some)
    made.notes = [
        cost_of_a_row(made.values),
        "Slow peers get a share of the rows. What a peer acknowledges after its last row is not counted against it.",
        "The old APScheduler loop took 20 rows a minute by its settings; here its ticks follow each other at once.",
        *([] if has_dramatiq else ["RabbitMQ is not installed here, so Dramatiq was left out."]),
    ]
    bars = {label: statistics.median(by_processes[1]) for label, by_processes in rates.items()}
    made.plots = [Plot("rows", "no-op rows, one process", "rows/s", bars=bars)]
    return made


def cost_of_a_row(values: dict[str, float]) -> str:
    worker, server, transactions, updates, wal, memory = (
        values[f"{name}, 1"]
        for name in ("worker_us", "server_us", "transactions", "heap_updates", "wal_bytes", "memory")
    )
    return (
        f"A row of ours costs {worker:.0f} µs of a worker's processor and {server:.0f} µs of the server's, "
        f"{transactions:.3f} transactions, {updates:.2f} updates of the business row and {wal:,.0f} bytes of WAL. "
        f"A worker process holds {memory:.0f} MB."
    )
