"""`make bench-quick`: has anything become grossly worse? Counts and ratios of processor time, no clocks.

What the server counts (transactions, updates, bytes) is the same on a busy machine, and so, nearly, are ratios of
processor time that were measured one after the other. A limit is about twice of what is usual: it is there for the
trigger that becomes quadratic and the batch that is lost, not for a tenth. What is beyond its limit is measured once
more before it fails.
"""

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from actors.parse.contact_page import read_contact_page
from actors.parse.wire_body import WireBody, WireHead
from benchmarks import bulk_update
from benchmarks.crawl import measure_all
from benchmarks.crawl_ours import Ours
from benchmarks.crawl_pages import make_pages
from benchmarks.crawl_run import World
from benchmarks.rows import ceiling, ours
from benchmarks.stage import pause, stage
from benchmarks.trigger import OTHER, OTHER_BULK, QUEUE, commits

ROWS, COMMITTERS = 5_000, 4
WORLD = World(20, 3, 0.05, 0.5, 0.2, 0, 0, 0, 1, False)
HOST = "bench-host-00001.com"


class Limit(NamedTuple):
    least: float
    most: float


LIMITS = {
    "no-op row: transactions": Limit(0, 0.2),
    "no-op row: updates of the business row": Limit(0, 2.1),
    "no-op row: tuples written in the engine's tables": Limit(0, 4),
    "no-op row: bytes of WAL": Limit(0, 6_000),
    "no-op row: processor time of worker and server to pure SQL": Limit(0, 8),
    "trigger: processor time of an UPDATE that queues 5,000 rows, with to without": Limit(0, 9),
    "trigger: processor time of an UPDATE of another column, with to without": Limit(0, 2),
    "trigger: processor time of a commit that queues a row, with to without": Limit(0, 6),
    "trigger: processor time of a commit to another column, with to without": Limit(0, 2.5),
    "crawl: transactions per page": Limit(0, 12),
    "crawl: processor time of a page, all processes to reading it alone": Limit(0, 12),
    "crawl: connections per request": Limit(0, 1),
    "crawl: contacts per page": Limit(1, 10),
    "crawl: pages lost": Limit(0, 0),
    "crawl: pages fetched twice": Limit(0, 0),
    "crawl: requests at one host at once": Limit(1, 1),
    "crawl: shortest pause at a host to the one that is set": Limit(1, 100),
}


def rows_and_trigger() -> dict[str, float]:
    with stage(ROWS) as (url, user):
        pure = ceiling(url, user, ROWS, 1)
        mine = ours(url, user, ROWS, 1)
        pause(user, paused=True)
        bulk = {
            (statement, session): bulk_update.measure(url, user, ROWS, session, statement).processor
            for statement in (bulk_update.QUEUE, OTHER_BULK)
            for session in ("no trigger", "fresh")
        }
        single = {
            (script, trigger): commits(url, user, script, COMMITTERS, ROWS, trigger=trigger).processor
            for script in (QUEUE, OTHER)
            for trigger in (False, True)
        }
    figures = [
        *(mine[name] for name in ("transactions", "heap_updates", "engine_tuples", "wal_bytes")),
        (mine["worker_us"] + mine["server_us"]) / pure["server_us"],
        *(bulk[statement, "fresh"] / bulk[statement, "no trigger"] for statement in (bulk_update.QUEUE, OTHER_BULK)),
        *(single[script, True] / single[script, False] for script in (QUEUE, OTHER)),
    ]
    return dict(zip(list(LIMITS)[: len(figures)], figures, strict=True))


def crawl() -> dict[str, float]:
    (done,) = measure_all(WORLD, [Ours(2, 16)], 1, lambda _: None)
    figures = [
        done.transactions,
        done.cpu / reading_milliseconds(),
        done.connections,
        done.contacts / WORLD.rows,
        done.lost,
        done.twice,
        done.at_once,
        done.shortest_pause / WORLD.pause,
    ]
    return dict(zip(list(LIMITS)[-len(figures) :], figures, strict=True))


def reading_milliseconds() -> float:
    """Of this process's processor, for a page, after one round that warms up."""
    head = WireHead(f"http://{HOST}/contact", None, "text/html; charset=utf-8", 5_000_000)
    bodies = [WireBody(head, page.plain(HOST.encode())) for page in make_pages(WORLD.seed)]
    for _ in range(2):
        began = time.process_time()
        for body in bodies:
            read_contact_page([body], region="US")
    return (time.process_time() - began) * 1000 / len(bodies)


def main() -> None:
    console, found = Console(), {}
    parts: tuple[Callable[[], dict[str, float]], ...] = (rows_and_trigger, crawl)
    for part in parts:
        figures = part()
        if beyond(figures):
            console.print(f"{', '.join(beyond(figures))}: beyond the limit, measured once more", style="yellow")
            figures = part()
        found |= figures
    table = Table("", "measured", "limit")
    for name, value in found.items():
        least, most = LIMITS[name]
        limit = f"{most:g}" if least in {0, most} else f"{least:g} to {most:g}"
        table.add_row(name, f"{value:,.3g}", limit, style="red" if name in beyond(found) else "")
    console.print(table)
    if beyond(found):
        sys.exit("a gross loss, twice in a row: " + "; ".join(beyond(found)))


def beyond(figures: dict[str, float]) -> list[str]:
    return [name for name, value in figures.items() if not LIMITS[name].least <= value <= LIMITS[name].most]


if __name__ == "__main__":
    main()
