"""What a site of the demo world is made of: replies by path, manners, and the contacts that a person would take."""

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

HTML = "text/html; charset=utf-8"
XML = "application/xml; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"


class Certificate(Enum):
    GOOD = "good"
    EXPIRED = "expired"
    WRONG_NAME = "wrong name"


@dataclass(frozen=True, slots=True)
class Request:
    scheme: str
    host: str
    path: str
    """With the query, as it stands in the request line."""

    headers: Mapping[str, str]
    earlier: int
    """How often this host was asked before, its robots.txt not counted."""

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.path}"


@dataclass(frozen=True, slots=True)
class Reply:
    body: str | bytes = ""
    kind: str | None = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    charset: str = "utf-8"
    drips: bool = False
    """A byte per second, for as long as anybody listens."""

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else self.body.encode(self.charset)


Content = str | Reply | Callable[[Request], Reply]


@dataclass(frozen=True)
class Business:
    """A business as Places knows it."""

    name: str
    kind: str
    country: str
    website: str | None = None
    phone: str | None = None
    status: str = "OPERATIONAL"


@dataclass(frozen=True)
class Site:
    """A str is an HTML page in UTF-8; a path that is not listed is a 404. `emails` and `phones` are the truth."""

    host: str
    businesses: tuple[Business, ...]
    pages: Mapping[str, Content] = field(default_factory=dict)
    robots: Content | None = None
    emails: frozenset[str] = frozenset()
    phones: frozenset[str] = frozenset()
    scheme: str = "https"
    also_plain: bool = False
    """Serves the other scheme as well, instead of redirecting to its own."""

    missing: Content | None = None
    """What stands in for a 404, as on sites that answer everything with a page."""

    certificate: Certificate = Certificate.GOOD
    refuses: bool = False
    forbidden: tuple[str, ...] = ()
    """Paths, by their beginning, that robots.txt closes."""

    @cached_property
    def domain(self) -> str:
        return self.host.removeprefix("www.")

    @property
    def hosts(self) -> tuple[str, str]:
        return self.domain, f"www.{self.domain}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}/"

    def answer(self, request: Request) -> Reply:
        """Send everybody to the one right address first, as most servers do."""
        if request.host != self.host or not (self.also_plain or request.scheme == self.scheme):
            return moved(f"{self.scheme}://{self.host}{request.path}")
        if request.path == "/robots.txt":
            return self._reply(self.robots, request, PLAIN)
        return self._reply(self.pages.get(request.path, self.missing), request, HTML)

    def _reply(self, content: Content | None, request: Request, kind: str) -> Reply:
        if content is None:
            return Reply("<!doctype html><title>404</title><h1>Not Found</h1>", status=404)
        if isinstance(content, str):
            return Reply(content, kind)
        return content if isinstance(content, Reply) else content(request)


def moved(url: str, status: int = 301) -> Reply:
    return Reply(kind=None, status=status, headers={"Location": url})


def xml(text: str) -> Reply:
    return Reply(text, XML)


def packed(text: str) -> Reply:
    """A file that is gzip itself, whatever the transfer does."""
    return Reply(gzip.compress(text.encode(), mtime=0), "application/x-gzip")
