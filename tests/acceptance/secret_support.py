"""Recognisable secrets for every setting that holds one, in all the shapes in which they could get out."""

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

DATABASE, LISTEN, BROKER, PROXY, PLACES = (
    f"Zq{name}7Secret" for name in ("Data", "Listen", "Broker", "Proxy", "Places")
)
SECRETS = (DATABASE, LISTEN, BROKER, PROXY, PLACES)


def shapes(secret: str) -> list[bytes]:
    """As it is, in a URL, and as a part of what Basic authentication makes of it."""
    coded = [base64.b64encode(b"x" * shift + secret.encode())[4:-4] for shift in (0, 1, 2)]
    return [secret.encode(), quote(secret).encode(), *coded, base64.b64encode(f"user:{secret}".encode())]


def leaks(text: bytes | str) -> list[str]:
    """The secrets that stand in it in any shape."""
    data = text.encode() if isinstance(text, str) else text
    return [secret for secret in SECRETS if any(shape in data for shape in shapes(secret))]


def with_password(url: str, secret: str) -> str:
    """The embedded server asks the kernel who knocks; a password is taken along and not needed."""
    return url.replace("//scrapersky@", f"//scrapersky:{secret}@")


def titles(pids: list[int]) -> bytes:
    """What `ps` shows to everybody on the machine."""
    return b"\n".join(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids)


class Repeater(BaseHTTPRequestHandler):
    """A proxy that refuses everything and says in its answer all that it was told."""

    def refuse(self) -> None:
        told = f"{self.requestline}\n{self.headers}".encode()
        self.send_response(self.server.status, f"refused {self.headers.get('Proxy-Authorization')}")  # type: ignore[attr-defined]
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)
        self.server.asked.append(self.requestline)  # type: ignore[attr-defined]

    do_GET = do_POST = do_CONNECT = do_HEAD = refuse  # noqa: N815 - http.server's names

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def repeating_proxy(status: int) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repeater)
    server.status, server.asked = status, []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
