"""`python -m tests.chaos.soak --minutes 30`: steady load with some faults. Does anything grow but the data?

Memory of processes, connections, and the size of the engine's own tables and indexes are looked at all the time, and
`tests/chaos/growth.py` judges them. The engine keeps dead letters until somebody decides about them, so what their
rows need is taken off the sizes; how much that is, a rewrite of the table tells at the end. Indexes fill for minutes
until vacuum finds pages to use again: a short run ends before that, and is not judged.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.chaos import report
from tests.chaos.__main__ import BROKERS, stop_on_signal, told_what_is_missing
from tests.chaos.growth import PARTS, is_growing, medians, without_kept
from tests.chaos.loop import Options, Outcome, Watch, run
from tests.chaos.plan import CALM
from tests.chaos.progress import Progress
from tests.chaos.system import System

LOOKS = 240
SHORTEST_SECONDS = 900.0
MEMORY, CONNECTIONS = "memory of the largest process, MB", "connections"
TABLES, INDEXES, KEPT = "engine tables, kB", "engine indexes, kB", "rows in engine.job"
JUDGED = (MEMORY, CONNECTIONS, TABLES, INDEXES)

SIZES = """
select sum(pg_table_size(oid)) / 1024, sum(pg_indexes_size(oid)) / 1024
from pg_class
where relkind = 'r' and relnamespace = 'engine'::regnamespace
  and relname in ('job', 'worker', 'pace', 'usage', 'workflow', 'lock', 'sweep_position')
"""
COUNTS = """
select (select count(*) from pg_stat_activity where application_name like 'scrapersky %'),
       (select count(*) from engine.job)
"""
EMPTY = "create temporary table empty (like engine.job including all)"
NEEDED = """
select (pg_table_size('engine.job') - pg_table_size('empty')) / 1024.0,
       (pg_indexes_size('engine.job') - pg_indexes_size('empty')) / 1024.0,
       (select count(*) from engine.job)
"""


@dataclass
class Look:
    seconds: float
    figures: dict[str, float]


class Soak:
    """Called by the loop while it runs."""

    def __init__(self, minutes: float) -> None:
        self.began = time.monotonic()
        self.interval = minutes * 60 / LOOKS
        self.looks: list[Look] = []
        self.needs: dict[str, float] = {}

    def __call__(self, system: System, watch: Watch, *, at_the_end: bool) -> None:
        if at_the_end:
            self._ask_what_a_row_needs(system)
            return
        seconds = time.monotonic() - self.began
        if self.looks and seconds < self.looks[-1].seconds + self.interval:
            return
        sizes, counts = watch.ask(SIZES), watch.ask(COUNTS)
        if sizes and counts:
            memory = max((resident(member.pid) for member in system.members()), default=0.0)
            seen = {MEMORY: memory, CONNECTIONS: counts[0], TABLES: sizes[0], INDEXES: sizes[1], KEPT: counts[1]}
            self.looks.append(Look(round(seconds, 1), {name: float(value) for name, value in seen.items()}))

    def _ask_what_a_row_needs(self, system: System) -> None:
        with system.connect("soak", autocommit=True) as connection:
            connection.execute("vacuum (full) engine.job")
            connection.execute(EMPTY)
            [(tables, indexes, kept)] = connection.execute(NEEDED).fetchall()
        if kept:
            self.needs = {TABLES: float(tables) / kept, INDEXES: float(indexes) / kept}

    def series(self, name: str) -> list[float]:
        """A figure over time; sizes without what was kept in the meantime."""
        values, kept = ([look.figures[one] for look in self.looks] for one in (name, KEPT))
        return without_kept(values, kept, self.needs.get(name, 0.0))

    @property
    def is_long_enough(self) -> bool:
        return bool(self.looks) and self.looks[-1].seconds >= SHORTEST_SECONDS

    def grown(self) -> list[str]:
        parts = {name: medians(self.series(name)) for name in JUDGED}
        return [f"{name}: {_told(values)}" for name, values in parts.items() if is_growing(values)]


def _told(parts: Sequence[float]) -> str:
    return " -> ".join(f"{value:,.0f}" for value in parts)


def resident(pid: int) -> float:
    """Memory in MB, what is shared with the process that it was forked from included."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument("--broker", choices=[*BROKERS, "all"], default="all")
    given = parser.parse_args()
    interrupted = threading.Event()
    stop_on_signal(interrupted)
    console = Console(width=None if sys.stdout.isatty() else 140)
    brokers = BROKERS if given.broker == "all" else (given.broker,)
    options = Options(given.minutes, given.seed, brokers, workers=2, users=2, pause=1.0, intensity=CALM)
    soak = Soak(given.minutes)
    with Progress(console) as progress, told_what_is_missing():
        outcome = run(options, progress, interrupted, soak)
    grown = soak.grown()
    report.show(outcome, console)
    show(soak, grown, console)
    if given.json:
        given.json.write_text(json.dumps(figures(outcome, soak, grown), indent=2) + "\n")
    return 0 if report.is_clean(outcome) and soak.is_long_enough and not grown else 1


def figures(outcome: Outcome, soak: Soak, grown: list[str]) -> dict[str, Any]:
    judged = {name: medians(soak.series(name)) for name in JUDGED}
    looks = [asdict(look) for look in soak.looks]
    return {**report.figures(outcome), "looks": looks, "kB a row": soak.needs, "judged": judged, "grown": grown}


def show(soak: Soak, grown: list[str], console: Console) -> None:
    """Medians of the parts that are judged, sizes with and without the rows that were kept."""
    table = Table("", *(f"part {number + 1} of {PARTS}" for number in range(PARTS)))
    for name in (*JUDGED, KEPT):
        table.add_row(name, *_cells([look.figures[name] for look in soak.looks]))
    for name, each in soak.needs.items():
        table.add_row(f"{name}, less {each:.2f} for each row kept since", *_cells(soak.series(name)))
    console.print(table)
    if not soak.is_long_enough:
        console.print(f"[bold red]too short to tell what grows: {SHORTEST_SECONDS / 60:g} minutes are needed[/]")
        return
    for one in grown:
        console.print(f"[red]grown: {one}[/]")
    console.print("[bold red]it grows[/]" if grown else "[bold green]nothing grows but what is kept[/]")


def _cells(values: Sequence[float]) -> list[str]:
    return [f"{value:,.0f}" for value in medians(values)]


if __name__ == "__main__":
    raise SystemExit(main())
