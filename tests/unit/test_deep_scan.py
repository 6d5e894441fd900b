"""A scan, from the place's row to the business, against the simulator."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from actors.deep_scan import ScannedPlace, deep_scan, scan_place
from actors.errors import GiveUp, PauseWorkflow, RetryLater
from actors.parse.places import business_columns
from actors.selection import AutoSelect
from app.demo.places_refusals import DETAILS, Fault
from app.demo.places_simulator import PlacesSimulator
from db.models import LocalBusiness
from db.results import given
from tests.places_support import FULL_PLACE, KEY, PlacesAnswering, PlacesWeb, places_of
from tests.web_support import Reply

TENANT = UUID(int=2)
BY_HAND = AutoSelect()


def run(local, place_id=FULL_PLACE["id"], auto_select=BY_HAND):
    with places_of(local) as places:
        return scan_place(ScannedPlace(place_id, TENANT), places, auto_select)


def without(*names):
    return {name: value for name, value in FULL_PLACE.items() if name not in names}


def test_a_scan_fills_every_column_that_google_knows_and_touches_no_other():
    simulator = PlacesSimulator([FULL_PLACE])
    began = datetime.now(UTC)

    found = run(PlacesWeb(simulator))

    (business,) = found.rows
    columns = given(business)
    assert isinstance(business, LocalBusiness)
    assert began <= columns.pop("last_scan") <= datetime.now(UTC)
    assert columns == {
        "place_id": FULL_PLACE["id"],
        "tenant_id": TENANT,
        "lead_source": "google_places",
        "status": "New",
        **business_columns(FULL_PLACE),
    }
    assert simulator.calls == {(KEY, DETAILS): 1}


def test_a_scan_says_how_much_it_found():
    found = run(PlacesWeb(PlacesSimulator([without("movedPlaceId", "websiteUri", "rating")])))

    assert found.reason == "25 of 27 columns filled"


def test_new_businesses_are_selected_where_nobody_need_look_at_them():
    found = run(PlacesWeb(PlacesSimulator([FULL_PLACE])), auto_select=AutoSelect({"businesses"}))

    assert [business.status for business in found.rows] == ["Selected"]


def test_a_business_that_closed_or_moved_is_stored_and_the_result_says_so():
    closed = {**FULL_PLACE, "businessStatus": "CLOSED_PERMANENTLY"}

    found = run(PlacesWeb(PlacesSimulator([closed])))

    assert found.rows[0].business_status == "CLOSED_PERMANENTLY"
    assert found.reason == (
        "27 of 27 columns filled; closed for good; moved: its new place id is ChIJnewnewnewnewnewnewnew"
    )


def test_a_place_that_google_calls_by_another_id_keeps_the_one_that_was_asked_for():
    found = run(PlacesAnswering(Reply(200, '{"id": "ChIJother", "displayName": {"text": "Acme"}}')), "ChIJold")

    assert found.rows[0].place_id == "ChIJold"
    assert found.reason == "1 of 27 columns filled; Google's place id for it is now ChIJother"


@pytest.mark.parametrize("place_id", ["ChIJunknownunknownunknown", "foo"])
def test_an_unknown_place_fails_for_good(place_id):
    with pytest.raises(GiveUp):
        run(PlacesWeb(PlacesSimulator([FULL_PLACE])), place_id)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(Fault.MINUTE_QUOTA, RetryLater), (Fault.DAY_QUOTA, PauseWorkflow), (Fault.BILLING_DISABLED, PauseWorkflow)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_stands_against_all_places_is_not_held_against_this_one(fault, kind):
    simulator = PlacesSimulator([FULL_PLACE])
    simulator.script.append(fault)

    with pytest.raises(kind):
        run(PlacesWeb(simulator))


def test_scans_are_made_one_at_a_time_and_within_a_budget():
    budget = deep_scan.budget

    assert deep_scan.max_in_flight == 1
    assert (budget.per_minute, budget.per_day, budget.zone) == (60, 1000, "America/Los_Angeles")
    assert deep_scan.time_limit == timedelta(minutes=1)
