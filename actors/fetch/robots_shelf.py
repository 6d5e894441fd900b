"""robots.txt files at hand: a few parsed ones in memory, all of them in the store of all processes."""

from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from threading import Lock

from actors.fetch.robots import Robots, RobotsStore, StoredRobots

KEPT_FOR = timedelta(hours=24)
PARSED_FILES = 128
# A larger file is parsed again each time rather than kept in memory a hundredfold.
LARGEST_PARSED = 20_000


class RobotsShelf:
    """One per process; threads share it."""

    def __init__(self, store: RobotsStore, agent: str) -> None:
        self._store = store
        self._agent = agent
        self._parsed: OrderedDict[str, tuple[datetime, Robots]] = OrderedDict()
        self._lock = Lock()

    def fresh(self, origin: str) -> Robots | None:
        """What is known and has not expired."""
        now = datetime.now(UTC)
        with self._lock:
            expires_at, robots = self._parsed.get(origin, (now, None))
            if robots is not None and expires_at > now:
                self._parsed.move_to_end(origin)
                return robots
        stored = self._store.load(origin)
        return self._put(origin, stored) if stored is not None and stored.expires_at > now else None

    def stale(self, origin: str) -> Robots | None:
        """What was known, for when the file cannot be read again."""
        stored = self._store.load(origin)
        return None if stored is None else self._parse(origin, stored)

    def keep(self, origin: str, status: int, text: str) -> Robots:
        stored = StoredRobots(status, text, datetime.now(UTC) + KEPT_FOR)
        self._store.save(origin, stored)
        return self._put(origin, stored)

    def _put(self, origin: str, stored: StoredRobots) -> Robots:
        robots = self._parse(origin, stored)
        if len(stored.body) <= LARGEST_PARSED:
            with self._lock:
                self._parsed[origin] = (stored.expires_at, robots)
                self._parsed.move_to_end(origin)
                if len(self._parsed) > PARSED_FILES:
                    self._parsed.popitem(last=False)
        return robots

    def _parse(self, origin: str, stored: StoredRobots) -> Robots:
        return Robots(stored.body, url=f"{origin}/robots.txt", agent=self._agent)
