"""robots.txt files at hand: a few texts and answers in memory, all texts in the store of all processes."""

from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

from actors.fetch.robots import RobotsStore, StoredRobots
from actors.parse.robots_reading import RobotsAnswer

KEPT_FOR = timedelta(hours=24)
FILES_AT_HAND = 128
# A larger file is loaded again each time rather than kept in memory a hundredfold.
LARGEST_AT_HAND = 20_000
ANSWERS_AT_HAND = 4_096

Key = TypeVar("Key")
Value = TypeVar("Value")


class _Newest(Generic[Key, Value]):
    """The values that were used last, so many at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def put(self, key: Key, value: Value) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)


class RobotsShelf:
    """One per process; threads share it."""

    def __init__(self, store: RobotsStore) -> None:
        self._store = store
        self._files: _Newest[str, StoredRobots] = _Newest(FILES_AT_HAND)
        self._answers: _Newest[tuple[str, datetime, str], RobotsAnswer] = _Newest(ANSWERS_AT_HAND)

    def fresh(self, origin: str) -> StoredRobots | None:
        """What is known and has not expired."""
        now = datetime.now(UTC)
        at_hand = self._files.get(origin)
        if at_hand is not None and at_hand.expires_at > now:
            return at_hand
        stored = self._store.load(origin)
        return self._put(origin, stored) if stored is not None and stored.expires_at > now else None

    def stale(self, origin: str) -> StoredRobots | None:
        """What was known, for when the file cannot be read again."""
        return self._store.load(origin)

    def keep(self, origin: str, status: int, text: str) -> StoredRobots:
        stored = StoredRobots(status, text, datetime.now(UTC) + KEPT_FOR)
        self._store.save(origin, stored)
        return self._put(origin, stored)

    def known(self, origin: str, robots: StoredRobots, target: str) -> RobotsAnswer | None:
        return self._answers.get((origin, robots.expires_at, target))

    def learn(self, origin: str, robots: StoredRobots, target: str, answer: RobotsAnswer) -> None:
        self._answers.put((origin, robots.expires_at, target), answer)

    def _put(self, origin: str, stored: StoredRobots) -> StoredRobots:
        if len(stored.body) <= LARGEST_AT_HAND:
            self._files.put(origin, stored)
        return stored
