"""Connections that a run leaves open, kept for a moment: the next page of the same host may use them."""

import threading
from collections import OrderedDict
from typing import NamedTuple

import httpcore2

# Most servers close a connection that was idle for five seconds or more; a crawl comes back after its pause of one.
KEPT_SECONDS = 10.0
MOST_KEPT = 512


class Peer(NamedTuple):
    """Whom a connection is good for."""

    scheme: bytes
    host: bytes
    port: int
    is_verified: bool


class IdleConnections:
    """One per process. Connections are taken out to be used, so no two runs share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: OrderedDict[Peer, httpcore2.HTTPConnection] = OrderedDict()

    def take(self, peer: Peer) -> httpcore2.HTTPConnection | None:
        with self._lock:
            connection = self._idle.pop(peer, None)
        if connection is None:
            return None
        if connection.is_available() and not connection.has_expired():
            return connection
        connection.close()
        return None

    def keep(self, peer: Peer, connection: httpcore2.HTTPConnection) -> None:
        """Where the server allows it; too many, or too old ones, are closed."""
        left_over = []
        with self._lock:
            if connection.is_idle() and peer not in self._idle:
                self._idle[peer] = connection
            else:
                left_over.append(connection)
            while self._idle and (len(self._idle) > MOST_KEPT or self._oldest().has_expired()):
                left_over.append(self._idle.popitem(last=False)[1])
        for each in left_over:
            each.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, OrderedDict()
        for connection in idle.values():
            connection.close()

    def _oldest(self) -> httpcore2.HTTPConnection:
        return next(iter(self._idle.values()))
