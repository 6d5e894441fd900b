"""The web as a workflow sees it: polite, bounded, and with an error type for everything that goes wrong."""

import json as json_text
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from actors.errors import Busy, FetchError, Unusable
from actors.fetch.addresses import Network
from actors.fetch.answer import Answer
from actors.fetch.certificates import contexts
from actors.fetch.courier import Courier
from actors.fetch.deadline import Deadline
from actors.fetch.errand import Errand
from actors.fetch.failures import fetch_errors, is_success
from actors.fetch.guard import Guard, Resolve, system_resolve
from actors.fetch.pace import Pace
from actors.fetch.permission import Permission
from actors.fetch.robots import Robots, RobotsStore, StoredRobots, product_token
from actors.fetch.robots_shelf import RobotsShelf
from actors.fetch.stream import Stream
from actors.fetch.wire import Patience, Transport, Wire, http_proxy, too_large
from actors.parse.wire_body import BadCoding, TooLarge, unpacked
from actors.sandbox.reader import Reader

__all__ = [
    "PAGE_BYTES",
    "Patience",
    "Robots",
    "RobotsStore",
    "StoredRobots",
    "Stream",
    "Web",
    "WebClient",
    "WebOptions",
]

Watch = Callable[[FetchError | None], None]
"""Is told how each request of a run ended, also where the workflow goes on without what it asked for."""

PAGE_BYTES = 5_000_000
_NOT_MODIFIED = 304


class Web:
    """One per run of a row; its requests are made one after the other, with a pause between two to a host."""

    def __init__(
        self,
        wire: Wire,
        guard: Guard,
        shelf: RobotsShelf,
        options: "WebOptions",
        *,
        reader: Reader,
        watch: Watch | None = None,
    ) -> None:
        self._wire = wire
        self._guard = guard
        self._patience = options.patience
        self._pace = Pace(options.pause.total_seconds())
        self._courier = Courier(wire, guard, self._pace, options.headers)
        self._permission = Permission(self._courier, shelf, self._pace, reader, product_token(options.user_agent))
        self._is_busy = False
        self._steps_aside = options.steps_aside
        self._watch = watch or (lambda _: None)

    @property
    def spare(self) -> float:
        """Seconds for which the host should be left alone after this run."""
        return self._pace.spare

    def get(
        self, url: str, *, most: int = PAGE_BYTES, etag: str | None = None, last_modified: str | None = None
    ) -> Answer:
        """The page, after redirects; 304 with an empty body only if a validator was given."""
        deadline = Deadline(self._patience.request)
        with self._stream(url, Errand(url, deadline, most), _validators(etag, last_modified)) as stream:
            body = b"".join(stream)
        return Answer(stream.head, stream.status, stream.headers, body, stream.hops, stream.tls_problem)

    @contextmanager
    def stream(
        self, url: str, *, most: int, etag: str | None = None, last_modified: str | None = None
    ) -> Iterator[Stream]:
        """The same, read piece by piece."""
        deadline = Deadline(self._patience.stream)
        with self._stream(url, Errand(url, deadline, most), _validators(etag, last_modified)) as stream:
            yield stream

    def robots(self, url: str) -> Robots:
        """The robots.txt that holds for a URL."""
        with self._alone():
            errand = Errand(url, Deadline(self._patience.request), PAGE_BYTES)
            return self._permission.robots_for(self._guard.admit(url), errand)

    def close(self) -> None:
        self._wire.close()

    @contextmanager
    def _stream(self, url: str, errand: Errand, validators: Mapping[str, str]) -> Iterator[Stream]:
        def wanted(status: int) -> bool:
            return is_success(status) or (status == _NOT_MODIFIED and bool(validators))

        with self._alone():
            # Only before the first page of a run: what it has fetched already would be lost.
            errand.steps_aside, self._steps_aside = self._steps_aside, False
            try:
                stream = self._courier.open(url, errand, validators, self._permission.ask, wanted)
            except Busy as error:
                self._pace.leave_alone(error.delay.total_seconds())
                raise
            try:
                yield stream
            finally:
                self._courier.leave(stream, stream.host)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if self._is_busy:
            raise RuntimeError("a run asks for one thing at a time: read or leave the open stream first")
        self._is_busy = True
        try:
            yield
        except FetchError as error:
            self._watch(error)
            raise
        else:
            self._watch(None)
        finally:
            self._is_busy = False


def _validators(etag: str | None, last_modified: str | None) -> dict[str, str]:
    known = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in known.items() if value}


def _unpacked(stream: Stream, errand: Errand) -> bytes:
    """The plain body of an API's answer; size and deadline hold for every piece that comes out."""
    pieces = []
    try:
        for piece in unpacked(stream, stream.head.coding, errand.most):
            with fetch_errors(errand):
                errand.deadline.left()
            pieces.append(piece)
    except TooLarge as error:
        raise too_large(errand) from error
    except BadCoding as error:
        message = f"{errand.url}: the answer is not encoded as it says"
        raise Unusable(message, kind="encoding", url=errand.url) from error
    return b"".join(pieces)


@dataclass(frozen=True, slots=True)
class WebOptions:
    user_agent: str
    pause: timedelta = timedelta(seconds=1)
    proxy: str | None = field(default=None, repr=False)
    """http://user:password@host:port; then the proxy looks names up, and only literal addresses are vetted here."""

    ca_file: Path | None = None
    """Certificate authorities to trust besides the system's."""

    patience: Patience = field(default_factory=Patience)
    resolve: Resolve = system_resolve
    steps_aside: bool = False
    """Whether a run whose host must be spared after its robots.txt ends, to be run again after the pause."""

    trusted: Sequence[Network] = ()
    any_port: bool = False

    @property
    def headers(self) -> dict[str, str]:
        return {
            "User-Agent": self.user_agent,
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "Accept-Encoding": "gzip, deflate",
        }


class WebClient:
    """One per process, for all its threads: what the runs share."""

    def __init__(self, options: WebOptions, robots: RobotsStore) -> None:
        self._options = options
        self._guard = Guard(resolve=options.resolve, trusted=options.trusted, any_port=options.any_port)
        proxy = None if options.proxy is None else http_proxy(options.proxy)
        self._transport = Transport(self._guard, contexts(options.ca_file), proxy, options.patience)
        self._shelf = RobotsShelf(robots)

    def open(self, reader: Reader, watch: Watch | None = None) -> Web:
        """The web of one run, which reads robots.txt files with the parser processes of that run."""
        return Web(Wire(self._transport), self._guard, self._shelf, self._options, reader=reader, watch=watch)

    def ask(
        self, method: str, url: str, *, headers: Mapping[str, str], json: Any = None, most: int = PAGE_BYTES
    ) -> Answer:
        """Ask an API: any status comes back as an answer, redirects too; no robots.txt, no pause, no doubtful TLS.

        The answer is unpacked here: an API is a vendor's whom we have a contract with, not any site of the web.
        """
        errand = Errand(url, Deadline(self._options.patience.request), most)
        target = self._guard.admit(url)
        content = None if json is None else json_text.dumps(json).encode()
        kind = {} if content is None else {"Content-Type": "application/json"}
        everything = {**self._options.headers, "Accept": "application/json", **kind, **headers}
        wire = Wire(self._transport)
        try:
            response = wire.send(errand, target, everything, method=method, content=content)
            stream = Stream(response, errand, target, (target.url,), None)
            return Answer(
                stream.head._replace(coding=None), stream.status, stream.headers, _unpacked(stream, errand), stream.hops
            )
        finally:
            wire.close()

    def close(self) -> None:
        self._transport.idle.close()
