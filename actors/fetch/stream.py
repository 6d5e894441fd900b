"""An answer that is read piece by piece as it comes over the wire, and never beyond its limit."""

from collections.abc import Iterator, Mapping
from time import monotonic

import httpx2

from actors.errors import Unusable
from actors.fetch.coding import coding_of, refuse_a_lie
from actors.fetch.errand import Errand
from actors.fetch.failures import fetch_errors
from actors.fetch.guard import Target
from actors.parse.wire_body import TooLarge, WireHead, WireStream

CHUNK_BYTES = 64 * 1024


class Stream:
    """Iterate once; the first piece is there when the stream is opened, so a lie about the encoding has shown."""

    def __init__(
        self, response: httpx2.Response, errand: Errand, target: Target, hops: tuple[str, ...], problem: str | None
    ) -> None:
        self.host = target.host
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.hops = hops
        self.tls_problem = problem
        self.received = 0
        coding = coding_of(response.headers.get("content-encoding", ""), target.url)
        self.head = WireHead(target.url, coding, response.headers.get("content-type"), errand.most)
        self._response = response
        self._errand = errand
        self._chunks = self._raw()
        self._first = next(self._chunks, b"")
        refuse_a_lie(coding, self._first, target.url)
        self._left_at = monotonic()

    @property
    def url(self) -> str:
        return self.head.url

    @property
    def wire(self) -> WireStream:
        """For a parser process; there, too much is no error but an end."""
        return WireStream(self.head, self._or_too_large())

    def __iter__(self) -> Iterator[bytes]:
        chunk, self._first = self._first, b""
        while chunk:
            self.received += len(chunk)
            yield chunk
            # What the reader takes for its work, and before it begins, is not the server's.
            self._errand.deadline.extend(monotonic() - self._left_at)
            chunk = next(self._chunks, b"")
            self._left_at = monotonic()

    def _raw(self) -> Iterator[bytes]:
        with fetch_errors(self._errand):
            yield from self._response.iter_raw(CHUNK_BYTES)

    def _or_too_large(self) -> Iterator[bytes]:
        try:
            yield from self
        except Unusable as error:
            if error.kind != "too_large":
                raise
            raise TooLarge from error

    def close(self) -> None:
        self._response.close()
