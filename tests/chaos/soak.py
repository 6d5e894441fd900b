"""`python -m tests.chaos.soak --minutes 30`: steady load with some faults. At the end nothing has grown but the data.

Memory of processes, connections, and the size of the engine's own tables and indexes are looked at when it has run
for a while, and again at the end, each time after a pause in which the queue runs empty.
"""

import argparse
import json
import os
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.chaos import report
from tests.chaos.__main__ import BROKERS, stop_on_signal, told_what_is_missing
from tests.chaos.loop import Options, Outcome, Watch, run
from tests.chaos.plan import CALM
from tests.chaos.progress import Progress
from tests.chaos.system import System

# The first look comes when everything has been claimed, filled and cached once.
WARM = 0.25
# What may differ although nothing grows: pages are returned late, and vacuum comes when it comes.
TOLERANCE = 1.5
ROOM = {
    "memory of the largest process, MB": 30.0,
    "connections": 20.0,
    "engine tables, kB": 4096.0,
    "engine indexes, kB": 4096.0,
}

SIZES = """
select sum(pg_table_size(oid)) / 1024, sum(pg_indexes_size(oid)) / 1024
from pg_class
where relkind = 'r' and relnamespace = 'engine'::regnamespace
  and relname in ('job', 'worker', 'pace', 'usage', 'workflow', 'sweep_position')
"""
CONNECTIONS = "select count(*) from pg_stat_activity where application_name like 'scrapersky %'"


@dataclass
class Look:
    """What should be the same at the end as it was at the beginning."""

    seconds: float
    figures: dict[str, float]


class Soak:
    """Called by the loop while it runs; looks twice."""

    def __init__(self, minutes: float) -> None:
        self.began = time.monotonic()
        self.first_at = minutes * 60 * WARM
        self.looks: list[Look] = []

    def __call__(self, system: System, watch: Watch, *, at_the_end: bool) -> None:
        seconds = time.monotonic() - self.began
        if at_the_end or (not self.looks and seconds > self.first_at):
            sizes, connections = watch.ask(SIZES), watch.ask(CONNECTIONS)
            if sizes and connections:
                memory = max((resident(member.pid) for member in system.members()), default=0.0)
                values = (memory, float(connections[0]), float(sizes[0]), float(sizes[1]))
                self.looks.append(Look(round(seconds, 1), dict(zip(ROOM, values, strict=True))))

    def grown(self) -> list[str]:
        if len(self.looks) < 2:
            return ["there was no time to look twice"]
        first, last = self.looks[0].figures, self.looks[-1].figures
        return [
            f"{name}: {first[name]:,.0f} at the beginning, {last[name]:,.0f} at the end"
            for name, room in ROOM.items()
            if last[name] > max(first[name] * TOLERANCE, first[name] + room)
        ]


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
    return 0 if report.is_clean(outcome) and not grown else 1


def figures(outcome: Outcome, soak: Soak, grown: list[str]) -> dict[str, Any]:
    return {**report.figures(outcome), "looks": [asdict(look) for look in soak.looks], "grown": grown}


def show(soak: Soak, grown: list[str], console: Console) -> None:
    table = Table("", *(f"after {look.seconds:,.0f} s" for look in soak.looks))
    for name in ROOM:
        table.add_row(name, *(f"{look.figures[name]:,.0f}" for look in soak.looks))
    console.print(table)
    for one in grown:
        console.print(f"[red]grown: {one}[/]")
    console.print("[bold red]it grows[/]" if grown else "[bold green]nothing has grown[/]")


if __name__ == "__main__":
    raise SystemExit(main())
