"""Time limits of rows: the interrupt strikes inside the row that it is meant for, and nowhere else."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import NoReturn

import pytest
from dramatiq.middleware import Shutdown, TimeLimitExceeded

from app.deadline import Slot, Watchdog

PATIENCE = 60.0
NEVER = 3600.0


@pytest.fixture
def watchdog() -> Iterator[Watchdog]:
    watchdog = Watchdog()
    watchdog.start()
    yield watchdog
    watchdog.stop()


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns every few instructions instead of every five milliseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_row(slot: Slot, work: Callable[[], object], limit: float = NEVER) -> str:
    try:
        slot.run(work, workflow="sampling", pk="1", limit=limit, rescue=NEVER)
    except (TimeLimitExceeded, Shutdown) as interrupt:
        return type(interrupt).__name__
    return "completed"


def in_a_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def joined(thread: threading.Thread) -> bool:
    thread.join(PATIENCE)
    return not thread.is_alive()


def loop_for_ever() -> NoReturn:
    while True:
        time.sleep(0.001)


def give_way(times: int) -> None:
    for _ in range(times):
        time.sleep(0)


def test_a_row_over_its_limit_is_stopped_and_the_thread_goes_on_with_the_next(watchdog: Watchdog) -> None:
    outcomes: list[str] = []

    def two_rows() -> None:
        outcomes.append(run_row(watchdog.slot, loop_for_ever, limit=0.05))
        outcomes.append(run_row(watchdog.slot, lambda: None))

    assert joined(in_a_thread(two_rows))
    assert outcomes == ["TimeLimitExceeded", "completed"]


def test_a_row_within_its_limit_is_left_alone(watchdog: Watchdog) -> None:
    outcomes: list[str] = []

    thread = in_a_thread(lambda: outcomes.append(run_row(watchdog.slot, lambda: time.sleep(0.4), limit=30)))

    assert joined(thread)
    assert outcomes == ["completed"]


def test_a_row_that_ends_of_itself_after_it_was_interrupted_keeps_the_thread_usable(watchdog: Watchdog) -> None:
    """The workflow swallowed the interrupt and returned: nothing strikes the next row."""
    outcomes: list[str] = []

    def swallow() -> None:
        try:
            loop_for_ever()
        except TimeLimitExceeded:
            return

    def two_rows() -> None:
        outcomes.append(run_row(watchdog.slot, swallow, limit=0.05))
        outcomes.append(run_row(watchdog.slot, lambda: None))

    assert joined(in_a_thread(two_rows))
    assert outcomes == ["completed", "completed"]


def test_a_row_that_cleans_up_after_its_interrupt_is_not_struck_a_second_time(watchdog: Watchdog) -> None:
    cleaned_up = threading.Event()

    def clean_up() -> None:
        try:
            loop_for_ever()
        finally:
            time.sleep(0.5)  # several looks of the watchdog
            cleaned_up.set()

    assert joined(in_a_thread(lambda: run_row(watchdog.slot, clean_up, limit=0.05)))
    assert cleaned_up.is_set()


def test_a_shutdown_interrupts_every_row_that_runs(watchdog: Watchdog) -> None:
    outcomes: list[str] = []
    both_run = threading.Barrier(3)

    def row() -> None:
        both_run.wait(PATIENCE)
        loop_for_ever()

    threads = [in_a_thread(lambda: outcomes.append(run_row(watchdog.slot, row))) for _ in range(2)]
    both_run.wait(PATIENCE)
    watchdog.interrupt_all()

    assert all(joined(thread) for thread in threads)
    assert outcomes == ["Shutdown", "Shutdown"]


def test_a_thread_between_two_rows_is_not_interrupted() -> None:
    struck: list[str] = []
    ready, go_on = threading.Event(), threading.Event()
    slots: list[Slot] = []

    def between_rows() -> None:
        slots.append(Slot())
        run_row(slots[0], lambda: None)
        try:
            ready.set()
            go_on.wait(PATIENCE)
            for _ in range(1000):
                time.sleep(0)
        except Shutdown:
            struck.append("between two rows")

    thread = in_a_thread(between_rows)
    ready.wait(PATIENCE)
    slots[0].interrupt(Shutdown)
    go_on.set()

    assert joined(thread)
    assert struck == []


def test_an_interrupt_never_strikes_after_the_end_of_its_row(quick_switches: None) -> None:
    """Short rows under a storm of interrupts: each ends in one of two ways, and the thread lives on."""
    outcomes: Counter[str] = Counter()
    struck_outside: list[BaseException] = []
    slots: list[Slot] = []
    ready, done = threading.Event(), threading.Event()

    def rows() -> None:
        slots.append(Slot())
        ready.set()
        try:
            for number in range(1000):
                outcomes[run_row(slots[0], partial(give_way, times=number % 10))] += 1
                outcomes["limit left behind"] += slots[0].hard is not None
        except Shutdown as interrupt:
            struck_outside.append(interrupt)
        finally:
            done.set()

    def storm() -> None:
        ready.wait(PATIENCE)
        while not done.is_set():
            slots[0].interrupt(Shutdown)

    threads = [in_a_thread(rows), in_a_thread(storm)]

    assert all(joined(thread) for thread in threads), outcomes
    assert struck_outside == []
    assert outcomes["limit left behind"] == 0
    assert outcomes["Shutdown"] > 100
    assert outcomes["Shutdown"] + outcomes["completed"] == 1000
