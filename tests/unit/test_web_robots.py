"""robots.txt is asked before every page, remembered for a day, and obeyed."""

import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from actors.errors import Busy, Denied, NotThere, Unreachable
from actors.fetch import deadline, permission
from actors.fetch import stream as wire_stream
from actors.fetch.web import Patience, StoredRobots
from actors.sandbox.reader import Reader
from tests.process_support import wait_until
from tests.sandbox_support import new_reader, pool_of
from tests.web_support import LocalWeb, MemoryRobots, Raw, Reply, client_for, redirect, web_for

SITE = "https://clinic.example"
FORBIDDING = "User-agent: *\nDisallow: /private\n"


def stored(body, *, expired=False):
    robots = MemoryRobots()
    expires_at = datetime.now(UTC) + timedelta(hours=-1 if expired else 1)
    robots.files[SITE] = StoredRobots(200, body, expires_at)
    return robots


def test_a_forbidden_page_is_not_asked_for():
    said = r"robots.txt of clinic.example forbids /private/a\?b"

    with LocalWeb({f"{SITE}/robots.txt": FORBIDDING}) as local, pytest.raises(Denied, match=said) as failed:
        web_for(local).get(f"{SITE}/private/a?b")

    assert failed.value.kind == "robots"
    assert local.urls == []


def test_a_redirect_is_not_followed_to_where_the_other_host_forbids_it():
    pages = {
        f"{SITE}/": redirect("https://www.clinic.example/private"),
        "https://www.clinic.example/robots.txt": FORBIDDING,
    }

    with LocalWeb(pages) as local, pytest.raises(Denied, match=r"www\.clinic\.example forbids /private"):
        web_for(local).get(f"{SITE}/")

    assert local.urls == [f"{SITE}/"]


def test_robots_txt_is_asked_once_for_many_pages_and_runs():
    robots = MemoryRobots()

    with LocalWeb({f"{SITE}/": "x", f"{SITE}/robots.txt": FORBIDDING}) as local:
        client = client_for(local, robots)
        for _ in range(2):
            local.until_closed(client.open(new_reader())).get(f"{SITE}/")
        web_for(local, robots).get(f"{SITE}/")

    assert [asked.url for asked in local.asked].count(f"{SITE}/robots.txt") == 1
    assert robots.files[SITE].body == FORBIDDING
    assert timedelta(hours=23) < robots.files[SITE].expires_at - datetime.now(UTC) <= timedelta(hours=24)


def test_an_expired_copy_is_asked_for_again():
    with LocalWeb({f"{SITE}/private": "x", f"{SITE}/robots.txt": "User-agent: *\nAllow: /"}) as local:
        answer = web_for(local, stored(FORBIDDING, expired=True)).get(f"{SITE}/private")

    assert answer.body == b"x"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_without_a_robots_txt_everything_is_allowed(status):
    robots = MemoryRobots()

    with LocalWeb({f"{SITE}/": "x", f"{SITE}/robots.txt": Reply(status, "User-agent: *\nDisallow: /")}) as local:
        answer = web_for(local, robots).get(f"{SITE}/")

    assert answer.body == b"x"
    assert (robots.files[SITE].status, robots.files[SITE].body) == (status, "")


@pytest.mark.parametrize(
    "broken", [Reply(500), Reply(503), Raw([b""]), Reply(200, "not gzip", {"Content-Encoding": "gzip"})]
)
def test_a_robots_txt_that_cannot_be_read_forbids_everything_for_now(broken):
    with LocalWeb({f"{SITE}/": "x", f"{SITE}/robots.txt": broken}) as local, pytest.raises(Unreachable) as failed:
        web_for(local).get(f"{SITE}/")

    assert failed.value.kind == "robots_unreachable"
    assert local.urls == []


def test_where_it_cannot_be_read_an_old_copy_holds():
    with LocalWeb({f"{SITE}/": "x", f"{SITE}/robots.txt": Reply(500)}) as local:
        web = web_for(local, stored(FORBIDDING, expired=True))
        answer = web.get(f"{SITE}/")
        with pytest.raises(Denied):
            web.get(f"{SITE}/private")

    assert answer.body == b"x"


