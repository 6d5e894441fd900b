"""A row by what people know of it: its id or how that begins, a place id, a domain, a URL, an e-mail address."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from psycopg import Connection

ENOUGH: Final = 20


class Known(NamedTuple):
    """What was typed, and what it may mean."""

    text: str
    number: int | None = None
    id_range: tuple[str, str] | None = None
    domain: str | None = None
    urls: Sequence[str] = ()
    email: str | None = None


_BY_RANGE: Final = "select id from {} where id between %(low)s::uuid and %(high)s::uuid limit %(enough)s"
_BY_URL: Final = (
    "select item.id from {} as item join domains on domains.id = item.domain_id "
    "where domains.domain = %(domain)s and item.url = any(%(urls)s) limit %(enough)s"
)
# Without the domain the table is read from end to end; for a URL that stands under somebody else's domain.
_BY_URL_ALONE: Final = "select id from {} where url = any(%(urls)s) limit %(enough)s"

WAYS: Final[Mapping[str, Sequence[str]]] = {
    "places_staging": (
        "select id from places_staging where id = %(number)s",
        "select id from places_staging where place_id = %(text)s",
    ),
    "local_businesses": (
        _BY_RANGE.format("local_businesses"),
        "select id from local_businesses where place_id = %(text)s",
        "select id from local_businesses where domain = %(domain)s limit %(enough)s",
    ),
    "domains": (
        _BY_RANGE.format("domains"),
        "select distinct domain_id from contacts where email = %(email)s limit %(enough)s",
        "select id from domains where domain = %(domain)s",
    ),
    "sitemap_files": (
        _BY_RANGE.format("sitemap_files"),
        _BY_URL.format("sitemap_files"),
        _BY_URL_ALONE.format("sitemap_files"),
    ),
    "pages": (
        _BY_RANGE.format("pages"),
        "select distinct page_id from contacts where email = %(email)s and page_id is not null limit %(enough)s",
        _BY_URL.format("pages"),
        _BY_URL_ALONE.format("pages"),
    ),
    "place_searches": (_BY_RANGE.format("place_searches"),),
}
"""Tried one after the other; the first that finds anything has found it."""


def ids(connection: Connection[Any], table: str, known: Known) -> list[str]:
    """The rows that are meant, some of them when they are many. What nothing is found for is left as it was typed."""
    low, high = known.id_range or (None, None)
    given = {**known._asdict(), "urls": list(known.urls), "low": low, "high": high, "enough": ENOUGH}
    for way in WAYS.get(table, ()):
        if found := connection.execute(way.encode(), given).fetchall():
            return [str(key) for (key,) in found]
    return [known.text]
