"""The demo world keeps its own rules: its truth is real, its paths exist, its places speak the wire format."""

import phonenumbers
import pytest

from actors.parse.domains import registrable_domain
from app.demo.places_schema import Schema
from app.demo.places_simulator import PlacesSimulator
from app.demo.world import BUSINESSES, SITES
from app.demo.world.listing import COUNTRIES, SEARCHES, TOWN, places
from app.demo.world.site import Reply, Request, Site

MOST_PLACES = 60


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.domain)
def test_the_truth_of_a_site_is_in_the_form_of_the_contacts_table(site):
    assert all(email == email.lower() and email.count("@") == 1 for email in site.emails)
    assert all(phonenumbers.is_valid_number(phonenumbers.parse(phone)) for phone in site.phones)
    assert registrable_domain(site.domain) == site.domain
    assert site.host in site.hosts


def test_there_are_more_than_forty_sites_and_no_domain_twice():
    domains = [site.domain for site in SITES]

    assert len(SITES) >= 44
    assert len(set(domains)) == len(domains)


def test_every_business_is_listed_and_found_by_one_of_the_few_searches():
    kinds = {business.kind for business, _ in BUSINESSES}

    listed = places()

    assert kinds == set(SEARCHES)
    assert len({place["id"] for place in listed}) == len(BUSINESSES) == len(listed)
    assert all(TOWN in place["formattedAddress"] for place in listed)
    assert all(business.country in COUNTRIES for business, _ in BUSINESSES)
    assert all(sum(business.kind == kind for business, _ in BUSINESSES) <= MOST_PLACES for kind in kinds)


def test_a_listed_place_has_only_fields_of_the_places_api():
    schema = Schema("answers")

    unknown = [found for place in places() for found in schema.unknown_fields("Place", place)]

    assert unknown == []


def test_the_simulator_knows_every_listed_place():
    simulator = PlacesSimulator(places())
    headers = {"X-Goog-Api-Key": "demo", "X-Goog-FieldMask": "*"}

    answers = [simulator.handle("GET", f"/v1/places/{place['id']}", headers, b"")[0] for place in places()]

    assert answers == [200] * len(BUSINESSES)


def test_a_visitor_is_sent_to_the_right_scheme_and_host_first():
    site = Site("www.example-bakery.com", (), {"/": "home"})

    reply = site.answer(Request("http", "example-bakery.com", "/?a=1", {}, 0))

    assert (reply.status, reply.headers["Location"]) == (301, "https://www.example-bakery.com/?a=1")


def test_a_path_that_is_not_there_is_a_404_unless_the_site_answers_everything():
    honest = Site("a-bakery.com", (), {"/": "home"})
    soft = Site("b-bakery.com", (), {"/": "home"}, missing=Reply("Oops"))

    statuses = [site.answer(Request("https", site.host, "/none", {}, 0)).status for site in (honest, soft)]

    assert statuses == [404, 200]


@pytest.mark.parametrize("site", [site for site in SITES if site.forbidden], ids=lambda site: site.domain)
def test_what_a_site_forbids_is_forbidden_by_its_own_robots(site):
    reply = site.answer(Request("https", site.host, "/robots.txt", {}, 0))

    assert reply.status == 500 or "Disallow" in reply.content.decode()
