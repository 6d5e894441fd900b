"""A search as a row, and what can be seen of it while it runs."""

from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection
from psycopg.types.json import Jsonb

ADD = """
insert into place_searches (business_type, location, params, status) values (%s, %s, %s, 'pending') returning id
"""
# Only workers that were seen lately; one that died without a word is forgotten by the sweeper.
SEEN = """
select place_searches.status, place_searches.error, place_searches.result, place_searches.places_found,
       coalesce(overview.paused, false), overview.paused_reason, overview.workflow is not null,
       (select count(*) from engine.worker where last_beat > clock_timestamp() - interval '1 minute')
from place_searches left join engine.overview on overview.workflow = 'place_search'
where place_searches.id = %s
"""


class Seen(NamedTuple):
    status: str | None
    error: str | None
    result: str | None
    places_found: int | None
    paused: bool
    paused_reason: str | None
    declared: bool
    workers: int


def add_search(connection: Connection[Any], business_type: str, location: str, params: dict[str, Any]) -> UUID:
    (search,) = connection.execute(ADD, [business_type, location, Jsonb(params)]).fetchone() or (None,)
    if not isinstance(search, UUID):
        raise TypeError(f"expected the id of the new search, got {search!r}")
    return search


def look_at(connection: Connection[Any], search: UUID) -> Seen | None:
    """None when somebody has deleted it."""
    row = connection.execute(SEEN, [search]).fetchone()
    return None if row is None else Seen(*row)
