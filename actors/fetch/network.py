"""Sockets for httpcore2: made to vetted addresses only, and each step within the errand's deadline."""

import ssl
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import httpcore2

from actors.fetch.errand import Errand
from actors.fetch.guard import Endpoint

# A name with many addresses that all keep silent should not use up the errand.
MOST_ADDRESSES = 4

FindEndpoints = Callable[[Errand, str, int, float], Sequence[Endpoint]]


class GuardedNetwork(httpcore2.NetworkBackend):
    """One per process. The errand of a request is set before it, by its thread: a connection outlives its errand."""

    def __init__(self, find_endpoints: FindEndpoints) -> None:
        self._local = threading.local()
        self._find_endpoints = find_endpoints
        self._sockets = httpcore2.SyncBackend()

    @property
    def errand(self) -> Errand:
        errand: Errand = self._local.errand
        return errand

    @errand.setter
    def errand(self, errand: Errand) -> None:
        self._local.errand = errand

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        left = self.errand.deadline.left
        failure: Exception | None = None
        for address, its_port in self._find_endpoints(self.errand, host, port, left(timeout))[:MOST_ADDRESSES]:
            try:
                stream = self._sockets.connect_tcp(address, its_port, left(timeout), local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
            else:
                return _TimedStream(stream, self)
        raise failure or httpcore2.ConnectError(f"no address of {host}")


class _TimedStream(httpcore2.NetworkStream):
    """Passes everything on, with what is left of the deadline where the caller would wait longer."""

    def __init__(self, stream: httpcore2.NetworkStream, network: GuardedNetwork) -> None:
        self._stream = stream
        self._network = network

    def _left(self, timeout: float | None) -> float:
        return self._network.errand.deadline.left(timeout)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            stream = self._stream.start_tls(ssl_context, server_hostname, self._left(timeout))
        except BaseException:
            self._stream.close()
            raise
        return _TimedStream(stream, self._network)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
