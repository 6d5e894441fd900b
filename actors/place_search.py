"""A question to Google Places -> places.

in    place_searches.business_type, location, params: radius_km, latitude and longitude, region
out   places_staging, one row per place; what a person decided about a known place stays as it is
"""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from actors._workflow import Found, Words, Workflow
from actors.errors import GiveUp
from actors.fetch.places import LARGEST_RADIUS_KM, MOST_PLACES, Circle, Places
from actors.parse.json_values import text_at, value_at
from actors.parse.places import search_columns
from actors.selection import AutoSelect
from db.models import Place, PlaceSearch

_LARGEST_NUMBER = 10**9  # false for infinity and for what is no number, too

place_search = Workflow(
    table=PlaceSearch,
    status="status",
    error="error",
    result="result",
    words=Words("pending", "processing", "complete", "failed"),
    feeds="deep_scan",
    max_in_flight=4,
    time_limit=timedelta(minutes=3),  # four requests of 30 seconds, and some air
)


class Search(NamedTuple):
    id: UUID
    tenant_id: UUID
    user_id: UUID | None
    business_type: str
    location: str
    params: dict[str, Any]


@place_search.run
def search_places(search: Search, places: Places, auto_select: AutoSelect) -> Found:
    """All pages or nothing: a page that fails leaves no half of a search behind."""
    query = _query(search)
    bias, remark = _bias(search, places)
    found = places.search(query, region=_region(search.params), bias=bias)
    if not found:
        return Found(values={"places_found": 0}, reason=f"no places found{remark}")
    asked_at = datetime.now(UTC)
    rows = [
        Place(
            place_id=place["id"],
            tenant_id=search.tenant_id,
            **search_columns(place),
            business_type=search.business_type,
            raw_data=place,
            search_job_id=search.id,
            search_query=query,
            search_location=search.location,
            search_time=asked_at,
            user_id=search.user_id,
            created_by=search.user_id,
            status=auto_select.curation("places"),
        )
        for place in found
    ]
    limit = ", the most that Google gives for one search" if len(rows) >= MOST_PLACES else ""
    return Found(rows=rows, values={"places_found": len(rows)}, reason=f"{_count(rows)}{limit}{remark}")


def _query(search: Search) -> str:
    what, where = search.business_type.strip(), search.location.strip()
    if not what:
        raise GiveUp("business_type is empty; say what to search for, such as dentist")
    return f"{what} in {where}" if where else what


def _bias(search: Search, places: Places) -> tuple[Circle | None, str]:
    """Where to look first, and what the person who asked should know about it."""
    radius = _number(search.params, "radius_km", least=0, most=None)
    if radius is None:
        return None, ""
    remark = f"; radius cut to Google's limit of {LARGEST_RADIUS_KM} km" if radius > LARGEST_RADIUS_KM else ""
    centre = _given_centre(search.params) or places.centre(search.location, region=_region(search.params))
    if centre is None:
        return None, "; radius not used, as Google knows no such location"
    return Circle(*centre, radius_km=min(radius, LARGEST_RADIUS_KM)), remark


def _given_centre(params: dict[str, Any]) -> tuple[float, float] | None:
    latitude = _number(params, "latitude", least=-90, most=90)
    longitude = _number(params, "longitude", least=-180, most=180)
    return None if latitude is None or longitude is None else (latitude, longitude)


def _number(params: dict[str, Any], name: str, *, least: float, most: float | None) -> float | None:
    value = value_at(params, name)
    if value is None:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST_NUMBER
    if not is_number or value < least or (most is not None and value > most):
        limits = f"from {least:g}" + (f" to {most:g}" if most is not None else "")
        raise GiveUp(f"params.{name}: expected a number {limits}, got {str(value)[:60]!r}")
    return float(value)


def _region(params: dict[str, Any]) -> str | None:
    return text_at(params, "region")


def _count(rows: list[Place]) -> str:
    return "1 place" if len(rows) == 1 else f"{len(rows)} places"
