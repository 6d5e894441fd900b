"""`python -m tests.chaos --minutes 5 --seed 1`: break everything for a while, and tell what was lost.

The exit code is 1 when anything was. Needs Linux, and redis-server and rabbitmq-server unless `--broker in-process`.
"""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from rich.console import Console

from tests.chaos import readme, report
from tests.chaos.loop import Options, run
from tests.chaos.progress import Progress
from tests.chaos.workload import POLITE

BROKERS = ("in-process", "redis", "rabbitmq")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1, help="the plan of faults and users' choices follow from it")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument("--readme", type=Path, help="a document that has a place for the figures")
    parser.add_argument("--broker", choices=[*BROKERS, "all"], default="all")
    parser.add_argument("--workers", type=int, default=4, help="worker processes of each of the three supervisors")
    parser.add_argument("--polite", action="store_true", help="rows of a polite workflow, many in flight per process")
    given = parser.parse_args()
    if given.polite:
        os.environ[POLITE] = "yes"
    interrupted = threading.Event()
    stop_on_signal(interrupted)
    console = Console(width=None if sys.stdout.isatty() else 140)
    brokers = BROKERS if given.broker == "all" else (given.broker,)
    with Progress(console) as progress, told_what_is_missing():
        outcome = run(Options(given.minutes, given.seed, brokers, given.workers), progress, interrupted)
    report.show(outcome, console)
    if given.json:
        report.write(outcome, given.json)
    if given.readme:
        readme.write(report.figures(outcome), given.readme)
    return 0 if report.is_clean(outcome) else 1


@contextmanager
def told_what_is_missing() -> Iterator[None]:
    """Without a server that a broker needs, one sentence and no trace."""
    try:
        yield
    except (pytest.skip.Exception, pytest.fail.Exception) as missing:
        raise SystemExit(f"{missing}, or choose --broker in-process") from None


def stop_on_signal(interrupted: threading.Event) -> None:
    """The first Ctrl-C heals and judges what happened so far; a second one leaves at once."""

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    signal.signal(signal.SIGINT, on_signal)
    signal.signal(signal.SIGTERM, on_signal)


if __name__ == "__main__":
    raise SystemExit(main())
