"""The crawl as a part of `make bench`: default settings, hand-tuned ones, and Scrapy with one and two processes."""

import statistics
from collections.abc import Callable
from dataclasses import asdict
from itertools import pairwise

from benchmarks.crawl import FIGURES, measure_all
from benchmarks.crawl_ours import Ours
from benchmarks.crawl_run import World
from benchmarks.crawl_scrapy import Scrapy
from benchmarks.section import Options, Plot, Section, middle, ratio

PAGES, LONG_PAGES = 9, 20
RATE_SECONDS = 10
DEFAULT, TUNED = Ours(), (Ours(2, 128), Ours(2, 256))
PEERS = (Scrapy(2), Scrapy(2, 250))


def long_crawl(options: Options, tell: Callable[[str], None]) -> Section:
    """Five times the hosts and twenty pages each, with default settings: does the rate hold, does the memory?"""
    world = World(options.hosts * 5, LONG_PAGES, 0.3, 0.5, 1.0, 0, 0, 0, 1, False)
    (crawl,) = measure_all(world, [DEFAULT], 1, lambda text: tell(f"long crawl: {text}"))
    title = f"{world.hosts:,} hosts of {LONG_PAGES} pages, default settings"
    made = Section(title, ["", "one crawl"], raw={"world": asdict(world), "crawls": [asdict(crawl)]})
    made.rows = [[words.strip(), format(getattr(crawl, name), form)] for words, name, form in FIGURES]
    made.values = {"lost": crawl.lost, "shortest pause": crawl.shortest_pause, "rate": crawl.rate}
    done = [(at, pages) for at, pages, _ in crawl.over_time]
    rates = [
        (later[0], (later[1] - earlier[1]) / (later[0] - earlier[0]))
        for earlier, later in pairwise(done[::RATE_SECONDS])
    ]
    made.plots = [
        Plot("long-crawl-rate", "pages a second over the seconds of a long crawl", "pages/s", lines={"rate": rates}),
        Plot(
            "long-crawl-memory",
            "memory over the seconds of a long crawl",
            "MB",
            lines={"workers and parsers": [(at, held) for at, _, held in crawl.over_time]},
        ),
    ]
    return made


def measure(options: Options, tell: Callable[[str], None]) -> Section:
    world = World(options.hosts, PAGES, 0.3, 0.5, 1.0, 0, 0, 0, 1, False)
    crawls = measure_all(
        world, [DEFAULT, *TUNED, Scrapy(1), *PEERS], options.rounds, lambda text: tell(f"crawl: {text}")
    )
    labels = list(dict.fromkeys(crawl.label for crawl in crawls))
    by_label = {label: [crawl for crawl in crawls if crawl.label == label] for label in labels}
    made = Section(
        f"{world.hosts:,} hosts of {PAGES} pages, answers after 300 ms, a second of pause at each host",
        ["", *labels],
        raw={"world": asdict(world), "crawls": [asdict(crawl) for crawl in crawls]},
    )
    for words, name, form in FIGURES:
        cells = [middle([getattr(crawl, name) for crawl in some], form) for some in by_label.values()]
        made.rows.append([words.strip(), *cells])
    rates = {label: [crawl.rate for crawl in some] for label, some in by_label.items()}
    best, peer = (
        max((one.label for one in some), key=lambda label: statistics.median(rates[label]))
        for some in ((DEFAULT, *TUNED), PEERS)
    )
    made.values = {
        "default to best": ratio(rates[DEFAULT.label], rates[best]),
        "best to Scrapy": ratio(rates[best], rates[peer]),
        "cpu": statistics.median(crawl.cpu for crawl in by_label[best]),
        "transactions": statistics.median(crawl.transactions for crawl in by_label[best]),
    }
    made.notes = [f"The best settings: {best}; {peer} (processes x requests at once)."]
    over_time = {label: [(at, pages) for at, pages, _ in some[-1].over_time] for label, some in by_label.items()}
    memory = {label: [(at, held) for at, _, held in some[-1].over_time] for label, some in by_label.items()}
    made.plots = [
        Plot("crawl-pages", "pages done over the seconds of a crawl", "pages", lines=over_time),
        Plot("crawl-memory", "memory over the seconds of a crawl", "MB", lines=memory),
    ]
    return made
