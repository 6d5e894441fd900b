"""One request and its answer over vetted connections, directly or through the proxy; errors come out as ours."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpcore2
import httpx2

from actors.errors import Denied, FetchError, NotThere, Unreachable, Unusable
from actors.fetch.certificates import Contexts
from actors.fetch.connections import KEPT_SECONDS, Connection, IdleConnections, Peer, is_usable
from actors.fetch.errand import Errand
from actors.fetch.failures import fetch_errors
from actors.fetch.guard import Endpoint, Guard, Target, look_up, system_resolve
from actors.fetch.network import GuardedNetwork

# How a proxy tells that it could not find a host; anything else that it says about a host may pass.
PROXY_HEADER = "x-scrapersky-proxy"


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds; a request and its redirects share one deadline, the steps are bounded besides."""

    connect: float = 5
    read: float = 10
    request: float = 30
    stream: float = 120


def http_proxy(url: str) -> httpx2.Proxy:
    """The proxy of the settings; its password is kept out of every message."""
    proxy = httpx2.Proxy(url)
    if proxy.url.scheme not in {"http", "https"}:
        raise ValueError(f"the proxy must be reached by http:// or https://, not {proxy.url.scheme}://")
    return proxy


class Transport:
    """What the connections of all runs have in common. One per process."""

    def __init__(self, guard: Guard, contexts: Contexts, proxy: httpx2.Proxy | None, patience: Patience) -> None:
        self.network = GuardedNetwork(guard.endpoints if proxy is None else _proxy_endpoints)
        self.contexts = contexts
        self.proxy = proxy
        self.timeouts = {"connect": patience.connect, "read": patience.read, "write": patience.read, "pool": 0}
        self.idle = IdleConnections()

    def open(self, peer: Peer) -> Connection:
        """A connection that is made with its first request. Through a proxy, its pool of one."""
        context = self.contexts.verified if peer.is_verified else self.contexts.unverified
        if self.proxy is None:
            return httpcore2.HTTPConnection(
                httpcore2.Origin(peer.scheme, peer.host, peer.port),
                ssl_context=context,
                keepalive_expiry=KEPT_SECONDS,
                network_backend=self.network,
            )
        url = self.proxy.url
        return httpcore2.HTTPProxy(
            httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/"),
            proxy_auth=self.proxy.raw_auth,
            ssl_context=context,
            proxy_ssl_context=self.contexts.verified if url.scheme == "https" else None,
            keepalive_expiry=KEPT_SECONDS,
            network_backend=self.network,
        )


