"""Place -> business, with all that Google Places says about it.

in    places_staging.place_id
out   local_businesses, one row per place; a second scan touches the scanned columns alone
"""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from actors._workflow import Budget, Found, Words, Workflow
from actors.fetch.places import Places
from actors.parse.json_values import text_at
from actors.parse.places import business_columns
from actors.selection import AutoSelect
from db.models import LocalBusiness, Place

LEAD_SOURCE = "google_places"

deep_scan = Workflow(
    table=Place,
    status="deep_scan_status",
    error="deep_scan_error",
    result="deep_scan_result",
    words=Words("Queued", "Processing", "Completed", "Error"),
    feeds="domain_extraction",
    curation="status",
    max_in_flight=1,
    # Every scan is paid for. A day is Google's: its quotas begin anew at midnight in California.
    budget=Budget(per_minute=60, per_day=1000, zone="America/Los_Angeles"),
    time_limit=timedelta(minutes=1),
)


class ScannedPlace(NamedTuple):
    place_id: str
    tenant_id: UUID


@deep_scan.run
def scan_place(place: ScannedPlace, places: Places, auto_select: AutoSelect) -> Found:
    """A business keeps the place id that was asked for, even when Google has given it another one since."""
    details = places.details(place.place_id)
    columns = business_columns(details)
    business = LocalBusiness(
        place_id=place.place_id,
        tenant_id=place.tenant_id,
        lead_source=LEAD_SOURCE,
        last_scan=datetime.now(UTC),
        status=auto_select.curation("businesses"),
        **columns,
    )
    return Found(rows=[business], reason="; ".join([_filled(columns), *_remarks(place, details)]))


def _filled(columns: dict[str, Any]) -> str:
    return f"{sum(value is not None for value in columns.values())} of {len(columns)} columns filled"


def _remarks(place: ScannedPlace, details: dict[str, Any]) -> list[str]:
    remarks = []
    if text_at(details, "businessStatus") == "CLOSED_PERMANENTLY":
        remarks.append("closed for good")
    if moved := text_at(details, "movedPlaceId"):
        remarks.append(f"moved: its new place id is {moved}")
    current = text_at(details, "id")
    if current is not None and current != place.place_id:
        remarks.append(f"Google's place id for it is now {current}")
    return remarks
