"""One process on loopback that plays every host of the crawl: `crawl_origin.py '{"seed": 1, "latency": 0.3, …}'`.

It answers as a proxy (GET http://host/…, CONNECT host:443) and as the host itself (Host: …), on one port for http and
one for https; the ports are printed as JSON. Each answer takes its time from the seed, as do errors and stalls. Every
request is remembered: GET /log of the host `control` gives them all as JSON lines, GET /reset forgets them.
"""

import asyncio
import contextlib
import json
import ssl
import sys
import time
import zlib
from pathlib import Path
from typing import Any

from benchmarks.crawl_pages import make_pages

ROBOTS = b"User-agent: *\nDisallow: /private/\nAllow: /\n"
CONTROL = "control"
PLAIN = "text/plain"
REASONS = {200: "OK", 404: "Not Found", 503: "Service Unavailable"}


class World:
    """What the hosts are like, and what happened to them."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.seed = int(options.get("seed", 1))
        self.latency = float(options.get("latency", 0.3))
        self.spread = float(options.get("spread", 0.5))
        self.missing, self.errors, self.stalls = (
            float(options.get(name, 0)) for name in ("missing", "errors", "stalls")
        )
        self.pages = make_pages(self.seed)
        self.log: list[tuple[str, str, float, float, int, int]] = []
        self.seen: set[tuple[str, str]] = set()
        self.connections = 0
        self.certificates = Certificates(options["ca_file"]) if options.get("ca_file") else None

    def answer(self, host: str, path: str, *, packed: bool) -> tuple[float, int, bytes, str]:
        """Seconds until it is given, the status, the body, and how it is packed."""
        chance = zlib.crc32(f"{self.seed} {host}{path}".encode())
        delay = self.latency * (1 - self.spread + 2 * self.spread * (chance & 0xFFFF) / 0xFFFF)
        if path == "/robots.txt":
            return delay, 200, ROBOTS, ""
        share, first = (chance >> 16) / 0x10000, (host, path) not in self.seen
        self.seen.add((host, path))
        if share < self.missing:
            return delay, 404, b"not here\n", ""
        if first and share < self.missing + self.errors:
            return delay, 503, b"busy\n", ""
        if first and share < self.missing + self.errors + self.stalls:
            delay = 3600.0
        page = self.pages[chance % len(self.pages)]
        return (
            (delay, 200, page.gzipped(host.encode()), "gzip") if packed else (delay, 200, page.plain(host.encode()), "")
        )


class Certificates:
    """One for each host, by an authority whose certificate is written to a file."""

    def __init__(self, file: str) -> None:
        import trustme  # noqa: PLC0415 - http needs none

        self.authority = trustme.CA()
        self.authority.cert_pem.write_to_path(file)
        self.contexts: dict[str, ssl.SSLContext] = {}

    def context(self, host: str) -> ssl.SSLContext:
        if host not in self.contexts:
            self.contexts[host] = context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.authority.issue_cert(host).configure_cert(context)
        return self.contexts[host]

    def by_name(self) -> ssl.SSLContext:
        """For who asks the host itself: the name comes with the handshake."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert("nobody.example").configure_cert(context)

        def choose(connection: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
            connection.context = self.context(name or "nobody.example")

        context.sni_callback = choose
        return context


class Visitor(asyncio.Protocol):
    def __init__(self, world: World) -> None:
        self.world = world
        self.loop = asyncio.get_running_loop()
        self.received = b""
        self.tunnel = ""
        self.waiting: tuple[asyncio.TimerHandle, str, str, float] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.world.connections += 1
        self.number = self.world.connections

    def connection_lost(self, _: Exception | None) -> None:
        if self.waiting:
            timer, host, path, began = self.waiting
            timer.cancel()
            self.world.log.append((host, path, began, time.monotonic(), 0, self.number))

    def data_received(self, data: bytes) -> None:
        self.received += data
        if not self.received.endswith(b"\r\n\r\n"):
            return
        head, self.received = self.received, b""
        method, target, _ = head.split(b"\r\n", 1)[0].decode("ascii").split(" ", 2)
        if method == "CONNECT":
            self.transport.pause_reading()
            self.tunnel = target.rpartition(":")[0]
            self.transport.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self.task = self.loop.create_task(self._encrypt())
        elif target.startswith("/"):
            self._answer(self.tunnel or _host(head), target, head)
        else:
            host, slash, path = target.partition("://")[2].partition("/")
            self._answer(host.partition(":")[0], slash + path or "/", head)

    async def _encrypt(self) -> None:
        certificates = self.world.certificates
        with contextlib.suppress(OSError):
            if certificates is not None:
                context = certificates.context(self.tunnel)
                self.transport = await self.loop.start_tls(self.transport, self, context, server_side=True)

    def _answer(self, host: str, path: str, head: bytes) -> None:
        if host == CONTROL:
            self._control(path)
            return
        began = time.monotonic()
        delay, status, body, coding = self.world.answer(host, path, packed=b"gzip" in head)
        timer = self.loop.call_later(delay, self._send, status, body, coding)
        self.waiting = (timer, host, path, began)

    def _send(self, status: int, body: bytes, coding: str) -> None:
        if self.waiting:
            _, host, path, began = self.waiting
            self.waiting = None
            self.world.log.append((host, path, began, time.monotonic(), status, self.number))
        kind = PLAIN if body is ROBOTS or status != 200 else "text/html; charset=utf-8"
        packing = f"Content-Encoding: {coding}\r\n" if coding else ""
        head = (
            f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: {kind}\r\n{packing}Content-Length: {len(body)}\r\n"
            "Server: nginx\r\nVary: Accept-Encoding\r\nConnection: keep-alive\r\n\r\n"
        )
        self.transport.write(head.encode() + body)

    def _control(self, path: str) -> None:
        world = self.world
        if path == "/reset":
            world.log.clear()
            world.seen.clear()
        lines = world.log if path == "/log" else [len(world.log)]
        self._send(200, "".join(json.dumps(line) + "\n" for line in lines).encode(), "")


def _host(head: bytes) -> str:
    place = head.lower().find(b"\r\nhost:")
    return head[place + 7 : head.index(b"\r\n", place + 2)].decode("ascii").strip().partition(":")[0]


async def serve(options: dict[str, Any]) -> None:
    world, loop = World(options), asyncio.get_running_loop()
    plain = await loop.create_server(lambda: Visitor(world), "127.0.0.1", 0, backlog=4096)
    ports = {"port": plain.sockets[0].getsockname()[1]}
    if world.certificates:
        context = world.certificates.by_name()
        secure = await loop.create_server(lambda: Visitor(world), "127.0.0.1", 0, ssl=context, backlog=4096)
        ports["tls_port"] = secure.sockets[0].getsockname()[1]
    print(json.dumps(ports), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # until whoever started it leaves


def main() -> None:
    options = json.loads(sys.argv[1])
    try:
        import uvloop  # noqa: PLC0415 - at hand in the benchmark's own environment
    except ImportError:
        asyncio.run(serve(options))
    else:
        uvloop.run(serve(options))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