class Wire:
    """The connections of one run: kept open between its requests, one request at a time."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._connections: dict[Peer, Connection] = {}

    def send(
        self,
        errand: Errand,
        target: Target,
        headers: Mapping[str, str],
        *,
        method: str = "GET",
        content: bytes | None = None,
        verified: bool = True,
    ) -> httpx2.Response:
        """The head of the answer; its body is read from the stream, and closed, by the caller."""
        errand.url = target.url
        self._transport.network.errand = errand
        trace = _Trace()
        url = httpcore2.URL(
            scheme=target.scheme, host=target.host.strip("[]"), port=target.said_port, target=target.path
        )
        request = httpcore2.Request(
            method,
            url,
            headers=[(name.encode("ascii"), value.encode()) for name, value in self._all(headers, target, content)],
            content=content,
            extensions={"timeout": self._transport.timeouts, "trace": trace},
        )
        peer = Peer(url.scheme, url.host, url.origin.port, verified)
        try:
            answer = self._exchange(peer, request, errand)
        except Unreachable as error:
            # A server may close a connection that it kept open at the very moment when we use it again.
            if error.kind != "cut_off" or trace.has_connected or method != "GET":
                raise
            answer = self._exchange(peer, request, errand)
        response = httpx2.Response(answer.status, headers=answer.headers, stream=_Body(answer, errand))
        if self._transport.proxy is not None and response.headers.get(PROXY_HEADER) == "dns":
            response.close()
            raise _no_such_host(errand)
        return response

    def _exchange(self, peer: Peer, request: httpcore2.Request, errand: Errand) -> httpcore2.Response:
        connection = self._connection(peer)
        try:
            with fetch_errors(errand):
                return connection.handle_request(request)
        except BaseException as error:
            self._drop(peer)
            if isinstance(error, httpcore2.ProxyError):
                raise _proxy_refusal(errand, request.extensions["trace"]) from error
            if isinstance(error, Unreachable) and error.kind == "connect" and self._transport.proxy is not None:
                raise Unreachable(f"{errand.url}: the proxy cannot be reached", kind="proxy", url=errand.url) from error
            raise

    def _connection(self, peer: Peer) -> Connection:
        """The run's own, one that another run left open, or a new one."""
        held = self._connections.get(peer)
        if held is not None and not is_usable(held):
            self._drop(peer)
            held = None
        if held is None:
            held = self._connections[peer] = self._transport.idle.take(peer) or self._transport.open(peer)
        return held

    def _drop(self, peer: Peer) -> None:
        connection = self._connections.pop(peer, None)
        if connection is not None:
            connection.close()

    @staticmethod
    def _all(headers: Mapping[str, str], target: Target, content: bytes | None) -> Iterator[tuple[str, str]]:
        yield "Host", target.authority
        yield from headers.items()
        if content is not None:
            yield "Content-Length", str(len(content))

    def close(self) -> None:
        """They are left to the next run that has the same host to visit."""
        for peer, connection in self._connections.items():
            self._transport.idle.keep(peer, connection)
        self._connections.clear()


class _Body(httpx2.SyncByteStream):
    """The body as it comes over the wire; what comes is counted, for not all of it need come out of a decoder."""

    def __init__(self, answer: httpcore2.Response, errand: Errand) -> None:
        self._answer = answer
        self._errand = errand

    def __iter__(self) -> Iterator[bytes]:
        stream = self._answer.stream
        if not isinstance(stream, Iterable):
            return
        received = 0
        for chunk in stream:
            received += len(chunk)
            if received > self._errand.most:
                raise too_large(self._errand)
            yield chunk

    def close(self) -> None:
        self._answer.close()


@dataclass(slots=True)
class _Trace:
    """What httpcore2 tells of nowhere else: whether it made a connection, and what a proxy answered to CONNECT."""

    has_connected: bool = False
    status: int = 0
    headers: httpx2.Headers = field(default_factory=httpx2.Headers)

    def __call__(self, event: str, info: dict[str, Any]) -> None:
        if event == "connection.connect_tcp.started":
            self.has_connected = True
        elif event == "http11.receive_response_headers.complete" and info["return_value"]:
            _, self.status, _, headers = info["return_value"]
            self.headers = httpx2.Headers(headers)


def too_large(errand: Errand) -> Unusable:
    return Unusable(f"{errand.url}: more than {errand.most:,} bytes", kind="too_large", url=errand.url)


def _proxy_endpoints(errand: Errand, host: str, port: int, seconds: float) -> Sequence[Endpoint]:
    """The proxy is the owner's choice, wherever it stands."""
    try:
        return look_up(system_resolve, errand, host, port, seconds)
    except FetchError as error:
        raise Unreachable(f"{errand.url}: the proxy cannot be found", kind="proxy", url=errand.url) from error


def _proxy_refusal(errand: Errand, proxy_said: _Trace) -> FetchError:
    if proxy_said.headers.get(PROXY_HEADER) == "dns":
        return _no_such_host(errand)
    message = f"{errand.url}: the proxy answered {proxy_said.status}"
    if proxy_said.status == httpx2.codes.FORBIDDEN:
        return Denied(message, kind="proxy", url=errand.url)
    return Unreachable(message, kind="proxy", url=errand.url)


def _no_such_host(errand: Errand) -> NotThere:
    return NotThere(f"{errand.url}: there is no such host", kind="dns", url=errand.url)
