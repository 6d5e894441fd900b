"""The demo's proxy as the guarded client sees it: every kind of host, answer and failure, over real sockets."""

from contextlib import closing

import pytest

from actors.errors import Busy, Denied, NotThere, ServerFault, TooSlow, Unreachable, Unusable
from actors.fetch.web import Patience, WebClient, WebOptions
from actors.parse.contact_page import read_contact_page
from actors.parse.wire_body import page_text, plain_bytes
from app.demo.world import SITES
from tests.sandbox_support import new_reader
from tests.world_support import AGENT, Memory, client_for, running_world, visiting


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with running_world(tmp_path_factory.mktemp("world")) as (proxy, certificates):
        yield proxy, certificates


@pytest.fixture
def web(world):
    with visiting(client_for(*world)) as web:
        yield web


def test_a_page_comes_over_tls_with_the_demos_own_certificate(web):
    answer = web.get("https://www.cedarline-dental.com/contact-us/")

    assert (answer.status, answer.tls_problem) == (200, None)
    assert b"smile@cedarline-dental.com" in plain_bytes(answer.wire)


def test_plain_http_is_sent_on_to_the_right_address(web):
    answer = web.get("http://cedarline-dental.com/")

    assert answer.url == "https://www.cedarline-dental.com/"
    assert answer.hops[0] == "http://cedarline-dental.com/"


def test_a_site_of_the_old_days_is_served_without_tls(web):
    answer = web.get("http://www.zahnarzt-lindenhof.de/impressum.html")

    assert "Käthe Brügge" in page_text(answer.wire)


def test_a_page_that_has_not_changed_is_not_sent_again(web):
    etag = web.get("https://www.cedarline-dental.com/").headers["etag"]

    answer = web.get("https://www.cedarline-dental.com/", etag=etag)

    assert (answer.status, answer.body) == (304, b"")


@pytest.mark.parametrize(
    ("url", "error", "kind"),
    [
        ("https://www.gone-with-the-drain.com/", NotThere, "dns"),
        ("http://www.gone-with-the-drain.com/", NotThere, "dns"),
        ("https://shutters-down-diner.com/", Unreachable, None),
        ("https://empty-plate-cafe.co.uk/", NotThere, None),
        ("https://crumbling-pillar-law.com/", ServerFault, None),
        ("https://oldtown-plumbing.com/", Unreachable, "robots_unreachable"),
        ("https://ravenhurst-legal.com/", Denied, "robots"),
        ("https://members-smile-club.com/", Denied, None),
        ("https://hightower-pipes.com/", Denied, None),
        ("https://carousel-cafe-skyport.com/", Unusable, "redirects"),
        ("https://bigbook-law.com/about", Unusable, "too_large"),
        ("https://popcorn-palace-skyport.com/", Unusable, "too_large"),
    ],
)
def test_a_site_that_fails_fails_with_the_right_error(web, url, error, kind):
    with pytest.raises(error) as raised:
        new_reader().read(read_contact_page, [web.get(url).wire], region=None)

    assert kind in {None, raised.value.kind}


@pytest.mark.parametrize("host", ["lapsed-lantern-dental.com", "borrowed-badge-law.com"])
def test_a_bad_certificate_is_told(web, host):
    answer = web.get(f"https://{host}/")

    assert answer.tls_problem is not None


def test_a_busy_site_asks_to_come_back_and_is_fine_then(web):
    with pytest.raises(Busy) as raised:
        web.get("https://rushhour-plumbing.com/")
    answer = web.get("https://rushhour-plumbing.com/")

    assert raised.value.delay.total_seconds() >= 1
    assert answer.status == 200


def test_a_site_that_drips_is_given_up_when_time_is_over(world):
    proxy, certificates = world
    patience = Patience(request=0.5)
    client = WebClient(WebOptions(AGENT, proxy=proxy.url, ca_file=certificates, patience=patience), Memory())

    with visiting(client) as web, pytest.raises(TooSlow):
        web.get("https://slow-simmer-kitchen.com/contact")


def test_places_is_answered_by_the_simulator(world):
    headers = {"X-Goog-Api-Key": "demo", "X-Goog-FieldMask": "places.id,nextPageToken"}
    question = {"textQuery": "dentist in Skyport"}

    with closing(client_for(*world)) as client:
        answer = client.ask(
            "POST", "https://places.googleapis.com/v1/places:searchText", headers=headers, json=question
        )

    assert answer.status == 200
    assert b"ChIJ" in answer.body


def test_every_visit_is_written_down_with_its_agent(world, web):
    proxy, _ = world

    web.get("https://heirloom-books.co.uk/about")

    visits = proxy.visits.by_host()["heirloom-books.co.uk"]
    assert [visit.path for visit in visits] == ["/robots.txt", "/about"]
    assert {visit.agent for visit in visits} == {AGENT}


def test_every_site_with_contacts_answers_at_home(tmp_path):
    sites = [
        site for site in SITES if site.emails and site.domain not in {"fennel-finch.co.uk", "rushhour-plumbing.com"}
    ]

    with running_world(tmp_path) as (proxy, certificates), visiting(client_for(proxy, certificates)) as web:
        statuses = {site.domain: web.get(site.url).status for site in sites}

    assert statuses == {site.domain: 200 for site in sites}
