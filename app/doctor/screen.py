"""The findings for a person: one line where all is well, and what to type where it is not."""

import io
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.text import Text

from app.commands.tables import cell
from app.doctor.examination import Examined
from app.doctor.finding import Kind, Repair, Verdict
from app.doctor.fixing import Applied

COLOURS: Final = {Verdict.OK: "green", Verdict.WARN: "yellow", Verdict.FAIL: "bold red"}
PLACES: Final = {
    Kind.SQL: "psql",
    Kind.SQL_BY_HAND: "psql",
    Kind.COMMAND: "shell",
    Kind.SERVICE: "shell",
    Kind.SETTING: ".env",
    Kind.ADVICE: "you",
}
NAME: Final = 18
INDENT: Final = 2 + 6 + NAME
WIDEST: Final = 120


def show(found: Sequence[Examined], applied: Sequence[Applied], seconds: float) -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    console = Console(highlight=False, markup=False, emoji=False)
    for one in applied:
        console.print(_applied(one), soft_wrap=True)
    for group, members in groupby(found, key=lambda one: one.check.group):
        console.print()
        console.print(Text(group, "bold"))
        for name, findings in groupby(members, key=lambda one: one.check.name):
            _show_check(console, name, list(findings))
    console.print()
    console.print(Text(_sum(found, seconds), "bold"), soft_wrap=True)
    if not applied and any(repair.safe for one in found for repair in one.finding.repairs):
        console.print("Some of it `scrapersky doctor --fix` repairs by itself.", soft_wrap=True)


def _show_check(console: Console, name: str, findings: Sequence[Examined]) -> None:
    width = min(console.width, WIDEST) - INDENT - 1
    for number, one in enumerate(findings):
        finding = one.finding
        lines = textwrap.wrap(cell(finding.seen), width) or [""]
        head = Text("  ").append(f"{finding.verdict:<6}", COLOURS[finding.verdict])
        console.print(head.append(f"{'' if number else name:<{NAME}}").append(lines[0]), soft_wrap=True)
        for line in [*lines[1:], *textwrap.wrap(finding.means, width)]:
            console.print(Text(" " * INDENT + line), soft_wrap=True)
        for repair in finding.repairs:
            console.print(_repair(repair), soft_wrap=True)


def _repair(repair: Repair) -> Text:
    """On one line however long: what is copied must not break."""
    return Text(" " * 8).append(f"{PLACES[repair.kind]:>{NAME - 2}}  ", "dim").append(repair.text, "cyan")


def _applied(one: Applied) -> Text:
    word = ("done", "green") if one.done else ("not done", "yellow")
    line = Text().append(*word).append(f"  {one.repair.text}")
    return line.append(f"  ({cell(one.said)})", "dim") if one.said else line


def _sum(found: Sequence[Examined], seconds: float) -> str:
    counts = Counter(one.finding.verdict for one in found)
    checks = len({one.check.name for one in found})
    told = [f"{counts[Verdict.OK]} ok"]
    told += [f"{count} warning{'s' * (count > 1)}" for count in [counts[Verdict.WARN]] if count]
    told += [f"{count} failure{'s' * (count > 1)}" for count in [counts[Verdict.FAIL]] if count]
    return f"{checks} checks in {seconds:.1f} s: {', '.join(told)}."
