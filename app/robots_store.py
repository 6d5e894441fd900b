"""What robots.txt files said, kept in the database for all processes; many are loaded and saved at a time."""

import threading
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Self

import psycopg

from actors.fetch.robots import StoredRobots
from db.connections import Pool, transaction

LOAD = "select origin, status, body, expires_at from robots_files where origin = any(%s)"
SAVE = """
insert into robots_files (origin, status, body, expires_at)
select * from unnest(%s::text[], %s::int[], %s::text[], %s::timestamptz[]) as read (origin, status, body, expires_at)
order by origin
on conflict (origin) do update set status = excluded.status, body = excluded.body, expires_at = excluded.expires_at
"""
# The first row of a host asks for its file. A crawl visits many new hosts a second: they share a transaction.
GATHER_SECONDS = 0.25
LONGEST_WAIT = 10.0


class RobotsFiles:
    """A cache: while the database is away it is empty, and forgets what it is told.

    A file that was read is saved within a fraction of a second. Whoever asks for it sooner is given it at once.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._lock = threading.Lock()
        self._wanted: dict[str, Future[StoredRobots | None]] = {}
        self._unsaved: dict[str, StoredRobots] = {}
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="robots files", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join()

    def load(self, origin: str) -> StoredRobots | None:
        with self._lock:
            if origin in self._unsaved:
                return self._unsaved[origin]
            answer = self._wanted.setdefault(origin, Future())
        self._wake.set()
        try:
            return answer.result(LONGEST_WAIT)
        except TimeoutError:
            return None

    def save(self, origin: str, robots: StoredRobots) -> None:
        with self._lock:
            self._unsaved[origin] = robots
        self._wake.set()

    def _serve(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._stop.wait(GATHER_SECONDS)
            self._wake.clear()
            self._exchange()

    def _exchange(self) -> None:
        with self._lock:
            wanted, self._wanted = self._wanted, {}
            unsaved = dict(self._unsaved)
        found: dict[str, StoredRobots] = {}
        try:
            with transaction(self.pool) as connection:
                if unsaved:
                    connection.execute(SAVE, _columns(unsaved.items()))
                if wanted:
                    rows = connection.execute(LOAD, [list(wanted)]).fetchall()
                    found = {origin: StoredRobots(*rest) for origin, *rest in rows}
        except psycopg.Error:
            found = {}
        finally:
            for origin, answer in wanted.items():
                answer.set_result(found.get(origin))
        with self._lock:
            self._unsaved = {origin: read for origin, read in self._unsaved.items() if unsaved.get(origin) is not read}


def _columns(files: Iterable[tuple[str, StoredRobots]]) -> list[list[object]]:
    rows = [(origin, read.status, read.body.replace("\x00", ""), read.expires_at) for origin, read in files]
    return [list(column) for column in zip(*rows, strict=True)]
