"""Rows for a person to look at: one line each, within the width of the terminal."""

import io
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

BETWEEN: Final = 2
NARROWEST: Final = 8
LONGEST: Final = 300

# What a page on the web says of itself must not move the cursor or colour the screen.
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


def show_rows(names: Sequence[str], rows: Iterable[Sequence[Any]], *, whole: Sequence[str] = ()) -> None:
    """Long texts are cut so that a row fits; the columns in `whole` only when there is no other way."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # where the terminal knows ASCII only, a name has question marks
    console = Console(highlight=False, markup=False, emoji=False)
    cells = [[cell(value) for value in row] for row in rows]
    natural = [max(map(cell_len, column)) for column in zip(names, *cells, strict=True)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, BETWEEN, 0, 0))
    fixed = [name in whole for name in names]
    for name, width in zip(names, _widths(natural, fixed, console.width), strict=True):
        table.add_column(name, no_wrap=True, overflow="ellipsis", width=width)
    for row in cells:
        table.add_row(*row)
    console.print(table)


def cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%d %H:%M}"
    return " ".join(_UNSEEN.sub(" ", str(value)).split())


def short(value: object) -> str:
    """A sentence that somebody wrote; what is longer than one is cut, as the dashboard does."""
    text = cell(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _widths(natural: Sequence[int], fixed: Sequence[bool], room: int) -> list[int]:
    """The widest text gives way first, down to the narrowest that can still be read; then the others too."""
    widths = list(natural)
    free = [place for place in range(len(widths)) if not fixed[place]]
    while sum(widths) + (BETWEEN + 1) * len(widths) > room:
        giving = [place for place in free if widths[place] > NARROWEST] or range(len(widths))
        widest = max(giving, key=lambda place: widths[place])
        if widths[widest] <= NARROWEST:
            break
        widths[widest] -= 1
    return widths
