"""A crawl of many hosts from rows in Postgres to contacts in Postgres, against an origin on loopback.

    python -m benchmarks.crawl                                      # 1,000 hosts of 9 pages, default settings
    python -m benchmarks.crawl --quick --processes 2 --threads 128  # 200 hosts
    python -m benchmarks.crawl --runs ours,scrapy,scrapy:2 --rounds 3

A run is `ours`, `ours:PROCESSESxTHREADS`, `scrapy` or `scrapy:PROCESSESxREQUESTS`. Several are interleaved, round by
round. The rate counts from the first request that reaches the origin to the last row that is written. Scrapy has an
environment of its own, which `make bench-peers` makes.
"""

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.crawl_log import origin
from benchmarks.crawl_ours import Ours
from benchmarks.crawl_run import Crawl, Crawler, World
from benchmarks.crawl_scrapy import CONCURRENCY, Scrapy
from benchmarks.section import middle
from benchmarks.stage import migrated

FIGURES = (
    ("pages/s", "rate", ".1f"),
    ("  between 10 % and 90 %", "steady_rate", ".1f"),
    ("CPU ms/page, all but origin", "cpu", ".2f"),
    ("  workers", "cpu_workers", ".2f"),
    ("  parsers", "cpu_parsers", ".2f"),
    ("  Postgres", "cpu_postgres", ".2f"),
    ("  (origin)", "cpu_origin", ".2f"),
    ("transactions/page", "transactions", ".3f"),
    ("WAL bytes/page", "wal", ",.0f"),
    ("shortest pause at a host, s", "shortest_pause", ".3f"),
    ("median pause at a host, s", "median_pause", ".3f"),
    ("most requests at one host at once", "at_once", ".0f"),
    ("most requests in flight", "in_flight", ".0f"),
    ("connections/request", "connections", ".2f"),
    ("pages lost", "lost", ".0f"),
    ("pages fetched twice", "twice", ".0f"),
    ("contacts", "contacts", ",.0f"),
    ("memory at its peak, MB", "memory", ",.0f"),
    ("seconds", "seconds", ".1f"),
)


def crawler(name: str, threads: int | None, processes: int | None) -> Crawler:
    kind, _, size = name.partition(":")
    many, _, wide = size.partition("x")
    if kind == "scrapy":
        return Scrapy(int(many or 1), int(wide or CONCURRENCY))
    if kind != "ours":
        raise SystemExit(f"{name} is no run; ours, ours:2x128, scrapy, scrapy:2, scrapy:2x250")
    return Ours(int(many) if many else processes, int(wide) if wide else threads)


def measure_all(world: World, crawlers: Iterable[Crawler], rounds: int, tell: Callable[[str], object]) -> list[Crawl]:
    crawlers, done = list(crawlers), []
    with origin(world.options, https=world.https) as server, migrated() as (url, user):
        for turn in range(rounds):
            for one in crawlers:
                tell(f"round {turn + 1}: {one.label}")
                done.append(one.crawl(world, server, url, user))
    return done


def table(world: World, crawls: list[Crawl]) -> Table:
    labels = list(dict.fromkeys(crawl.label for crawl in crawls))
    size = f"{world.hosts:,} hosts of {world.pages} pages"
    title = f"{size}, answers after {world.latency * 1000:.0f} ms, pause {world.pause:g} s"
    drawn = Table("", *labels, title=title, title_justify="left")
    for words, name, form in FIGURES:
        values = [[getattr(crawl, name) for crawl in crawls if crawl.label == label] for label in labels]
        drawn.add_row(words, *(middle(some, form) for some in values))
    return drawn


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=9, help="of each host")
    parser.add_argument("--latency", type=float, default=300, help="mean milliseconds until an answer")
    parser.add_argument("--spread", type=float, default=0.5, help="how far single answers are from the mean, 0 to 1")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that a host is left alone")
    parser.add_argument("--missing", type=float, default=0.0, help="share of pages that are not there")
    parser.add_argument("--errors", type=float, default=0.0, help="share of pages that answer 503 first")
    parser.add_argument("--stalls", type=float, default=0.0, help="share of pages that give no answer first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--https", action="store_true")
    parser.add_argument("--quick", action="store_true", help="200 hosts")
    parser.add_argument("--threads", type=int, help="of our worker processes; the default of the settings without it")
    parser.add_argument("--processes", type=int, help="worker processes of ours; the default without it")
    parser.add_argument("--runs", default="ours")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for all figures, with the rate and the memory over time")
    return parser.parse_args()


def main() -> None:
    given, console = arguments(), Console()
    world = World(
        200 if given.quick else given.hosts,
        given.pages,
        given.latency / 1000,
        given.spread,
        given.pause,
        given.missing,
        given.errors,
        given.stalls,
        given.seed,
        given.https,
    )
    runs = [crawler(name, given.threads, given.processes) for name in given.runs.split(",")]
    crawls = measure_all(world, runs, given.rounds, Console(stderr=True).print)
    console.print(table(world, crawls))
    if given.json:
        given.json.write_text(json.dumps({"world": asdict(world), "crawls": [asdict(one) for one in crawls]}, indent=1))


if __name__ == "__main__":
    main()
