"""What a server answered, after redirects, decoded and within its limits."""

from collections.abc import Mapping
from dataclasses import dataclass

_READABLE = frozenset(("", "text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))


@dataclass(frozen=True, slots=True)
class Answer:
    """A 2xx answer, or 304 with an empty body when a validator was sent; everything else is raised as an error."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    hops: tuple[str, ...]
    """Every URL that was asked for, the first to the last; the last is `url`."""

    tls_problem: str | None = None
    """Why the certificate would not do, when the page was read in spite of it."""

    @property
    def unreadable_kind(self) -> str | None:
        """The content type of what is no page to read, such as a PDF."""
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in _READABLE:
            return kind
        return "application/pdf" if self.body.startswith(b"%PDF-") else None
