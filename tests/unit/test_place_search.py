"""A search, from its row to the rows of places, against the simulator."""

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest

from actors.errors import GiveUp, ServerFault
from actors.place_search import Search, search_places
from actors.selection import AutoSelect
from app.demo.places_refusals import SEARCH, Fault
from app.demo.places_simulator import PlacesSimulator
from db.models import Place
from db.results import given
from tests.places_support import FULL_PLACE, KEY, PlacesWeb, dentists, places_of

SEARCH_ID, TENANT, USER = (UUID(int=number) for number in (1, 2, 3))
BY_HAND = AutoSelect()


def row(business_type="dentist", location="Austin, TX", params=None):
    return Search(SEARCH_ID, TENANT, USER, business_type, location, params or {})


def run(simulator, search=None, auto_select=BY_HAND):
    """What the workflow found, and the requests that it made."""
    local = PlacesWeb(simulator)
    with places_of(local) as places:
        found = search_places(search or row(), places, auto_select)
    return found, [json.loads(asked.body) for asked in local.asked]


def test_a_search_gives_a_row_for_each_place():
    began = datetime.now(UTC)

    found, requests = run(PlacesSimulator([FULL_PLACE]))

    (place,) = found.rows
    columns = given(place)
    assert isinstance(place, Place)
    assert [request["textQuery"] for request in requests] == ["dentist in Austin, TX"]
    assert began <= columns.pop("search_time") <= datetime.now(UTC)
    assert columns.pop("raw_data").keys() == {
        "id",
        "displayName",
        "formattedAddress",
        "shortFormattedAddress",
        "location",
        "rating",
        "userRatingCount",
        "priceLevel",
    }
    assert {name: columns[name] for name in ("name", "formatted_address", "price_level", "user_ratings_total")} == {
        "name": "Example Dental",
        "formatted_address": "1 Main St, Austin, TX 78701, USA",
        "price_level": 2,
        "user_ratings_total": 128,
    }
    assert (place.place_id, place.tenant_id, place.status) == (FULL_PLACE["id"], TENANT, "New")
    assert (place.search_job_id, place.user_id, place.created_by) == (SEARCH_ID, USER, USER)
    assert (place.business_type, place.search_query) == ("dentist", "dentist in Austin, TX")
    assert place.search_location == "Austin, TX"
    assert (found.values, found.reason) == ({"places_found": 1}, "1 place")


def test_all_pages_are_read_and_counted():
    found, requests = run(PlacesSimulator(dentists(37)))

    assert len({place.place_id for place in found.rows}) == 37
    assert len(requests) == 2
    assert (found.values, found.reason) == ({"places_found": 37}, "37 places")


def test_a_search_that_reaches_google_s_limit_says_so():
    found, _ = run(PlacesSimulator(dentists(75)))

    assert found.values == {"places_found": 60}
    assert found.reason == "60 places, the most that Google gives for one search"


def test_no_place_is_done_with_a_reason():
    found, _ = run(PlacesSimulator([]))

    assert (list(found.rows), found.values, found.reason) == ([], {"places_found": 0}, "no places found")


@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.TRUNCATED], ids=lambda fault: fault.name)
def test_a_page_that_fails_leaves_no_half_of_a_search(fault):
    simulator = PlacesSimulator(dentists(45))
    simulator.script.extend([None, fault])

    with pytest.raises(ServerFault):
        run(simulator)


def test_new_places_are_selected_where_nobody_need_look_at_them():
    found, _ = run(PlacesSimulator([FULL_PLACE]), auto_select=AutoSelect({"places"}))

    assert [place.status for place in found.rows] == ["Selected"]


def test_a_radius_around_a_given_point_costs_no_extra_request():
    params = {"radius_km": 5, "latitude": 30.27, "longitude": -97.74, "region": "US"}

    _, requests = run(PlacesSimulator([FULL_PLACE]), row(params=params))

    (request,) = requests
    centre = {"latitude": 30.27, "longitude": -97.74}
    assert request["locationBias"] == {"circle": {"center": centre, "radius": 5000}}
    assert request["regionCode"] == "US"


def test_a_radius_around_a_name_is_measured_from_where_google_puts_it():
    simulator = PlacesSimulator([FULL_PLACE])

    _, requests = run(simulator, row(params={"radius_km": 2.5}))

    located, searched = requests
    assert (located["textQuery"], located["pageSize"]) == ("Austin, TX", 1)
    centre = {"latitude": 30.2612345, "longitude": -97.7412345}
    assert searched["locationBias"] == {"circle": {"center": centre, "radius": 2500}}
    assert simulator.calls[KEY, SEARCH] == 2


def test_a_radius_around_a_name_that_google_does_not_know_is_left_out_and_said():
    found, requests = run(PlacesSimulator([]), row(location="Atlantis", params={"radius_km": 5}))

    assert "locationBias" not in requests[-1]
    assert found.reason == "no places found; radius not used, as Google knows no such location"


def test_a_radius_beyond_googles_limit_is_cut_and_said():
    found, requests = run(PlacesSimulator([FULL_PLACE]), row(params={"radius_km": 80}))

    assert requests[-1]["locationBias"]["circle"]["radius"] == 50_000
    assert found.reason == "1 place; radius cut to Google's limit of 50 km"


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (row(business_type=" "), "business_type is empty; say what to search for, such as dentist"),
        (row(params={"radius_km": "five"}), "params.radius_km: expected a number from 0, got 'five'"),
        (row(params={"radius_km": -1}), "params.radius_km: expected a number from 0, got '-1'"),
        (row(params={"radius_km": True}), "params.radius_km: expected a number from 0, got 'True'"),
        (
            row(params={"radius_km": 1, "latitude": 91, "longitude": 0}),
            "params.latitude: expected a number from -90 to 90, got '91'",
        ),
    ],
)
def test_a_search_that_cannot_be_meant_fails_with_the_rule_and_asks_nothing(search, words):
    local = PlacesWeb(PlacesSimulator([FULL_PLACE]))

    with places_of(local) as places, pytest.raises(GiveUp) as error:
        search_places(search, places, BY_HAND)

    assert str(error.value) == words
    assert local.asked == []


@pytest.mark.parametrize("params", [{"colour": "red"}, ["radius_km"], {"radius_km": None}])
def test_params_that_say_nothing_have_no_effect(params):
    _, requests = run(PlacesSimulator([FULL_PLACE]), row(params=params))

    assert "locationBias" not in requests[0]


def test_without_a_location_the_whole_world_is_searched():
    _, requests = run(PlacesSimulator([FULL_PLACE]), row(location=""))

    assert requests[0]["textQuery"] == "dentist"
