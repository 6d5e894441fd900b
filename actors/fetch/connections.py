"""Connections that a run leaves open, kept for a moment: the next page of the same host may use them."""

import threading
from collections import OrderedDict
from typing import NamedTuple

import httpcore2

# Most servers close a connection that was idle for five seconds or more; a crawl comes back after its pause of one.
KEPT_SECONDS = 10.0
MOST_KEPT = 512


Connection = httpcore2.HTTPConnection | httpcore2.HTTPProxy
"""Through a proxy, a pool that has one connection at the most, because a run asks for one thing at a time."""


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
        self._idle: OrderedDict[Peer, Connection] = OrderedDict()

    def take(self, peer: Peer) -> Connection | None:
        with self._lock:
            connection = self._idle.pop(peer, None)
        if connection is None or is_usable(connection):
            return connection
        connection.close()
        return None

    def keep(self, peer: Peer, connection: Connection) -> None:
        """Where the server allows it; too many, or too old ones, are closed."""
        left_over = []
        with self._lock:
            if is_usable(connection) and peer not in self._idle:
                self._idle[peer] = connection
            else:
                left_over.append(connection)
            while self._idle and (len(self._idle) > MOST_KEPT or not is_usable(self._oldest())):
                left_over.append(self._idle.popitem(last=False)[1])
        for each in left_over:
            each.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, OrderedDict()
        for connection in idle.values():
            connection.close()

    def _oldest(self) -> Connection:
        return next(iter(self._idle.values()))


def is_usable(connection: Connection) -> bool:
    """Whether it is open, idle and not too old."""
    parts = connection.connections if isinstance(connection, httpcore2.HTTPProxy) else [connection]
    return bool(parts) and all(part.is_idle() and not part.has_expired() for part in parts)
