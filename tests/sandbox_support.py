"""The real sandbox for tests: one pool of parser processes for the whole run, started by the first test that reads."""

import atexit
from functools import cache
from pathlib import Path

from actors.parse.wire_body import WireBody, WireHead
from actors.sandbox.limits import Limits
from actors.sandbox.pool import ParserPool
from actors.sandbox.reader import Reader

URL = "https://acme-bau.de/kontakt"
PAGE = b"<title>Kontakt</title><p>info@acme-bau.de</p><p>Tel. 030 987651</p>"


class Noted:
    """Remembers what the sandbox tells."""

    def __init__(self) -> None:
        self.missing: list[list[str]] = []
        self.reads: list[str] = []
        self.failures: list[tuple[str, str, str, str]] = []

    def started(self, missing: list[str]) -> None:
        self.missing.append(missing)

    def read(self, reader: str, _seconds: float) -> None:
        self.reads.append(reader)

    def failed(self, reader: str, limit: str, url: str, words: str) -> None:
        self.failures.append((reader, limit, url, words))

    def unavailable(self, words: str) -> None:
        self.failures.append(("", "unavailable", "", words))


@cache
def shared_pool() -> ParserPool:
    # A busy machine is no reason to fail a test.
    pool = ParserPool(Limits(seconds=30), 2, Noted())
    atexit.register(pool.close)
    return pool


def new_reader() -> Reader:
    return Reader(shared_pool())


def body(
    content: bytes, *, coding: str | None = None, content_type: str = "text/html", most: int = 5_000_000
) -> WireBody:
    return WireBody(WireHead(URL, coding, content_type, most), content)


def pool_of(size: int = 1, **limits: float) -> ParserPool:
    return ParserPool(Limits(**limits), size, Noted())


def parsers_of(pool: ParserPool) -> list[int]:
    server = pool.server_pid
    return [int(pid) for pid in Path(f"/proc/{server}/task/{server}/children").read_text().split()]
