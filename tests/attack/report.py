"""The figures of the attack suite as a Markdown table, written into a document between two marks."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.attack.growth import Verdict, exponent

BEGIN: Final = "<!-- figures of `make attack`, written by it -->"
END: Final = "<!-- end of the figures of `make attack` -->"
_HEAD: Final = (
    "| documents | shapes | largest | worst CPU time | worst memory | longest silence | steepest growth |",
    "|---|---|---|---|---|---|---|",
)


def table(verdicts: Sequence[Verdict]) -> str:
    families = [(family, list(group)) for family, group in groupby(verdicts, key=lambda each: each.shape.family)]
    rows = [*(_row(family, group) for family, group in families), _row("**all**", list(verdicts))]
    return "\n".join([*_HEAD, *rows]) + "\n"


def write(verdicts: Sequence[Verdict], path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path}: no place for the figures; it needs the lines\n{BEGIN}\n{END}")
    path.write_text(f"{before}{BEGIN}\n{table(verdicts)}{END}{after}", encoding="utf-8")


def _row(name: str, verdicts: Sequence[Verdict]) -> str:
    costs = [cost for verdict in verdicts for cost in verdict.costs.values()]
    largest = max(size for verdict in verdicts for size in verdict.costs)
    steepest = max(exponent({size: cost.cpu for size, cost in verdict.costs.items()}) for verdict in verdicts)
    cells = (
        name,
        f"{len(verdicts)}",
        f"{largest // 1000:,} kB",
        f"{max(cost.cpu for cost in costs):.2f} s",
        f"{max(cost.megabytes for cost in costs):.0f} MB",
        f"{max(cost.silence for cost in costs):.2f} s",
        f"{steepest:.2f}",
    )
    return f"| {' | '.join(cells)} |"
