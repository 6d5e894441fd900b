"""A web of our own: real HTTP and HTTPS servers on loopback that answer for every name they are given pages for.

with LocalWeb({"https://clinic.example/": "<h1>Hello</h1>"}) as local:
    answer = web_for(local).get("https://clinic.example/")
"""

import atexit
import shutil
import socket
import ssl
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import BinaryIO, Self, TypeVar

import trustme

from actors.fetch.web import Patience, StoredRobots, Web, WebClient, WebOptions
from tests.sandbox_support import new_reader

USER_AGENT = "ScraperSkyTest/1.0 (+https://scrapersky.example/bot)"
TRUSTED = (ip_network("127.0.0.1/32"),)


@dataclass(frozen=True)
class Asked:
    """A request as the server saw it; header names are in lower case."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: str | bytes = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Bytes that are written as they are, piece by piece, before the connection is closed."""

    pieces: Iterable[bytes]


Page = str | bytes | Reply | Raw
Pages = Mapping[str, Page | Callable[[Asked], Page]]


Closable = TypeVar("Closable", Web, WebClient)


def redirect(location: str, status: int = 302) -> Reply:
    return Reply(status, headers={"Location": location})


@cache
def authority() -> trustme.CA:
    return trustme.CA()


@cache
def authority_file() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="scrapersky-authority-"))
    atexit.register(shutil.rmtree, directory)
    authority().cert_pem.write_to_path(directory / "ca.pem")
    return directory / "ca.pem"


@cache
def certificate(name: str) -> trustme.LeafCert:
    return authority().issue_cert(name)


@cache
def server_context(name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate(name).configure_cert(context)
    return context


class MemoryRobots:
    """A robots store that forgets everything with the test; it may know origins that have no robots.txt."""

    def __init__(self, *without: str) -> None:
        tomorrow = datetime.now(UTC) + timedelta(days=1)
        self.files = {origin: StoredRobots(404, "", tomorrow) for origin in without}

    def load(self, origin: str) -> StoredRobots | None:
        return self.files.get(origin)

    def save(self, origin: str, robots: StoredRobots) -> None:
        self.files[origin] = robots


class LocalWeb:
    """Pages by URL; what is not there is a 404. `asked` lists the requests, robots.txt ones too.

    It is a proxy as well; `certificate_for` a name may be None, and then TLS fails.
    """

    def __init__(
        self, pages: Pages, *, certificate_for: Callable[[str], ssl.SSLContext | None] = server_context
    ) -> None:
        self.pages = dict(pages)
        self.asked: list[Asked] = []
        self.certificate_for = certificate_for
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.ports = {80: self._serve("http"), 443: self._serve("https")}
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def urls(self) -> list[str]:
        """What was asked for, without the robots.txt files."""
        return [asked.url for asked in self.asked if not asked.url.endswith("/robots.txt")]

    def resolve(self, _host: str, port: int) -> list[tuple[str, int]]:
        return [("127.0.0.1", self.ports.get(port, port))]

    def until_closed(self, web: Closable) -> Closable:
        self._stack.callback(web.close)
        return web

    def _serve(self, scheme: str) -> int:
        server = _Server(("127.0.0.1", 0), _Handler)
        server.local, server.scheme = self, scheme
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self._stack.callback(server.server_close)
        self._stack.callback(thread.join)
        self._stack.callback(server.shutdown)
        return server.server_address[1]

    def page_for(self, asked: Asked) -> Page:
        page = self.pages.get(asked.url, Reply(404, "not here"))
        return page(asked) if callable(page) else page


def options_for(local: LocalWeb, **changes: object) -> WebOptions:
    known = {
        "user_agent": USER_AGENT,
        "pause": timedelta(0),
        "ca_file": authority_file(),
        "resolve": local.resolve,
        "trusted": TRUSTED,
        "patience": Patience(connect=5, read=5, request=10, stream=20),
    }
    return WebOptions(**{**known, **changes})


def client_for(local: LocalWeb, robots: MemoryRobots | None = None, **changes: object) -> WebClient:
    return local.until_closed(WebClient(options_for(local, **changes), robots or MemoryRobots()))


def web_for(local: LocalWeb, robots: MemoryRobots | None = None, **changes: object) -> Web:
    """A real Web whose names all lead to the local server; it is closed with it."""
    return local.until_closed(client_for(local, robots, **changes).open(new_reader()))


class _Server(ThreadingTCPServer):
    request_queue_size = 50
    # A handler that still writes when its test is over ends with the connection, and nobody waits for it.
    daemon_threads = True
    local: LocalWeb
    scheme: str

    def handle_error(self, *_: object) -> None:
        """A client that goes away is what many tests are about."""


class _Handler(BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.request.settimeout(10)
        with suppress(OSError, ValueError):
            self._talk(self.request, self.server.scheme)

    def _talk(self, connection: socket.socket, scheme: str) -> None:
        with self._secured() if scheme == "https" else connection as talking, talking.makefile("rb") as lines:
            while self._answer(talking, lines, scheme):
                pass

    def _secured(self) -> ssl.SSLSocket:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

        def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> int | None:
            chosen = self.server.local.certificate_for(name or "nameless.example")
            if chosen is None:
                return ssl.ALERT_DESCRIPTION_HANDSHAKE_FAILURE
            connection.context = chosen
            return None

        context.sni_callback = choose
        certificate("nameless.example").configure_cert(context)
        return context.wrap_socket(self.request, server_side=True)

    def _answer(self, connection: socket.socket, lines: BinaryIO, scheme: str) -> bool:
        asked = _read(lines, scheme)
        if asked is None:
            return False
        self.server.local.asked.append(asked)
        if asked.method == "CONNECT" and asked.url not in self.server.local.pages:
            connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            self._talk(connection, "https")
            return False
        page = self.server.local.page_for(asked)
        if isinstance(page, Raw):
            for piece in page.pieces:
                connection.sendall(piece)
            return False
        connection.sendall(_written(page, asked))
        return True


def _read(lines: BinaryIO, scheme: str) -> Asked | None:
    words = lines.readline().decode("latin-1").split()
    if len(words) < 2:
        return None
    headers = {}
    while line := lines.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = lines.read(int(headers.get("content-length", 0)))
    # A proxy is asked for a whole URL, or to connect to a host and port; a server is asked for a path.
    url = f"{scheme}://{headers['host']}{words[1]}" if words[1].startswith("/") else words[1]
    return Asked(words[0], url, headers, body)


def _written(page: Page, asked: Asked) -> bytes:
    reply = page if isinstance(page, Reply) else Reply(200, page)
    body = reply.body.encode() if isinstance(reply.body, str) else reply.body
    if reply.status == 304:
        body = b""
    headers = {"Content-Type": _content_type(asked.url), "Content-Length": str(len(body)), **reply.headers}
    head = [f"HTTP/1.1 {reply.status} X", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + (b"" if asked.method == "HEAD" else body)


def _content_type(url: str) -> str:
    path = url.partition("?")[0]
    if path.endswith(".xml"):
        return "application/xml"
    return "text/plain; charset=utf-8" if path.endswith(".txt") else "text/html; charset=utf-8"
