"""The gate: which URLs are fetched at all, and which addresses a name may lead to.

A name is looked up once per connection, and the connection is made to the address that was looked at, so a name that
turns private between two looks leads nowhere.
"""

import socket
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from actors.errors import Denied, NotThere, Unreachable, Unusable
from actors.fetch.addresses import Address, Network, address_of, is_local_name, why_not_public
from actors.fetch.errand import Errand
from actors.parse.urls import LONGEST_URL, parse_url

Endpoint = tuple[str, int]
Resolve = Callable[[str, int], Sequence[Endpoint]]

PORTS = frozenset({80, 443, 8080, 8443})
_OWN_PORTS = {"http": 80, "https": 443}
_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


class Target(NamedTuple):
    """A URL that may be asked for, without user name and fragment."""

    url: str
    scheme: str
    host: str
    port: int
    path: str
    """With the query: what stands in the request line."""

    @property
    def said_port(self) -> int | None:
        """The port where it has to be said; a scheme's own is not."""
        return None if self.port == _OWN_PORTS[self.scheme] else self.port

    @property
    def authority(self) -> str:
        return self.host if self.said_port is None else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"


def system_resolve(host: str, port: int) -> Sequence[Endpoint]:
    # As bytes: Python's own IDNA would look at the name a second time, by older rules than the URL parser's.
    found = socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
    return [(str(sockaddr[0]), port) for *_, sockaddr in found]


class Guard:
    def __init__(
        self, *, resolve: Resolve = system_resolve, trusted: Sequence[Network] = (), any_port: bool = False
    ) -> None:
        self._resolve = resolve
        self._trusted = tuple(trusted)
        self._any_port = any_port

    def admit(self, text: str, base: str | None = None) -> Target:
        """Vet a URL before anything is sent; its names are vetted again, by address, when they are connected to."""
        url = parse_url(text, base)
        if url is None or len(url.href) > LONGEST_URL:
            shown = text if len(text) <= LONGEST_URL else f"{text[:100]}…"
            raise Unusable(f"{shown!r} is not a URL that can be fetched", kind="url", url=shown)
        if url.scheme not in _OWN_PORTS:
            raise Denied(f"{url.href}: only http and https are fetched", kind="scheme", url=url.href)
        port = _OWN_PORTS[url.scheme] if url.port is None else url.port
        if port not in PORTS and not self._any_port:
            raise Denied(f"{url.href}: port {port} is not fetched, only 80, 443, 8080, 8443", kind="port", url=url.href)
        self._check_host(url.href, url.host)
        path = f"{url.path}?{url.query}" if url.query else url.path
        target = Target("", url.scheme, url.host, port, path)
        return target._replace(url=target.origin + path)

    def _check_host(self, href: str, host: str) -> None:
        address = address_of(host)
        if address is not None:
            reason = self._why_not(address)
            if reason is not None:
                raise Denied(f"address {address} is {reason} and is not fetched", kind="address", url=href)
        elif is_local_name(host):
            raise Denied(f"{host} is a name of a local network and is not fetched", kind="address", url=href)

    def endpoints(self, errand: Errand, host: str, port: int, seconds: float) -> list[Endpoint]:
        """Where to connect to for a host: only addresses that may be fetched from."""
        literal = address_of(host)
        found = [(str(literal), port)] if literal else look_up(self._resolve, errand, host, port, seconds)
        refused: dict[str, str] = {}
        allowed: list[Endpoint] = []
        for endpoint in found:
            reason = self._why_not(ip_address(endpoint[0]))
            if reason is None:
                allowed.append(endpoint)
            else:
                refused[endpoint[0]] = reason
        if not allowed:
            address, reason = next(iter(refused.items()))
            message = f"address {address} of {host} is {reason} and is not fetched"
            raise Denied(message, kind="address", url=errand.url)
        return allowed

    def _why_not(self, address: Address) -> str | None:
        if any(address.version == network.version and address in network for network in self._trusted):
            return None
        return why_not_public(address)


def look_up(resolve: Resolve, errand: Errand, host: str, port: int, seconds: float) -> Sequence[Endpoint]:
    """Ask the resolver, which knows no time limit of its own, for no longer than this."""
    answers: SimpleQueue[Sequence[Endpoint] | OSError | UnicodeError] = SimpleQueue()

    def ask() -> None:
        try:
            answers.put(resolve(host, port))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    Thread(target=ask, name="name lookup", daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except Empty:
        message = f"the name {host} was not found out within {seconds:.0f} s"
        raise Unreachable(message, kind="dns", url=errand.url) from None
    if isinstance(answer, socket.gaierror) and answer.errno not in _NO_SUCH_NAME:
        message = f"the name {host} cannot be looked up just now: {answer.strerror}"
        raise Unreachable(message, kind="dns", url=errand.url) from answer
    if isinstance(answer, Exception) or not answer:
        raise NotThere(f"there is no host called {host}", kind="dns", url=errand.url)
    return answer
