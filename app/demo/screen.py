"""What the demo shows: progress while it runs, then what came of it; outside a terminal as plain lines."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from actors.registry import WORKFLOWS
from app.demo.queue import Progress, Queue
from app.demo.stack import Stack
from app.demo.truth import Item, Score

REFRESH_SECONDS = 0.5
PLAIN_SECONDS = 5.0
MOST_ITEMS = 12
SITE_WIDTH = 29  # the longest name of the world; the reason gets what is left
# The site is named in the first column, and how often it was tried is no reason.
BESIDE_THE_POINT = re.compile(r"^https?://\S+: | \(attempt \d+ of \d+\)$")


class DemoStalled(RuntimeError):
    """The queue did not become empty in time."""


def watch(console: Console, queue: Queue, stack: Stack, *, limit: float) -> None:
    """Show the queue until it is empty."""
    began = time.monotonic()
    reported = began
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            now = time.monotonic()
            progress = queue.progress()
            if console.is_terminal:
                live.update(workflow_table(progress, f"{now - began:4.0f} s"), refresh=True)
            elif now - reported >= PLAIN_SECONDS:
                console.print(_line(now - began, progress.values()))
                reported = now
            if queue.is_idle():
                return
            stack.check()
            _complain_when_stuck(progress.values(), now - began, limit)
            time.sleep(REFRESH_SECONDS)


def _complain_when_stuck(progress: Iterable[Progress], elapsed: float, limit: float) -> None:
    paused = [f"{one.workflow} is paused: {one.paused}" for one in progress if one.paused]
    if paused:
        raise DemoStalled("; ".join(paused))
    if elapsed > limit:
        raise DemoStalled(f"rows are still waiting after {limit:.0f} s")


def workflow_table(progress: Mapping[str, Progress], title: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    table.add_column("workflow", no_wrap=True)
    for name in ("waiting", "running", "done", "failed"):
        table.add_column(name, justify="right", no_wrap=True)
    for workflow in WORKFLOWS:
        if row := progress.get(workflow.name):
            counts = (row.waiting, row.running, row.done, row.failed)
            table.add_row(row.workflow, *(f"{count:,}" if count else "-" for count in counts))
    return table


def score_table(scores: Mapping[str, Score]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="Contacts, against the truth", title_justify="left", pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in ("there", "found", "missed", "wrong", "precision", "recall"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, score in scores.items():
        counts = (len(score.truth), len(score.found), len(score.missed), len(score.wrong))
        style = "green" if score.is_good else "red"
        table.add_row(name, *map(str, counts), f"{score.precision:.3f}", f"{score.recall:.3f}", style=style)
    return table


def show_differences(console: Console, scores: Mapping[str, Score]) -> None:
    for word, items in (
        ("missed", [item for score in scores.values() for item in score.missed]),
        ("wrong", [item for score in scores.values() for item in score.wrong]),
    ):
        _show_items(console, word, items)


def _show_items(console: Console, word: str, items: Sequence[Item]) -> None:
    for item in items[:MOST_ITEMS]:
        console.print(f"{word:7} {item.domain:30} {item.value}", highlight=False, markup=False)
    if len(items) > MOST_ITEMS:
        console.print(f"{word:7} and {len(items) - MOST_ITEMS} more")


def refusal_table(refusals: Iterable[tuple[str, str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="Sites that kept something back", title_justify="left", pad_edge=False)
    table.add_column("site", no_wrap=True, min_width=SITE_WIDTH)
    table.add_column("why")
    for site, reason in refusals:
        # Only a column that may wrap gives way to the others; what is too long ends with "…" all the same.
        short = BESIDE_THE_POINT.sub("", " ".join(reason.split()))
        table.add_row(site, Text(short, no_wrap=True, overflow="ellipsis"))
    return table


def _line(elapsed: float, progress: Iterable[Progress]) -> str:
    rows = list(progress)
    waiting, running, done = (sum(getattr(row, name) for row in rows) for name in ("waiting", "running", "done"))
    return f"{elapsed:4.0f} s   {waiting:,} waiting, {running:,} running, {done:,} done"
