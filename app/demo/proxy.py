"""The only way into the demo world: an HTTP proxy on loopback that plays every server behind it.

http    GET http://host/path    answered as that host
https   CONNECT host:443        TLS ends here, with a certificate of the demo's own authority
A host that is not in the world is a 502 that says so, as is one that refuses connections.
"""

import contextlib
import gzip
import hashlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from app.demo.authority import Authority
from app.demo.visits import Visit, Visits
from app.demo.world.site import Certificate, Reply, Request, Site

PLACES_HOST = "places.googleapis.com"
LARGE = 2**20  # above, nothing is hashed or packed
PROBLEM_HEADER = "X-ScraperSky-Proxy"
DRIP_SECONDS = 1.0

PlacesHandler = Callable[[str, str, Mapping[str, str], bytes], tuple[int, Mapping[str, str], bytes]]


class Proxy(ThreadingTCPServer):
    """Serves from a thread of its own between `with` and its end."""

    allow_reuse_address = True
    daemon_threads = False  # joined at the end, so that no connection outlives the proxy
    request_queue_size = 128

    def __init__(
        self,
        sites: Iterable[Site],
        authority: Authority,
        places: PlacesHandler | None = None,
        visits: Visits | None = None,
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Visitor)
        self.sites = {host: site for site in sites for host in site.hosts}
        self.authority = authority
        self.places = places
        self.visits = Visits() if visits is None else visits
        self.closing = threading.Event()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, name="demo world")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.shutdown()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()
        self._thread.join()

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.add(connection)

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.discard(connection)

    def problem(self, host: str) -> str | None:
        """Why nobody answers there, in a word."""
        if host == PLACES_HOST and self.places is not None:
            return None
        site = self.sites.get(host)
        if site is None:
            return "dns"
        return "refused" if site.refuses else None

    def context(self, host: str) -> ssl.SSLContext:
        site = self.sites.get(host)
        return self.authority.context(host, site.certificate if site else Certificate.GOOD)

    def answer(self, method: str, request: Request, body: bytes) -> Reply:
        if request.host == PLACES_HOST and self.places is not None:
            status, headers, content = self.places(method, request.path, request.headers, body)
            return Reply(content, None, status, headers)
        return self.sites[request.host].answer(request)


class _Visitor(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy
    connection: socket.socket
    tunnel: str | None = None

    def setup(self) -> None:
        super().setup()
        self.server.opened(self.connection)

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()
        self.server.closed(self.connection)
        self.connection.close()

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True

    def do_CONNECT(self) -> None:
        host = self.path.rpartition(":")[0]
        if problem := self.server.problem(host):
            self._refuse(host, problem)
            return
        self.send_response_only(200, "Connection established")
        self.end_headers()
        plain = self.connection
        secure = self.server.context(host).wrap_socket(plain, server_side=True)
        self.server.closed(plain)
        self.server.opened(secure)
        self.connection, self.tunnel = secure, host
        self.rfile, self.wfile = secure.makefile("rb"), secure.makefile("wb")
        self.close_connection = False

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        scheme, host, path = self._target()
        if problem := self.server.problem(host):
            self._refuse(host, problem)
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        began = time.monotonic()
        earlier = self.server.visits.number(host, path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.answer(self.command, Request(scheme, host, path, headers, earlier), body)
        # Written down before the answer leaves: whoever has read the answer finds the visit.
        agent = headers.get("user-agent", "")
        self.server.visits.add(Visit(scheme, host, path, agent, reply.status, began, time.monotonic()))
        self._send(reply)

    def _target(self) -> tuple[str, str, str]:
        if self.tunnel is not None:
            return "https", self.tunnel, self.path
        url = urlsplit(self.path)
        path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        return url.scheme, url.hostname or "", path

    def _refuse(self, host: str, problem: str) -> None:
        self.server.visits.turned_away(host)
        self.send_response_only(502, "Bad Gateway")
        self.send_header(PROBLEM_HEADER, problem)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.wfile.flush()

    def _send(self, reply: Reply) -> None:
        content, headers = reply.content, dict(reply.headers)
        if reply.kind is not None:
            headers["Content-Type"] = reply.kind
        if reply.status == HTTPStatus.OK and len(content) < LARGE:
            headers["ETag"] = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            if self.headers.get("If-None-Match") == headers["ETag"]:
                self._write(HTTPStatus.NOT_MODIFIED, headers, b"")
                return
            if "Content-Encoding" not in headers and "gzip" in self.headers.get("Accept-Encoding", ""):
                content = gzip.compress(content, 1, mtime=0)
                headers["Content-Encoding"] = "gzip"
        self._write(reply.status, headers, content, drips=reply.drips)

    def _write(self, status: int, headers: Mapping[str, str], content: bytes, *, drips: bool = False) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not drips:
            self.wfile.write(content)
            self.wfile.flush()
            return
        for byte in content:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.closing.wait(DRIP_SECONDS):
                return
