"""The parser processes of a worker, lent to one run at a time.

For documents there are as many as it has cores to use, lent in turn. A stream takes as long as its site wants, and has
one of its own beside them: a site that drips keeps nobody waiting.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from actors.sandbox.fork_server import ForkServer, Parser, SandboxError
from actors.sandbox.limits import Limits

# With a single parser process, one slow document would keep all others waiting.
FEWEST: Final = 2
# A wake-up that is lost with an interrupted thread costs no more than this.
_LOOK_AGAIN_SECONDS: Final = 0.2
_OWN_CGROUP: Final = Path("/proc/self/cgroup")
_CGROUPS: Final = Path("/sys/fs/cgroup")


class Watch(Protocol):
    """Is told what happens; by it the sandbox is counted and logged."""

    def started(self, missing: list[str]) -> None: ...

    def read(self, reader: str, seconds: float) -> None: ...

    def failed(self, reader: str, limit: str, url: str, words: str) -> None: ...

    def unavailable(self, words: str) -> None: ...


@dataclass(eq=False)
class _Place:
    """For one parser process. Whoever holds the place may use it."""

    holder: object | None = None
    parser: Parser | None = None


def parsers_per_process(processes: int) -> int:
    return max(FEWEST, -(-usable_cores() // processes))


def usable_cores() -> int:
    """Those that this process may run on, and no more than its cgroup's share of processor time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no cgroup of version 2, or "max": no limit
        group = _OWN_CGROUP.read_text(encoding="utf-8").rpartition("::/")[2].strip()
        quota, period = (_CGROUPS / group / "cpu.max").read_text(encoding="ascii").split()
        return min(cores, -(-int(quota) // int(period)))
    return cores


class ParserPool:
    """One per worker process; its threads share it. Each has one stream at a time, so there are no more than threads.

    A thread may be interrupted at any line by the time limit of its row. What it held is then found by its name: every
    borrower calls `leave` in the end, where no interrupt reaches it.
    """

    def __init__(self, limits: Limits, size: int, watch: Watch) -> None:
        self.limits = limits
        self.watch = watch
        self._places = [_Place() for _ in range(size)]
        self._streams: list[_Place] = []
        # A plain lock is what an interrupted thread can not leave in disorder; released, it is the waiter's turn.
        self._waiting: dict[object, threading.Lock] = {}
        self._lock = threading.Lock()
        self._server_lock = threading.Lock()
        self._server: ForkServer | None = None

    def start(self) -> None:
        """Start the fork server now: before this process gives up the rights to read the interpreter's files."""
        self._the_server()

    @property
    def server_pid(self) -> int | None:
        return self._server.pid if self._server else None

    def borrow(self, holder: object) -> Parser:
        """A parser process of one's own until `give_back` or `leave`, for a document; waits for its turn."""
        turn = threading.Lock()
        with self._lock:
            self._waiting[holder] = turn
        while True:
            with self._lock:
                place = _free(self._places) if next(iter(self._waiting), None) is holder else None
                if place is not None:
                    place.holder = holder
                    del self._waiting[holder]
                    self._wake_next()
            if place is not None:
                break
            turn.acquire(timeout=_LOOK_AGAIN_SECONDS)
        return self._parser_of(place)

    def borrow_for_stream(self, holder: object) -> Parser:
        """The same for a stream, without waiting."""
        with self._lock:
            place = _free(self._streams)
            if place is None:
                place = _Place()
                self._streams.append(place)
            place.holder = holder
        return self._parser_of(place)

    def give_back(self, holder: object) -> None:
        """The parser has answered and is in order; after its share of documents it is ended all the same."""
        self._vacate(holder, lambda parser: parser.documents >= self.limits.documents)

    def discard(self, holder: object) -> int | None:
        """End the parser; how it ended, as os.wait tells."""
        status = None
        for place in self._held(holder):
            parser, place.parser = place.parser, None
            if parser is not None:
                status = parser.end()
        self.leave(holder)
        return status

    def leave(self, holder: object) -> None:
        """Take from the holder what it still has or waits for; a parser that it left in the middle is ended."""
        with self._lock:
            self._waiting.pop(holder, None)
            self._wake_next()
        self._vacate(holder, lambda _: True)

    def close(self) -> None:
        for place in (*self._places, *self._streams):
            if place.parser is not None:
                place.parser.end()
                place.parser = None
        if self._server is not None:
            self._end(self._server)

    def _held(self, holder: object) -> list[_Place]:
        return [place for place in (*self._places, *self._streams) if place.holder is holder]

    def _parser_of(self, place: _Place) -> Parser:
        if place.parser is None:
            place.parser = self._fork()
        return place.parser

    def _vacate(self, holder: object, is_over: Callable[[Parser], bool]) -> None:
        for place in self._held(holder):
            parser = place.parser
            if parser is not None and is_over(parser):
                place.parser = None
                parser.end()
            with self._lock:
                place.holder = None
                self._wake_next()

    def _wake_next(self) -> None:
        for turn in self._waiting.values():
            if turn.locked():
                turn.release()
            return

    def _fork(self) -> Parser:
        try:
            parser = self._forked()
        except SandboxError:
            try:
                parser = self._forked()
            except SandboxError as error:
                self.watch.unavailable(str(error))
                raise
        self.watch.started(parser.missing)
        return parser

    def _forked(self) -> Parser:
        server = self._the_server()
        try:
            return server.fork()
        except SandboxError:
            self._end(server)
            raise

    def _the_server(self) -> ForkServer:
        with self._server_lock:
            if self._server is None:
                self._server = ForkServer(self.limits)
            return self._server

    def _end(self, server: ForkServer) -> None:
        """Another thread may have put a new one in its place already: that one stays."""
        with self._server_lock:
            if self._server is server:
                self._server = None
        server.close()


def _free(places: list[_Place]) -> _Place | None:
    """One with a parser before one without."""
    free = [place for place in places if place.holder is None]
    return next((place for place in free if place.parser is not None), free[0] if free else None)
