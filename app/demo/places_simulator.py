"""Google's Places API (New) without Google: the same paths, masks, pages, quotas and errors, over places of our own.

    simulator = PlacesSimulator(places)                   each place a dict as the API writes it, with its "id"
    simulator.handle("GET", "/v1/places/…", headers, b"") one request, for a server that has its own sockets
    with simulator.serve() as url: …                      a server of its own, on loopback

`simulator.script.extend([None, Fault.UNAVAILABLE])` lets the next request pass and fails the one after it.
`simulator.calls[key, SEARCH]` is how many requests were answered, that is, billed.
"""

import re
import secrets
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from app.demo.places_matching import Place
from app.demo.places_quota import Meter, Quota
from app.demo.places_refusals import (
    DETAILS,
    SEARCH,
    Fault,
    Refused,
    Reply,
    bad_key,
    invalid,
    invalid_field,
    json_reply,
    no_key,
    not_found,
    refusal_for,
)
from app.demo.places_schema import Mask, NoSuchField, Schema, masked
from app.demo.places_search_request import SearchRequest

ANSWERS: Final = Schema("answers")
_PATHS: Final = {
    SEARCH: ("POST", re.compile(r"/v1/places:searchText")),
    DETAILS: ("GET", re.compile(r"/v1/places/([^/]+)")),
}
_ROOTS: Final = {SEARCH: "SearchTextResponse", DETAILS: "Place"}
# What a place id looks like to Google, which tells one that it does not know from one that never was.
_PLACE_ID: Final = re.compile(r"(?:ChIJ|E[a-z]|G[a-z])[A-Za-z0-9_-]{10,}")
_NO_MASK: Final = (
    "FieldMask is a required parameter. See https://cloud.google.com/apis/docs/system-parameters on how to provide it. "
    "As an example, you can set the header 'X-Goog-FieldMask' with value '*' to fetch all the fields."
)


class PlacesSimulator:
    """Without `keys`, every key is good. The clock decides when a quota begins anew."""

    def __init__(
        self,
        places: Sequence[Place],
        *,
        keys: Collection[str] = (),
        quota: Quota | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        slowness: timedelta = timedelta(seconds=5),
    ) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        self.script: deque[Fault | None] = deque()
        self._places = {place["id"]: {"name": f"places/{place['id']}", **place} for place in places}
        self._keys = frozenset(keys)
        self._meter = Meter(quota or Quota(), clock)
        self._slowness = slowness
        self._secret = secrets.token_bytes()
        self._lock = threading.Lock()

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        url = urlsplit(path)
        given = {name.lower(): value for name, value in headers.items()}
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        for name, (verb, pattern) in _PATHS.items():
            found = pattern.fullmatch(url.path)
            if found and verb == method:
                return self._answer(name, unquote(found[1]) if found.groups() else "", query, given, body)
        return Reply(HTTPStatus.NOT_FOUND, {"Content-Type": "text/html; charset=UTF-8"}, b"<title>Error 404</title>")

    def _answer(
        self, method: str, place_id: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> Reply:
        with self._lock:
            fault = self.script.popleft() if self.script else None
        if fault is Fault.SLOW:
            time.sleep(self._slowness.total_seconds())
        try:
            key = self._key(headers.get("x-goog-api-key") or query.get("key"))
            refused = refusal_for(fault, method) if fault else None
            if refused is not None:
                raise refused
            answer = self._search(body) if method == SEARCH else self._place(place_id)
            mask = _mask(method, headers.get("x-goog-fieldmask") or query.get("fields") or query.get("$fields"))
            with self._lock:
                self._meter.count(key, method)
                self.calls[key, method] += 1
        except Refused as refused:
            return refused.reply
        reply = json_reply(masked(answer, mask))
        return reply._replace(body=reply.body[: len(reply.body) // 2]) if fault is Fault.TRUNCATED else reply

    def _key(self, key: str | None) -> str:
        if not key:
            raise no_key()
        if self._keys and key not in self._keys:
            raise bad_key()
        return key

    def _search(self, body: bytes) -> dict[str, Any]:
        return SearchRequest.read(body).page(list(self._places.values()), self._secret)

    def _place(self, place_id: str) -> Place:
        if place_id in self._places:
            return self._places[place_id]
        raise not_found() if _PLACE_ID.fullmatch(place_id) else invalid(f"Not a valid Place ID: {place_id}")

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Answer on a port of loopback; gives the URL that stands for https://places.googleapis.com."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _mask(method: str, text: str | None) -> Mask:
    if not text:
        raise invalid(_NO_MASK)
    try:
        return ANSWERS.mask(_ROOTS[method], text)
    except NoSuchField as error:
        description = f"Error expanding 'fields' parameter. Cannot find matching fields for path '{error}'."
        raise invalid_field(text, description) from None


def _handler(simulator: PlacesSimulator) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply()

        def do_POST(self) -> None:
            self._reply()

        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            reply = simulator.handle(self.command, self.path, dict(self.headers), body)
            with suppress(ConnectionError):  # who waited too long for a slow answer has gone
                self.send_response(reply.status)
                for name, value in {**reply.headers, "Content-Length": str(len(reply.body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server passes
            """Say nothing: a path may hold a key."""

    return Handler
