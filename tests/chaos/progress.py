"""How it goes while it goes: one table that is drawn again on a terminal, one line every ten seconds elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table

LINE_SECONDS = 10.0


class Progress:
    def __init__(self, console: Console) -> None:
        self.console = console
        self._live = Live(console=console, refresh_per_second=2) if console.is_terminal else None
        self._told = 0.0

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        if self._live:
            self._live.stop()

    def show(self, phase: str, figures: dict[str, int]) -> None:
        if self._live:
            table = Table(title=phase, show_header=False)
            for name, value in figures.items():
                table.add_row(name, f"{value:,}")
            self._live.update(table)
        elif time.monotonic() - self._told > LINE_SECONDS:
            self._told = time.monotonic()
            self.console.print(f"{phase}: " + ", ".join(f"{value:,} {name}" for name, value in figures.items()))
