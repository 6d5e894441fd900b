"""robots.txt files at hand: a few texts and answers in memory, all texts in the store of all processes."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

from actors.fetch.robots import RobotsStore, StoredRobots
from actors.parse.robots_reading import RobotsAnswer

KEPT_FOR = timedelta(hours=24)
# A crawl comes back to thousands of hosts in turn; nearly all files are short.
CHARACTERS_AT_HAND = 16_000_000
# A larger file is loaded again each time rather than kept in the place of many.
LARGEST_AT_HAND = 20_000
ANSWERS_AT_HAND = 4_096

Key = TypeVar("Key")
Value = TypeVar("Value")


class _Newest(Generic[Key, Value]):
    """The values that were used last, as many as fit: each takes the space that `size_of` says."""

    def __init__(self, most: int, size_of: Callable[[Value], int] = lambda _: 1) -> None:
        self._most = most
        self._size_of = size_of
        self._taken = 0
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
            old = self._values.pop(key, None)
            self._values[key] = value
            self._taken += self._size_of(value) - (0 if old is None else self._size_of(old))
            while self._taken > self._most:
                self._taken -= self._size_of(self._values.popitem(last=False)[1])


def _space(robots: StoredRobots) -> int:
    return len(robots.body) + 200


class RobotsShelf:
    """One per process; threads share it."""

    def __init__(self, store: RobotsStore) -> None:
        self._store = store
        self._files: _Newest[str, StoredRobots] = _Newest(CHARACTERS_AT_HAND, _space)
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
