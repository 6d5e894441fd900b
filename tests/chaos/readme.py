"""Puts the figures of a run into a document, between two marks, so that nobody types them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.chaos.report import COUNTED, times
from tests.chaos.verdict import VIOLATIONS

BEGIN = "<!-- figures of `make chaos`, written by it -->"
END = "<!-- end of the figures -->"


def write(told: Mapping[str, Any], path: Path) -> None:
    text = path.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path}: no place for the figures; it needs the lines\n{BEGIN}\n{END}")
    path.write_text(f"{before}{BEGIN}\n{table(told)}{END}{after}")


def table(told: Mapping[str, Any]) -> str:
    rows = [
        (f"{told['date'][:10]}, seed {told['seed']}, {told['minutes']:g} minutes", ""),
        ("rows", f"{told['rows']:,}"),
        ("requests by users, cancelled and repeated ones included", f"{told['requests']:,}"),
        *((name, f"{told[name]:,}") for name in COUNTED),
        *((f"**{name.replace('_', ' ')}**", f"**{told[name]:,}**") for name in VIOLATIONS),
        ("late results refused", f"{told['refused']:,}"),
        ("living workers taken for dead", f"{told['false_deaths']:,}"),
        ("row given back after kill -9", times(told, "recovery")),
    ]
    head, *lines = rows
    text = [f"| {head[0]} | |", "|---|---|", *(f"| {name} | {value} |" for name, value in lines)]
    return "\n".join(text) + "\n"
