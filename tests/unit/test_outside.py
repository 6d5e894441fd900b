"""What leaves the machine is counted, and those who make the requests know nothing of it."""

import contextlib

import pytest
from prometheus_client import REGISTRY

from actors.errors import FetchError
from actors.fetch.places import Places
from app.demo.places_simulator import PlacesSimulator
from app.outside import FetchCounts, count_calls
from tests.places_support import KEY, PlacesAnswering, PlacesWeb, dentists
from tests.sandbox_support import new_reader
from tests.web_support import LocalWeb, Reply, client_for

SITE = "http://example.com"


class Counted:
    """How much each series has grown since."""

    def __init__(self, name, **labels):
        self.name, self.labels = name, labels
        self.before = self.value()

    def value(self):
        return REGISTRY.get_sample_value(self.name, self.labels) or 0

    @property
    def more(self):
        return self.value() - self.before


def fetches(result):
    return Counted("scrapersky_fetches_total", workflow="testing", result=result)


def blocks(reason):
    return Counted("scrapersky_fetch_blocks_total", workflow="testing", reason=reason)


def calls(kind, result):
    return Counted("scrapersky_places_calls_total", kind=kind, result=result)


def ask(local, url, **options):
    web = local.until_closed(client_for(local, **options).open(new_reader(), FetchCounts("testing")))
    with contextlib.suppress(FetchError):
        web.get(url)


def test_a_page_that_comes_is_counted_and_blocks_nothing():
    counted = fetches("ok")

    with LocalWeb({f"{SITE}/": Reply(200, "hello")}) as local:
        ask(local, f"{SITE}/")

    assert counted.more == 1


@pytest.mark.parametrize(
    ("pages", "url", "result", "reason"),
    [
        ({}, "http://169.254.169.254/latest/", "denied", "address"),
        ({}, "ftp://example.com/", "denied", "scheme"),
        ({}, f"{SITE}:22/", "denied", "port"),
        ({f"{SITE}/robots.txt": Reply(200, "User-agent: *\nDisallow: /")}, f"{SITE}/", "denied", "robots"),
        ({f"{SITE}/robots.txt": Reply(200, "User-agent: *\nCrawl-delay: 99999")}, f"{SITE}/", "denied", "crawl_delay"),
        ({f"{SITE}/": Reply(403)}, f"{SITE}/", "denied", "forbidden"),
        ({f"{SITE}/": Reply(429)}, f"{SITE}/", "busy", "busy"),
        ({f"{SITE}/": Reply(200, "x" * 5_000_001)}, f"{SITE}/", "unusable", "too_large"),
        ({f"{SITE}/": Reply(302, headers={"Location": "/"})}, f"{SITE}/", "unusable", "redirects"),
    ],
)
def test_a_refused_fetch_is_counted_by_its_reason(pages, url, result, reason):
    ended, refused = fetches(result), blocks(reason)

    with LocalWeb(pages) as local:
        ask(local, url)

    assert (ended.more, refused.more) == (1, 1)


@pytest.mark.parametrize(("status", "result"), [(404, "not_there"), (500, "server_fault")])
def test_a_fetch_that_merely_fails_is_no_block(status, result):
    ended = fetches(result)
    before = sum_of_blocks()

    with LocalWeb({f"{SITE}/": Reply(status)}) as local:
        ask(local, f"{SITE}/")

    assert ended.more == 1
    assert sum_of_blocks() == before


def sum_of_blocks():
    return sum(
        sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
        if sample.name == "scrapersky_fetch_blocks_total"
    )


def test_calls_of_the_places_api_are_counted_by_what_was_asked_and_what_they_cost():
    searched, located, detailed = calls("search", "ok"), calls("locate", "ok"), calls("details", "ok")
    cost = [Counted("scrapersky_places_cost_units_total", kind=kind) for kind in ("search", "locate", "details")]

    with PlacesWeb(PlacesSimulator(dentists(25))) as local:
        places = Places(count_calls(client_for(local).ask), KEY)
        found = places.search("dentist in Austin")
        places.centre("Austin, TX")
        places.details(found[0]["id"])

    assert (searched.more, located.more, detailed.more) == (2, 1, 1)  # 25 places are two pages
    assert [one.more for one in cost] == [70, 32, 20]


@pytest.mark.parametrize(("status", "result"), [(429, "quota"), (403, "refused"), (503, "fault")])
def test_a_call_that_is_refused_is_counted_and_costs_nothing(status, result):
    counted, cost = calls("details", result), Counted("scrapersky_places_cost_units_total", kind="details")

    with PlacesAnswering(Reply(status, "{}")) as local, contextlib.suppress(Exception):
        Places(count_calls(client_for(local).ask), KEY).details("ChIJone")

    assert (counted.more, cost.more) == (1, 0)


def test_a_service_that_is_not_reached_is_counted_too():
    counted = calls("details", "unreachable")

    with LocalWeb({}, certificate_for=lambda _: None) as local, pytest.raises(FetchError):
        Places(count_calls(client_for(local).ask), KEY).details("ChIJone")

    assert counted.more == 1
