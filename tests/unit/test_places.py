"""The client of the Places API, against the simulator: real requests over TLS on loopback."""

import json
import socket
from datetime import UTC, datetime, timedelta

import pytest

from actors.errors import GiveUp, PauseWorkflow, RetryLater, ServerFault, Unreachable
from actors.fetch.places import DETAIL_MASK, NO_KEY, SEARCH_MASK, Circle
from actors.fetch.places_errors import midnight_after
from app.demo.places_refusals import DETAILS, SEARCH, Fault
from app.demo.places_simulator import PlacesSimulator
from tests.places_support import FULL_PLACE, KEY, PlacesAnswering, PlacesWeb, dentists, places_of
from tests.web_support import Reply

REMEDIES = {
    Fault.KEY_INVALID: "put a valid GOOGLE_MAPS_API_KEY into .env",
    Fault.KEY_BLOCKED: "allow the key to use the Places API (New)",
    Fault.SERVICE_DISABLED: "enable the Places API (New)",
    Fault.BILLING_DISABLED: "enable billing",
    Fault.PERMISSION_DENIED: "check the key",
}
# An ErrorInfo that says nothing of a day but in its unit.
A_DAYS_QUOTA = '{"reason": "RATE_LIMIT_EXCEEDED", "metadata": {"quota_unit": "1/d/{project}"}}'


@pytest.mark.parametrize(("there", "found", "requests"), [(0, 0, 1), (1, 1, 1), (20, 20, 1), (41, 41, 3), (75, 60, 3)])
def test_a_search_reads_all_pages_up_to_sixty_places(there, found, requests):
    simulator = PlacesSimulator(dentists(there))

    with places_of(PlacesWeb(simulator)) as places:
        answer = places.search("dentists in Austin, TX")

    assert [place["id"] for place in answer] == [place["id"] for place in dentists(there)[:found]]
    assert simulator.calls == {(KEY, SEARCH): requests}


def test_a_place_that_google_gives_twice_is_taken_once():
    twice = json.dumps({"places": [{"id": "ChIJone"}, {"id": "ChIJone"}, {"name": "places/without-id"}]})

    with places_of(PlacesAnswering(Reply(200, twice))) as places:
        assert places.search("dentist in Austin") == [{"id": "ChIJone"}]


def test_the_key_and_the_mask_travel_in_headers_and_nowhere_else():
    local = PlacesWeb(PlacesSimulator([FULL_PLACE]))

    with places_of(local) as places:
        places.search("dentist in Austin", region="US", bias=Circle(30.27, -97.74, 5))
        places.details(FULL_PLACE["id"])

    search, details = local.asked
    assert (search.method, search.url) == ("POST", "https://places.googleapis.com/v1/places:searchText")
    assert json.loads(search.body) == {
        "textQuery": "dentist in Austin",
        "pageSize": 20,
        "languageCode": "en",
        "includePureServiceAreaBusinesses": True,
        "regionCode": "US",
        "locationBias": {"circle": {"center": {"latitude": 30.27, "longitude": -97.74}, "radius": 5000}},
    }
    assert details.url == f"https://places.googleapis.com/v1/places/{FULL_PLACE['id']}?languageCode=en"
    assert [asked.headers["x-goog-fieldmask"] for asked in local.asked] == [SEARCH_MASK, DETAIL_MASK]
    for asked in local.asked:
        headers = dict(asked.headers)
        assert headers.pop("x-goog-api-key") == KEY
        assert KEY not in f"{asked.url} {headers} {asked.body}"


def test_places_near_the_centre_come_first():
    with places_of(PlacesWeb(PlacesSimulator(dentists(30)))) as places:
        found = places.search("dentist in Austin", bias=Circle(31, -97.7, 5))

    assert found[0]["id"] == dentists(30)[-1]["id"]


def test_the_centre_of_a_location_costs_one_search_for_one_field():
    local = PlacesWeb(PlacesSimulator([FULL_PLACE]))

    with places_of(local) as places:
        assert places.centre("Austin, TX") == (30.2612345, -97.7412345)
        assert places.centre("Atlantis") is None

    assert {asked.headers["x-goog-fieldmask"] for asked in local.asked} == {"places.location"}


