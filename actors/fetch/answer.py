"""What a server answered, after redirects and within its limits, as it came over the wire."""

from collections.abc import Mapping
from dataclasses import dataclass

from actors.parse.wire_body import WireBody, WireHead


@dataclass(frozen=True, slots=True)
class Answer:
    """A 2xx answer, or 304 with an empty body when a validator was sent; everything else is raised as an error."""

    head: WireHead
    status: int
    headers: Mapping[str, str]
    body: bytes
    """In its content coding; parser processes unpack it."""

    hops: tuple[str, ...]
    """Every URL that was asked for, the first to the last; the last is `url`."""

    tls_problem: str | None = None
    """Why the certificate would not do, when the page was read in spite of it."""

    @property
    def url(self) -> str:
        return self.head.url

    @property
    def wire(self) -> WireBody:
        return WireBody(self.head, self.body)
