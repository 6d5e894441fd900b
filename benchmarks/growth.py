"""What becomes of the rate with many business rows, after minutes of work, and while a snapshot is pinned."""

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import psycopg
from psycopg import Connection

from benchmarks.rows import ours
from benchmarks.section import Options, Plot, Section, middle, ratio
from benchmarks.stage import COUNT_LEFT, one, pause, queue_all, stage, workers

SMALL = 10_000
WINDOW = 10.0
PIN_SECONDS = 120.0
SOME = """
update wide set status = 'Queued'
where id in (select md5((n * %s)::text)::uuid from generate_series(1, %s) as n)
"""
AGAIN = "update wide set status = 'Queued' where status = 'Done'"


def size(options: Options, tell: Callable[[str], None]) -> Section:
    """The same number of rows is queued, in a table of that size and in larger ones."""
    rates: dict[int, list[float]] = {rows: [] for rows in sorted({SMALL, 100 * SMALL, options.large})}
    with ExitStack() as stack:
        stages = {}
        for rows in rates:
            tell(f"size: filling {rows:,} rows")
            stages[rows] = stack.enter_context(stage(rows, width=50))
        for turn in range(options.rounds):
            for rows, (url, user) in stages.items():
                tell(f"size: round {turn + 1}, {rows:,} rows")
                rates[rows].append(ours(url, user, SMALL, 1, queue=lambda user: queue_some(user, SMALL))["rate"])
    made = Section("The same work in a large table: rows/s", ["business rows", "one process"], raw={"rates": rates})
    made.rows = [[f"{rows:,}", middle(values)] for rows, values in rates.items()]
    made.values = {"large to small": ratio(rates[options.large], rates[SMALL])}
    bars = {f"{rows:,} business rows": statistics.median(values) for rows, values in rates.items()}
    made.plots = [Plot("size", "the same work in larger tables", "rows/s", bars=bars)]
    return made


def queue_some(user: Connection[Any], rows: int) -> None:
    """So many rows from all over the table."""
    pause(user, paused=True)
    user.execute("update wide set status = null where status is not null")
    user.execute(SOME, [max(1, one(user, "select count(*) from wide") // rows), rows])
    user.execute("vacuum analyze wide, engine.job")


def sustained(options: Options, tell: Callable[[str], None]) -> Section:
    """Rows are queued again as they end: rates of ten seconds each, for some minutes; then with a pinned snapshot."""
    with stage(options.rows) as (url, user):
        queue_all(user)
        with workers(url, user, 1):
            tell(f"sustained: {options.minutes:g} minutes")
            calm = windows(user, options.rows, options.minutes * 60)
            tell("sustained: a snapshot is pinned")
            with psycopg.connect(url) as pinned:
                pinned.execute("set transaction isolation level repeatable read")
                pinned.execute("select count(*) from engine.workflow")
                under = windows(user, options.rows, min(PIN_SECONDS, options.minutes * 60))
            pause(user, paused=True)
    made = Section("Rows per second over time, one process", ["", "rows/s"], raw={"calm": calm, "pinned": under})
    end = statistics.median(rate for _, rate in calm[-6:])
    held = statistics.median(rate for _, rate in under[-3:])
    made.rows = [
        ["first ten seconds", f"{calm[0][1]:,.0f}"],
        [f"the last minute of {options.minutes:g}", f"{end:,.0f}"],
        ["the last half minute with a snapshot pinned", f"{held:,.0f}"],
    ]
    made.values = {"sustained": end / calm[0][1], "pinned": held / calm[0][1]}
    lines = {"calm": calm, "snapshot pinned": under}
    made.plots = [Plot("sustained", "rows per second over time", "rows/s", lines=lines)]
    return made


def windows(user: Connection[Any], rows: int, seconds: float) -> list[tuple[float, float]]:
    """The rate of each window of ten seconds; the queue never runs dry."""
    queued, began = one(user, COUNT_LEFT), time.monotonic()
    pause(user, paused=False)
    found, before, mark = [], 0, began
    while (now := time.monotonic()) - began < seconds:
        left = one(user, COUNT_LEFT)
        if now - mark >= WINDOW:
            found.append((now - began, (queued - left - before) / (now - mark)))
            before, mark = queued - left, now
        if left < rows / 2:
            queued += user.execute(AGAIN).rowcount
        time.sleep(0.5)
    return found or [(seconds, (queued - one(user, COUNT_LEFT)) / seconds)]