def test_details_hold_what_was_asked_for_and_no_more():
    with places_of(PlacesWeb(PlacesSimulator([FULL_PLACE]))) as places:
        details = places.details(FULL_PLACE["id"])

    assert details["websiteUri"] == "https://www.exampledental.com/"
    assert details["displayName"] == {"text": "Example Dental"}
    assert details["regularOpeningHours"].keys() == {"periods", "weekdayDescriptions"}
    assert not {"reviews", "viewport", "utcOffsetMinutes", "nationalPhoneNumber"} & details.keys()


def test_without_a_key_the_workflow_is_paused_and_nothing_is_asked():
    local = PlacesWeb(PlacesSimulator([FULL_PLACE]))

    with places_of(local, key=None) as places:
        for question in (lambda: places.search("dentist"), lambda: places.details("ChIJx"), lambda: places.centre("x")):
            with pytest.raises(PauseWorkflow, match="GOOGLE_MAPS_API_KEY is not set") as paused:
                question()
            assert (str(paused.value), paused.value.until) == (NO_KEY, None)

    assert local.asked == []


def raised(fault, kind):
    simulator = PlacesSimulator([FULL_PLACE])
    simulator.script.append(fault)
    with places_of(PlacesWeb(simulator)) as places, pytest.raises(kind) as error:
        places.details(FULL_PLACE["id"])
    assert simulator.calls[KEY, DETAILS] == (1 if fault is Fault.TRUNCATED else 0)
    assert KEY not in str(error.value)
    return error.value


@pytest.mark.parametrize("fault", REMEDIES, ids=lambda fault: fault.name)
def test_what_is_wrong_with_the_key_pauses_the_workflow_and_names_the_remedy(fault):
    error = raised(fault, PauseWorkflow)

    assert REMEDIES[fault] in str(error)
    assert "start the workers again" in str(error)
    assert error.until is None


def test_the_quota_of_a_minute_is_waited_for():
    error = raised(Fault.MINUTE_QUOTA, RetryLater)

    assert error.delay == timedelta(minutes=1)
    assert "GetPlaceRequest per minute" in str(error)


def test_the_quota_of_a_day_pauses_the_workflow_until_midnight_in_california():
    error = raised(Fault.DAY_QUOTA, PauseWorkflow)

    assert error.until == datetime(2026, 7, 2, 7, 0, tzinfo=UTC)
    assert "GetPlaceRequest per day" in str(error)


@pytest.mark.parametrize(
    ("now", "midnight"),
    [
        (datetime(2026, 7, 1, 6, 59, tzinfo=UTC), datetime(2026, 7, 1, 7, tzinfo=UTC)),
        (datetime(2026, 7, 1, 7, 0, tzinfo=UTC), datetime(2026, 7, 2, 7, tzinfo=UTC)),
        (datetime(2026, 1, 15, 12, 0, tzinfo=UTC), datetime(2026, 1, 16, 8, tzinfo=UTC)),
        (datetime(2026, 11, 1, 7, 30, tzinfo=UTC), datetime(2026, 11, 2, 8, tzinfo=UTC)),
    ],
    ids=["just before", "just after", "winter", "the day the clocks go back"],
)
def test_googles_day_begins_at_midnight_in_california(now, midnight):
    assert midnight_after(now) == midnight


@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.INTERNAL, Fault.TRUNCATED], ids=lambda fault: fault.name)
def test_what_is_google_s_fault_is_tried_again(fault):
    assert raised(fault, ServerFault).url.startswith("https://places.googleapis.com/v1/places/")


