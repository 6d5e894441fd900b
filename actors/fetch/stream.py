"""An answer that is read piece by piece, decoded, and never beyond its limit."""

from collections.abc import Iterator, Mapping

import httpx2

from actors.errors import Unusable
from actors.fetch.errand import Errand
from actors.fetch.failures import fetch_errors
from actors.fetch.guard import Target
from actors.fetch.wire import too_large

CHUNK_BYTES = 64 * 1024

# Encodings that we never offer to read; words that are no encoding at all are ignored, as browsers do.
_UNREAD_ENCODINGS = {"br", "zstd", "compress", "x-compress", "dcb", "dcz"}


class Stream:
    """Iterate once; the first piece is there when the stream is opened, so a lie about the encoding has shown."""

    def __init__(
        self, response: httpx2.Response, errand: Errand, target: Target, hops: tuple[str, ...], problem: str | None
    ) -> None:
        self.url = target.url
        self.host = target.host
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self.hops = hops
        self.tls_problem = problem
        self.received = 0
        self._response = response
        self._errand = errand
        self._chunks = self._decoded()
        self._first = next(self._chunks, b"")

    def __iter__(self) -> Iterator[bytes]:
        chunk, self._first = self._first, b""
        while chunk:
            self.received += len(chunk)
            if self.received > self._errand.most:
                raise too_large(self._errand)
            yield chunk
            chunk = next(self._chunks, b"")

    def _decoded(self) -> Iterator[bytes]:
        names = self._response.headers.get("content-encoding", "").lower()
        if _UNREAD_ENCODINGS & {name.strip() for name in names.split(",")}:
            message = f"{self.url}: encoded as {names}, which was not asked for"
            raise Unusable(message, kind="encoding", url=self.url)
        if names.strip() == "x-gzip":
            self._response.headers["content-encoding"] = "gzip"
        with fetch_errors(self._errand):
            yield from self._response.iter_bytes(CHUNK_BYTES)

    def close(self) -> None:
        self._response.close()
