"""The simulator refuses what Google refuses, in Google's words, and bills what Google bills."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import httpx2
import pytest

from app.demo.places_quota import Quota
from app.demo.places_refusals import DETAILS, SEARCH, Fault
from app.demo.places_simulator import PlacesSimulator
from tests.places_support import FULL_PLACE, dentists

SEARCH_PATH = "/v1/places:searchText"
OTHER_REQUEST = "Request parameters for paging requests must match the initial SearchText request."
KEY = {"X-Goog-Api-Key": "some-key"}


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def search(simulator, request, mask="places.id,nextPageToken", **headers):
    given = {**KEY, "X-Goog-FieldMask": mask, **headers}
    reply = simulator.handle("POST", SEARCH_PATH, given, json.dumps(request).encode())
    return reply.status, json.loads(reply.body)


def details(simulator, place_id=FULL_PLACE["id"], mask="id", query="", **headers):
    given = {**KEY, "X-Goog-FieldMask": mask, **headers}
    reply = simulator.handle("GET", f"/v1/places/{place_id}{query}", given, b"")
    return reply.status, json.loads(reply.body)


def refused(answer):
    status, body = answer
    assert body["error"]["code"] == status
    return status, body["error"]["status"], body["error"]["message"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("dentist in Austin, TX", 1),
        ("Dentists in austin", 1),
        ("example dental in 78701", 1),
        ("dentist in Texas", 1),
        ("dentist in Houston", 0),
        ("plumber in Austin", 0),
        ("Austin, TX", 1),
    ],
)
def test_a_place_is_found_by_its_kind_and_its_location(query, found):
    status, body = search(PlacesSimulator([FULL_PLACE]), {"textQuery": query})

    assert status == 200
    assert body == ({"places": [{"id": FULL_PLACE["id"]}]} if found else {})


def test_pages_follow_each_other_until_sixty_places():
    simulator = PlacesSimulator(dentists(75))
    request = {"textQuery": "dentist in Austin"}

    pages = [search(simulator, request)[1]]
    while token := pages[-1].get("nextPageToken"):
        pages.append(search(simulator, {**request, "pageToken": token})[1])

    assert [len(page["places"]) for page in pages] == [20, 20, 20]
    assert len({place["id"] for page in pages for place in page["places"]}) == 60


@pytest.mark.parametrize(("size", "given"), [(0, 20), (1, 1), (7, 7), (20, 20), (99, 20)])
def test_a_page_has_at_most_twenty_places(size, given):
    _, body = search(PlacesSimulator(dentists(30)), {"textQuery": "dentist in Austin", "pageSize": size})

    assert len(body["places"]) == given


def test_a_page_may_have_another_size_than_the_one_before():
    simulator = PlacesSimulator(dentists(30))
    token = search(simulator, {"textQuery": "dentist", "pageSize": 7})[1]["nextPageToken"]

    _, body = search(simulator, {"textQuery": "dentist", "pageSize": 3, "pageToken": token})

    assert [place["id"] for place in body["places"]] == [place["id"] for place in dentists(30)[7:10]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"textQuery": "dentist in Austin, TX"}, OTHER_REQUEST),
        ({"textQuery": "dentist in Austin", "languageCode": "de"}, OTHER_REQUEST),
        ({}, f"Empty text_query. {OTHER_REQUEST}"),
    ],
)
def test_a_page_token_serves_no_other_request(changes, message):
    simulator = PlacesSimulator(dentists(30))
    token = search(simulator, {"textQuery": "dentist in Austin"})[1]["nextPageToken"]

    answer = search(simulator, {**changes, "pageToken": token})

    assert refused(answer) == (400, "INVALID_ARGUMENT", message)


def test_a_token_is_given_only_to_those_who_ask_for_it():
    assert search(PlacesSimulator(dentists(30)), {"textQuery": "dentist"}, mask="places.id")[1].keys() == {"places"}


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        ({}, "Empty text_query."),
        ({"textQuery": " "}, "Empty text_query."),
        ({"textQuery": 7}, "Invalid value at 'textQuery': 7"),
        ([], "Invalid JSON payload received. Expected an object."),
        ({"textQuery": "x", "pageSize": -1}, "Invalid page_size: it must not be negative."),
        (
            {"textQuery": "x", "radius": 5},
            'Invalid JSON payload received. Unknown name "radius": Cannot find field.',
        ),
        (
            {"textQuery": "x", "locationBias": {"circle": {"centre": {}}}},
            "Invalid JSON payload received. Unknown name \"centre\" at 'locationBias.circle': Cannot find field.",
        ),
        (
            {"textQuery": "x", "locationBias": {"circle": {"radius": 50_001}}},
            "Invalid location_bias.circle.radius: it must be between 0 and 50000.0.",
        ),
    ],
)
def test_a_request_that_google_would_not_take_is_refused(request_body, message):
    assert refused(search(PlacesSimulator([]), request_body)) == (400, "INVALID_ARGUMENT", message)


def test_an_answer_is_cut_to_its_mask():
    mask = "id,displayName.text,addressComponents.types,timeZone"

    status, body = details(PlacesSimulator([FULL_PLACE]), mask=mask)

    assert status == 200
    assert body["displayName"] == {"text": "Example Dental"}
    assert body["timeZone"] == FULL_PLACE["timeZone"]
    assert body["addressComponents"][0] == {"types": ["street_number"]}
    assert body.keys() == {"id", "displayName", "addressComponents", "timeZone"}


def test_a_star_and_a_mask_in_the_query_are_masks_too():
    simulator = PlacesSimulator([FULL_PLACE])

    assert details(simulator, mask="*")[1] == {"name": f"places/{FULL_PLACE['id']}", **FULL_PLACE}
    assert details(simulator, mask="", query="?fields=rating")[1] == {"rating": 4.7}
    assert details(simulator, mask="", query="?$fields=rating&key=k")[1] == {"rating": 4.7}


@pytest.mark.parametrize("mask", ["id", "places.id, places.rating", "places.email", "places.id.text", "places."])
def test_a_mask_with_a_path_that_is_not_there_is_refused(mask):
    status, body = search(PlacesSimulator([FULL_PLACE]), {"textQuery": "dentist"}, mask=mask)

    (violation,) = body["error"]["details"][0]["fieldViolations"]
    assert refused((status, body)) == (400, "INVALID_ARGUMENT", "Request contains an invalid argument.")
    assert violation["field"] == mask
    assert violation["description"] == (
        f"Error expanding 'fields' parameter. Cannot find matching fields for path '{mask.split(',')[-1]}'."
    )


def test_a_request_without_a_mask_is_refused():
    _, _, message = refused(details(PlacesSimulator([FULL_PLACE]), mask=""))

    assert message.startswith("FieldMask is a required parameter.")


def test_a_bad_key_and_no_key_are_told_apart():
    simulator = PlacesSimulator([FULL_PLACE], keys=["some-key"])

    assert details(simulator)[0] == 200
    assert details(simulator, mask="id", query="?key=some-key", **{"X-Goog-Api-Key": ""})[0] == 200
    assert refused(details(simulator, **{"X-Goog-Api-Key": "other"})) == (
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
    )
    assert refused(details(simulator, **{"X-Goog-Api-Key": ""}))[:2] == (403, "PERMISSION_DENIED")


def test_an_id_that_is_unknown_and_one_that_is_none_are_told_apart():
    simulator = PlacesSimulator([FULL_PLACE])

    assert refused(details(simulator, "ChIJunknownunknownunknown"))[:2] == (404, "NOT_FOUND")
    assert refused(details(simulator, "foo")) == (400, "INVALID_ARGUMENT", "Not a valid Place ID: foo")


def test_businesses_without_an_address_come_only_when_asked_for():
    plumber = {"id": "ChIJplumber", "types": ["plumber"], "pureServiceAreaBusiness": True}
    simulator = PlacesSimulator([plumber])

    assert search(simulator, {"textQuery": "plumber"})[1] == {}
    assert search(simulator, {"textQuery": "plumber", "includePureServiceAreaBusinesses": True})[1] != {}


def test_the_quotas_of_a_minute_and_a_day_begin_anew_when_their_time_is_over():
    clock = Clock()
    simulator = PlacesSimulator([FULL_PLACE], quota=Quota(per_minute=2, per_day=3), clock=clock)
    asked = []

    for step in (0, 0, 0, 60, 0, 19 * 3600):
        clock.now += timedelta(seconds=step)
        status, body = details(simulator)
        asked.append(status if status == 200 else body["error"]["details"][0]["metadata"]["quota_limit"])

    per_minute, per_day = "GetPlaceRequestPerMinutePerProject", "GetPlaceRequestPerDayPerProject"
    assert asked == [200, 200, per_minute, 200, per_day, 200]
    assert simulator.calls == {("some-key", DETAILS): 4}


def test_each_key_and_each_kind_of_request_is_counted_for_itself():
    simulator = PlacesSimulator([FULL_PLACE], quota=Quota(per_minute=1))

    answers = [details(simulator), search(simulator, {"textQuery": "x"}), details(simulator, **{"X-Goog-Api-Key": "b"})]

    assert [status for status, _ in answers] == [200, 200, 200]
    assert simulator.calls == Counter({("some-key", DETAILS): 1, ("some-key", SEARCH): 1, ("b", DETAILS): 1})


@pytest.mark.parametrize(
    ("fault", "status", "word", "reason"),
    [
        (Fault.MINUTE_QUOTA, 429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"),
        (Fault.DAY_QUOTA, 429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED"),
        (Fault.KEY_INVALID, 400, "INVALID_ARGUMENT", "API_KEY_INVALID"),
        (Fault.KEY_BLOCKED, 403, "PERMISSION_DENIED", "API_KEY_SERVICE_BLOCKED"),
        (Fault.SERVICE_DISABLED, 403, "PERMISSION_DENIED", "SERVICE_DISABLED"),
        (Fault.BILLING_DISABLED, 403, "PERMISSION_DENIED", "BILLING_DISABLED"),
        (Fault.PERMISSION_DENIED, 403, "PERMISSION_DENIED", None),
        (Fault.UNAVAILABLE, 503, "UNAVAILABLE", None),
        (Fault.INTERNAL, 500, "INTERNAL", None),
    ],
)
def test_a_fault_happens_once_where_the_script_has_it(fault, status, word, reason):
    simulator = PlacesSimulator([FULL_PLACE])
    simulator.script.extend([None, fault])

    first, second, third = details(simulator), details(simulator), details(simulator)

    assert (first[0], third[0]) == (200, 200)
    assert refused(second)[:2] == (status, word)
    assert [detail["reason"] for detail in second[1]["error"].get("details", [])] == ([reason] if reason else [])
    assert simulator.calls == {("some-key", DETAILS): 2}


def test_a_truncated_answer_is_no_json():
    simulator = PlacesSimulator([FULL_PLACE])
    simulator.script.append(Fault.TRUNCATED)

    with pytest.raises(json.JSONDecodeError):
        details(simulator, mask="*")


def test_a_slow_answer_takes_as_long_as_the_simulator_was_told():
    simulator = PlacesSimulator([FULL_PLACE], slowness=timedelta(seconds=3))
    simulator.script.append(Fault.SLOW)
    patience = httpx2.Timeout(60, read=0.1)

    with simulator.serve() as url, httpx2.Client(timeout=patience, trust_env=False) as client:
        address = f"{url}/v1/places/{FULL_PLACE['id']}"
        with pytest.raises(httpx2.ReadTimeout):
            client.get(address, headers={**KEY, "X-Goog-FieldMask": "id"})


def test_it_serves_on_loopback():
    with PlacesSimulator([FULL_PLACE]).serve() as url, httpx2.Client(trust_env=False) as client:
        headers = {**KEY, "X-Goog-FieldMask": "places.id"}
        found = client.post(f"{url}{SEARCH_PATH}", headers=headers, json={"textQuery": "dentist in Austin"})
        place = client.get(f"{url}/v1/places/{FULL_PLACE['id']}", headers={**KEY, "X-Goog-FieldMask": "rating"})
        nothing = client.get(f"{url}/v1/elsewhere")

    assert found.json() == {"places": [{"id": FULL_PLACE["id"]}]}
    assert found.headers["content-type"] == "application/json; charset=UTF-8"
    assert place.json() == {"rating": 4.7}
    assert nothing.status_code == 404
