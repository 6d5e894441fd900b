"""What the world saw of its visitors: one entry per request, with its times."""

import threading
from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Visit:
    scheme: str
    host: str
    path: str
    agent: str
    status: int
    began: float
    ended: float
    """When the answer began to leave."""

    @property
    def is_robots(self) -> bool:
        return self.path == "/robots.txt"


class Visits:
    def __init__(self) -> None:
        self._all: list[Visit] = []
        self._pages_asked: dict[str, int] = defaultdict(int)
        self._nowhere: set[str] = set()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        with self._lock:
            return len(self._all)

    def add(self, visit: Visit) -> None:
        with self._lock:
            self._all.append(visit)

    def number(self, host: str, path: str) -> int:
        """How often this host was asked before for anything but its robots.txt."""
        with self._lock:
            earlier = self._pages_asked[host]
            self._pages_asked[host] += path != "/robots.txt"
            return earlier

    def turned_away(self, host: str) -> None:
        with self._lock:
            self._nowhere.add(host)

    @property
    def nowhere(self) -> set[str]:
        """The hosts that were asked for and do not answer, or do not exist."""
        with self._lock:
            return set(self._nowhere)

    def all(self) -> list[Visit]:
        with self._lock:
            return list(self._all)

    def by_host(self) -> dict[str, list[Visit]]:
        """In the order in which they began."""
        hosts: dict[str, list[Visit]] = defaultdict(list)
        for visit in sorted(self.all(), key=lambda visit: visit.began):
            hosts[visit.host].append(visit)
        return dict(hosts)
