"""From a user's commit to the start of the row's run: on an idle system, and while it works at half of its rate."""

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import Connection

from benchmarks.rows import ours
from benchmarks.section import Options, Section, middle
from benchmarks.stage import one, pause, stage, wait_until, workers

PICKUPS = 300
LOAD_STEP_SECONDS = 0.1
ENDED = "select 1 from wide where id = %s and pickup_status = 'Done'"


def pickups(user: Connection[Any]) -> tuple[float, float]:
    """Milliseconds, p50 and p99; the first tenth warms up."""
    ids = [row[0] for row in user.execute("select id from wide order by id limit %s", [PICKUPS]).fetchall()]
    waits = []
    for number, identity in enumerate(ids):
        user.execute("update wide set pickup_status = 'Queued' where id = %s", [identity])
        committed = time.time()
        wait_until(lambda identity=identity: user.execute(ENDED, [identity]).fetchone() is not None)
        row = user.execute("select picked_up_at from wide where id = %s", [identity]).fetchone()
        if number >= PICKUPS // 10 and row is not None:
            waits.append((row[0] - committed) * 1000)
        time.sleep(0.01)
    return statistics.median(waits), statistics.quantiles(waits, n=100)[98]


@contextmanager
def load(url: str, rate: float) -> Iterator[None]:
    """So many no-op rows a second are queued, in statements of a tenth of a second's worth."""
    stopped = threading.Event()
    many = max(1, int(rate * LOAD_STEP_SECONDS))

    def feed() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            ids = [row[0] for row in connection.execute("select id from wide order by id desc").fetchall()]
            place, due = 0, time.monotonic()
            while not stopped.wait(max(0.0, due - time.monotonic())):
                due += LOAD_STEP_SECONDS
                part = (ids + ids)[place : place + many]
                place = (place + many) % len(ids)
                connection.execute("update wide set status = 'Queued' where id = any(%s)", [part])

    feeder = threading.Thread(target=feed, name="load")
    feeder.start()
    try:
        yield
    finally:
        stopped.set()
        feeder.join()


def measure(options: Options, tell: Callable[[str], None]) -> Section:
    found: dict[str, list[tuple[float, float]]] = {"at idle": [], "with half the load": []}
    with stage(options.rows) as (url, user):
        tell("pickup: the rate whose half is the load")
        half = ours(url, user, options.rows, 1)["rate"] / 2
        pause(user, paused=False)
        with workers(url, user, 1):
            time.sleep(1)  # a worker that has just started is not idle
            for turn in range(options.rounds):
                tell(f"pickup: round {turn + 1}")
                found["at idle"].append(pickups(user))
                with load(url, half):
                    found["with half the load"].append(pickups(user))
                wait_until(lambda: one(user, "select count(*) from wide where status in ('Queued', 'Processing')") == 0)
    made = Section("From commit to start, one process: ms", ["", "p50", "p99"], raw={**found, "load": half})
    for name, pairs in found.items():
        halves, most = zip(*pairs, strict=True)
        made.rows.append([name, middle(halves, ".2f"), middle(most, ".2f")])
        made.values |= {f"{name}, p50": statistics.median(halves), f"{name}, p99": statistics.median(most)}
    made.notes = [f"The load is {half:,.0f} no-op rows a second."]
    return made
