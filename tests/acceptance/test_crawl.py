"""The crawling workflows over real HTTP: what is held, what is survived, and what a hostile site ends as."""

import gzip
import os
import re
import signal
from pathlib import Path

import pytest

from app.demo.world import wordpress
from app.demo.world.site import Reply, Site, moved, xml
from tests.process_support import registered, wait_until

pytest_plugins = ["tests.acceptance.crawl_support"]

HOST = "smile-studio.com"
CONTACT_PAGE = (
    "<title>Contact</title><p>Write to <a href='mailto:hello@smile-studio.com'>hello@smile-studio.com</a></p>"
)
BOMB = gzip.compress(bytes(200 * 2**20), 9)
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{10 * f"&{inner};"}">' for inner, name in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><urlset><url><loc>https://smile-studio.com/&i;</loc></url></urlset>"
)


def site(pages, **more):
    return Site(HOST, (), pages=pages, **more)


def urlset(*urls):
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return xml(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>')


BUSY = "select state, query from pg_stat_activity where application_name = 'scrapersky worker' and state <> 'idle'"


def test_no_connection_is_in_use_while_a_site_is_asked(crawl):
    """The listener may borrow one at any time; one that the run holds would be in use until the site has answered."""
    answered = []

    def answer_when_no_connection_is_in_use(request):
        wait_until(lambda: not run.db.execute(BUSY).fetchall(), timeout=4)
        answered.append(request.url)
        return Reply(CONTACT_PAGE)

    page = answer_when_no_connection_is_in_use
    run = crawl(site({"/": page, "/contact": page, "/sitemap.xml": urlset(f"https://{HOST}/contact")}))
    run.work(SCRAPERSKY_THREADS="1")  # the one that asks is then the only one that claims and records
    run.queue(HOST)
    run.wait()

    assert len(answered) >= 3
    assert run.value("select email from contacts") == "hello@smile-studio.com"


def kill_a_worker(db):
    """Kill one and wait for its burial, while no row lost its worker twice: the third time it is taken for poison."""
    wait_until(
        lambda: registered(db) and not db.execute("select from engine.job where lost >= 2 and not dead").rowcount
    )
    pid = registered(db)[0]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: pid not in registered(db))


def test_killed_workers_and_a_sweep_lead_to_the_same_contacts_as_an_undisturbed_run(crawl):
    run = crawl(*wordpress.SITES)
    domains = [site.domain for site in wordpress.SITES]
    run.work()
    run.queue(*domains)
    run.wait()
    undisturbed = run.contacts()
    run.processes.end_all()
    run.db.execute("truncate domains, sitemap_files, pages, contacts, robots_files cascade")

    run.work("app.cli", "up", SCRAPERSKY_PROCESSES="2")
    needed = len(run.proxy.visits)
    run.queue(*domains)
    for eighth in range(1, 7):
        wait_until(lambda goal=needed + needed * eighth // 8: len(run.proxy.visits) >= goal)
        kill_a_worker(run.db)
    run.wait()

    assert run.failures() == []
    assert undisturbed
    assert run.contacts() == undisturbed


HOSTILE = {
    "a gzip bomb": (
        {"/": Reply(BOMB, headers={"Content-Encoding": "gzip"})},
        "status",
        r"more than [\d.,]+ \w+",
    ),
    "an endless redirect": ({"/": lambda request: moved(request.url + "x")}, "status", r"redirect"),
    "a redirect to the cloud's secrets": (
        {"/": moved("http://169.254.169.254/latest/meta-data/")},
        "status",
        r"169\.254\.169\.254 .*not fetched",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_home_page_ends_as_a_clear_error_on_the_row(crawl, kind):
    pages, _, told = HOSTILE[kind]
    run = crawl(site(pages, missing=pages["/"]))
    run.work()

    run.queue(HOST)
    run.wait()

    status, error = run.value("select status, status_error from domains")
    assert status == "error"
    assert re.search(told, error), error


def test_a_site_that_sends_a_byte_per_second_ends_at_the_deadline(crawl):
    run = crawl(site({"/": Reply("x" * 3600, drips=True)}))
    run.db.execute("update engine.workflow set max_attempts = 1")
    run.work(SCRAPERSKY_FETCH_SECONDS="2")

    run.queue(HOST)
    run.wait()

    status, error = run.value("select status, status_error from domains")
    assert (status, "within 2 s" in error) == ("error", True), error


@pytest.mark.parametrize(
    ("kind", "reply"),
    [("an XML bomb", xml(LAUGHS)), ("a gzip bomb", Reply(BOMB, "application/gzip"))],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bomb_for_a_sitemap_ends_as_a_clear_error_on_the_row_and_costs_little_memory(crawl, kind, reply):
    run = crawl(site({"/": CONTACT_PAGE, "/bomb.xml": reply}))
    worker = run.work()
    run.queue(HOST)
    run.wait()

    run.db.execute(
        "insert into sitemap_files (domain_id, url, deep_scrape_curation_status) "
        "select id, 'https://smile-studio.com/bomb.xml', 'Selected' from domains"
    )
    run.wait()

    status, error = run.value(
        "select sitemap_import_status, sitemap_import_error from sitemap_files where url like '%bomb%'"
    )
    assert status == "Error"
    assert error
    assert most_memory(worker.pid) < 300
    assert run.value("select count(*) from pages where url like '%haha%'") == 0


def test_a_sitemap_of_fifty_thousand_long_urls_is_imported_within_two_hundred_megabytes(crawl):
    filler = "x" * 900
    addresses = [f"https://{HOST}/{number:05}/{filler}" for number in range(49_998)]
    large = urlset(*addresses, f"https://{HOST}/contact", f"https://{HOST}/impressum")
    assert 45 * 2**20 < len(large.content) < 50 * 2**20
    run = crawl(site({"/": "<title>Home</title>", "/sitemap.xml": large, "/contact": CONTACT_PAGE}))
    worker = run.work()

    run.queue(HOST)
    run.wait(timeout=150)

    assert run.value("select count(*) from pages where lead_source = 'sitemap_import'") == 50_000
    assert (
        run.value(
            "select count(*) from pages where page_curation_status = 'Selected' and lead_source = 'sitemap_import'"
        )
        == 2
    )
    assert run.value("select email from contacts") == "hello@smile-studio.com"
    assert most_memory(worker.pid) < 200


def most_memory(pid):
    """In megabytes, the most that a process ever held."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
