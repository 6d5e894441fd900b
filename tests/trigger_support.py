"""What the triggers of the sample workflow have written and rung."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile

import psycopg

LAST_BELL = "the end of the test"


@contextmanager
def heard_bells(url: str) -> Iterator[Callable[[], list[str]]]:
    """A function that returns every doorbell rung so far; a bell of its own tells that no more are on the way."""
    with psycopg.connect(url, autocommit=True) as listener:
        listener.execute("listen engine")

        def heard() -> list[str]:
            listener.execute("select pg_notify('engine', %s)", [LAST_BELL])
            rung = (bell.payload for bell in listener.notifies(timeout=10))
            return list(takewhile(lambda payload: payload != LAST_BELL, rung))

        yield heard


def jobs(db, columns: str = "name, generation"):
    return db.execute(f"select {columns} from engine.job join samples on id::text = pk order by name").fetchall()


def priorities(db):
    return jobs(db, "name, priority, key")


def submissions(db):
    return db.execute("select workflow, rows from engine.submission order by id").fetchall()