@pytest.mark.parametrize(
    ("place_id", "words"),
    [
        ("ChIJunknownunknownunknown", "does not know this place any more; search again"),
        ("foo", "Not a valid Place ID: foo"),
        ("../../etc/passwd", "not a valid place id: '../../etc/passwd'"),
        ("", "not a valid place id: ''"),
    ],
)
def test_a_place_that_is_not_there_fails_for_good(place_id, words):
    with places_of(PlacesWeb(PlacesSimulator([FULL_PLACE]))) as places, pytest.raises(GiveUp) as error:
        places.details(place_id)

    assert words in str(error.value)


def test_a_request_that_google_does_not_take_fails_for_good_with_googles_words():
    with places_of(PlacesWeb(PlacesSimulator([]))) as places, pytest.raises(GiveUp, match=r"Empty text_query\."):
        places.search(" ")


def test_a_later_page_that_fails_fails_the_whole_search():
    simulator = PlacesSimulator(dentists(45))
    simulator.script.extend([None, None, Fault.UNAVAILABLE])

    with places_of(PlacesWeb(simulator)) as places, pytest.raises(ServerFault):
        places.search("dentist in Austin")


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, "[]", ServerFault),
        (200, '"text"', ServerFault),
        (200, '{"rating": NaN}', ServerFault),
        (200, "[" * 5000, ServerFault),
        (403, "<h1>Forbidden</h1>", ServerFault),
        (429, "slow down", RetryLater),
        (302, "", ServerFault),
        (502, "<h1>Bad gateway</h1>", ServerFault),
        (400, '{"error": "no object"}', ServerFault),
        (400, '{"error": {}}', ServerFault),
        (400, '{"error": {"status": "FAILED_PRECONDITION"}}', GiveUp),
        (400, '{"error": {"status": "INVALID_ARGUMENT", "message": "API key expired."}}', PauseWorkflow),
        (401, '{"error": {"status": "UNAUTHENTICATED", "details": [7, {"reason": 7}]}}', PauseWorkflow),
        (429, '{"error": {"status": "RESOURCE_EXHAUSTED"}}', RetryLater),
        (429, f'{{"error": {{"status": "RESOURCE_EXHAUSTED", "details": [{A_DAYS_QUOTA}]}}}}', PauseWorkflow),
    ],
)
def test_the_words_of_an_answer_decide_and_not_its_code(status, body, kind):
    with places_of(PlacesAnswering(Reply(status, body))) as places, pytest.raises(kind):
        places.details("ChIJx")


def no_such_name(_host, _port):
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.mark.parametrize(
    "network",
    [{"resolve": no_such_name}, {"ca_file": None}, {"trusted": ()}],
    ids=["no name server knows Google", "a certificate of somebody else", "Google at a private address"],
)
def test_a_network_without_google_is_held_against_no_row(network):
    local = PlacesWeb(PlacesSimulator([FULL_PLACE]))

    with places_of(local, **network) as places, pytest.raises(Unreachable) as error:
        places.details(FULL_PLACE["id"])

    assert str(error.value).startswith("Google Places cannot be reached: ")
    assert local.asked == []


def test_a_key_that_google_repeats_does_not_reach_the_row():
    body = json.dumps({"error": {"status": "PERMISSION_DENIED", "message": f"the key {KEY} is blocked"}})

    with places_of(PlacesAnswering(Reply(403, body))) as places, pytest.raises(PauseWorkflow) as error:
        places.details("ChIJx")

    assert "the key <key> is blocked" in str(error.value)


def test_a_key_that_no_header_can_carry_does_not_reach_the_row():
    with places_of(PlacesAnswering(Reply(200, "{}")), key="secret\nkey") as places, pytest.raises(Unreachable) as error:
        places.details("ChIJx")

    assert str(error.value).endswith("the request cannot be written down in HTTP")


def test_characters_that_a_database_refuses_are_left_out():
    body = '{"id": "ChIJx", "displayName": {"text": "A\\u0000B\\ud800"}, "types": ["a\\u0000"], "rating": 4}'

    with places_of(PlacesAnswering(Reply(200, body))) as places:
        assert places.details("ChIJx") == {
            "id": "ChIJx",
            "displayName": {"text": "AB"},
            "types": ["a"],
            "rating": 4,
        }
