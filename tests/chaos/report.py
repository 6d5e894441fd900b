"""The figures of a run: a table for people, JSON for machines."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.chaos.loop import Outcome
from tests.chaos.verdict import VIOLATIONS, percentile

MOST_EXAMPLES = 5
COUNTED = (
    "kill -9",
    "SIGSTOP",
    "interpreter held",
    "frozen processes replaced",
    "commits in doubt",
    "Postgres crashes",
    "broker flushes",
)


def figures(outcome: Outcome) -> dict[str, Any]:
    options, verdict = outcome.options, outcome.verdict
    faults = dict(sorted(outcome.faults.items()))
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": options.seed,
        "minutes": options.minutes,
        "brokers": list(options.brokers),
        "seconds": round(outcome.seconds, 1),
        "is_quiet": outcome.is_quiet,
        "is_clean": is_clean(outcome),
        **verdict.figures,
        "recovery_p50": percentile(outcome.recovery, 0.50),
        "recovery_p99": percentile(outcome.recovery, 0.99),
        "kill -9": _sum(faults, "kill"),
        "SIGSTOP": _sum(faults, "freeze") + _sum(faults, "pause"),
        "interpreter held": _sum(faults, "hold"),
        "frozen processes replaced": outcome.replaced,
        "commits in doubt": _sum(faults, "doubt"),
        "Postgres crashes": faults.get("crash postgres", 0),
        "broker flushes": faults.get("flush broker", 0) + faults.get("restart broker", 0),
        "faults": faults,
        "users": dict(sorted(outcome.acts.items())),
        "examples": verdict.examples(MOST_EXAMPLES) + outcome.broken[:MOST_EXAMPLES],
    }


def is_clean(outcome: Outcome) -> bool:
    return outcome.verdict.is_clean and outcome.is_quiet and not outcome.broken


def write(outcome: Outcome, path: Path) -> None:
    path.write_text(json.dumps(figures(outcome), indent=2) + "\n")


def show(outcome: Outcome, console: Console) -> None:
    told = figures(outcome)
    title = f"chaos, seed {told['seed']}, {told['date']}, {told['seconds']:g} s over {', '.join(told['brokers'])}"
    table = Table(title=title, show_header=False)
    for name in ("rows", "requests", "claims", "completions", "dead_letters", "recoveries"):
        table.add_row(name.replace("_", " "), f"{told[name]:,}")
    table.add_section()
    for name in COUNTED:
        table.add_row(name, f"{told[name]:,}")
    table.add_row(
        "other faults", ", ".join(f"{kind} {count}" for kind, count in told["faults"].items() if _is_other(kind))
    )
    table.add_row("users", ", ".join(f"{count:,} {what}" for what, count in told["users"].items()))
    table.add_section()
    for name in VIOLATIONS:
        style = "bold red" if told[name] else "green"
        table.add_row(name.replace("_", " "), f"[{style}]{told[name]:,}[/]")
    table.add_section()
    table.add_row("late results refused", f"{told['refused']:,}")
    table.add_row("living workers taken for dead", f"{told['false_deaths']:,}")
    table.add_row("rows given back after kill -9", times(told, "recovery"))
    table.add_row("… in the middle of other faults too", times(told, "given_back"))
    table.add_row("… and claimed again, behind what waits", times(told, "rerun"))
    console.print(table)
    for example in told["examples"]:
        console.print(f"[red]{example}[/]")
    if not outcome.is_quiet:
        console.print("[red]it did not become quiet: what is still wanted was not done in time[/]")
    console.print("[bold green]clean[/]" if told["is_clean"] else "[bold red]violated[/]")


def _sum(faults: Mapping[str, int], verb: str) -> int:
    return sum(count for kind, count in faults.items() if kind.startswith(f"{verb} "))


def _is_other(kind: str) -> bool:
    return kind.partition(" ")[0] not in {"kill", "freeze", "pause", "hold", "doubt", "crash", "flush", "without"}


def times(told: Mapping[str, Any], name: str) -> str:
    half, most = told[f"{name}_p50"], told[f"{name}_p99"]
    return "none" if half is None else f"p50 {half:.2f} s, p99 {most:.2f} s"