def test_a_robots_txt_that_asks_us_to_come_back_later_is_obeyed():
    with LocalWeb({f"{SITE}/robots.txt": Reply(429, "", {"Retry-After": "77"})}) as local:
        web = web_for(local)
        with pytest.raises(Busy) as failed:
            web.get(f"{SITE}/")

    assert failed.value.delay == timedelta(seconds=77)
    assert web.spare == 77


def test_a_robots_txt_may_be_a_few_redirects_away():
    pages = {
        f"{SITE}/robots.txt": redirect("https://www.clinic.example/robots.txt"),
        "https://www.clinic.example/robots.txt": redirect("/r.txt"),
        "https://www.clinic.example/r.txt": FORBIDDING,
    }

    with LocalWeb(pages) as local, pytest.raises(Denied):
        web_for(local).get(f"{SITE}/private")


def test_a_robots_txt_that_redirects_for_ever_is_none():
    with LocalWeb({f"{SITE}/": "x", f"{SITE}/robots.txt": redirect("/robots.txt")}) as local:
        answer = web_for(local).get(f"{SITE}/")

    assert answer.body == b"x"


def test_a_robots_txt_that_leads_inside_is_denied():
    with (
        LocalWeb({f"{SITE}/robots.txt": redirect("http://169.254.169.254/")}) as local,
        pytest.raises(Denied) as failed,
    ):
        web_for(local).get(f"{SITE}/")

    assert failed.value.kind == "address"


def test_a_host_that_does_not_exist_is_not_there_and_not_merely_without_robots():
    with LocalWeb({}) as local, pytest.raises(NotThere) as failed:
        web_for(local, resolve=lambda *_: []).get(f"{SITE}/")

    assert failed.value.kind == "dns"


def test_of_a_huge_robots_txt_the_first_500_kib_count():
    filler = "User-agent: other\nDisallow: /x\n" * 50_000

    with LocalWeb({f"{SITE}/robots.txt": FORBIDDING + filler}) as local:
        robots = web_for(local).robots(f"{SITE}/a")

    assert not robots.allows(f"{SITE}/private")


def test_sitemaps_are_read_from_the_robots_txt_of_a_url():
    with LocalWeb({f"{SITE}/robots.txt": "Sitemap: /s.xml\nSitemap: https://cdn.example/t.xml"}) as local:
        robots = web_for(local).robots(f"{SITE}/any/page")

    assert robots.sitemaps == (f"{SITE}/s.xml", "https://cdn.example/t.xml")


def test_a_site_that_wants_to_be_crawled_by_the_hour_is_left_alone():
    with LocalWeb({f"{SITE}/robots.txt": "User-agent: *\nCrawl-delay: 3600"}) as local, pytest.raises(Denied) as failed:
        web_for(local).get(f"{SITE}/")

    assert failed.value.kind == "crawl_delay"
    assert local.urls == []


def test_the_time_that_our_parsers_take_is_not_the_servers(monkeypatch):
    waited = [0.0]
    for module in (deadline, permission, wire_stream):
        monkeypatch.setattr(module, "monotonic", lambda: time.monotonic() + sum(waited))
    pages = {f"{SITE}/robots.txt": FORBIDDING, f"{SITE}/": b"hello" * 100_000}
    with closing(pool_of()) as pool, LocalWeb(pages) as local:
        others = object()
        pool.borrow(others)

        def give_back_late() -> None:
            wait_until(lambda: pool._waiting)  # noqa: SLF001 - nobody else can see who waits
            waited.append(2 * Patience().request)
            pool.give_back(others)

        releasing = threading.Thread(target=give_back_late)
        releasing.start()
        web = local.until_closed(client_for(local).open(Reader(pool)))
        page = web.get(f"{SITE}/")
        releasing.join()
        with web.stream(f"{SITE}/", most=1_000_000) as stream:
            waited.append(2 * Patience().stream)  # a parser process that has to be started first
            body = b"".join(stream)

    assert page.body == body == b"hello" * 100_000
