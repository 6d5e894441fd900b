from contextlib import closing
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from actors.errors import Denied, NotThere
from actors.page_curation import Source, extract_contacts
from actors.sandbox.reader import Reader
from tests.sandbox_support import new_reader, pool_of
from tests.web_support import LocalWeb, Reply, redirect, web_for

URL = "https://acme-bau.de/kontakt"
SOURCE = Source(uuid4(), uuid4(), URL, etag=None, http_last_modified=None, domain="acme-bau.de", region="DE")
PAGE = """<!doctype html><html><head><title>Kontakt</title><meta name="description" content="So erreichen Sie uns">
<link rel="canonical" href="/kontakt/"><meta name="robots" content="index"></head><body><h1>Kontakt</h1>
<div><p>Anna Huber, Geschäftsführerin</p><p>huber@acme-bau.de</p><p>Tel. 030 987651</p><p>Fax 030 987659</p></div>
<div><p>info@acme-bau.de</p></div><p>Notdienst: 0171 2395432</p></body></html>"""


def run(pages, source=SOURCE):
    with LocalWeb(pages) as local:
        return extract_contacts(source, web_for(local), new_reader())


def emails(found):
    return [row.email for row in found.rows]


def test_a_page_gives_its_contacts_with_their_provenance():
    found = run({URL: PAGE})

    person, office, emergency = found.rows
    assert (person.email, person.email_type) == ("huber@acme-bau.de", "CORPORATE")
    assert (person.name, person.role) == ("Anna Huber", "Geschäftsführerin")
    assert (person.phone_number, person.fax_number) == ("+4930987651", "+4930987659")
    assert (person.domain_id, person.page_id) == (SOURCE.domain_id, SOURCE.id)
    assert (person.source_url, person.method, person.context) == (URL, "text", "huber@acme-bau.de")
    assert (office.email, office.email_type, office.phone_number) == ("info@acme-bau.de", "SERVICE", None)
    assert (emergency.email, emergency.phone_number, emergency.context) == (
        None,
        "+491712395432",
        "Notdienst: 0171 2395432",
    )
    assert found.reason == "3 contacts: 2 addresses, 2 numbers"


def test_a_page_says_what_it_is():
    found = run({URL: Reply(200, PAGE, {"ETag": '"7"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"})})

    assert abs(found.values["last_scan"] - datetime.now(UTC)) < timedelta(minutes=1)
    assert {name: value for name, value in found.values.items() if name != "last_scan"} == {
        "title": "Kontakt",
        "description": "So erreichen Sie uns",
        "h1": "Kontakt",
        "canonical_url": "https://acme-bau.de/kontakt/",
        "meta_robots": "index",
        "word_count": 15,
        "contact_scrape_status": "ContactFound",
        "etag": '"7"',
        "http_last_modified": "Mon, 01 Jan 2024 00:00:00 GMT",
    }


def test_a_page_without_contacts_is_done_and_says_so():
    found = run({URL: "<p>Hello</p>"})

    assert (list(found.rows), found.reason) == ([], "no contact on the page")
    assert found.values["contact_scrape_status"] == "NoContactFound"


def test_a_page_that_has_not_changed_is_left_as_it_is():
    def unless_changed(asked):
        return Reply(304) if asked.headers.get("if-none-match") == '"7"' else Reply(200, PAGE)

    found = run({URL: unless_changed}, SOURCE._replace(etag='"7"'))

    assert (list(found.rows), dict(found.values)) == ([], {})
    assert found.reason == "not changed since the last visit"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(200, b"%PDF-1.7 info@acme-bau.de", {"Content-Type": "application/pdf"}), "is application/pdf, not read"),
        (Reply(200, b"%PDF-1.7 info@acme-bau.de", {"Content-Type": "text/html"}), "is application/pdf, not read"),
        (Reply(200, b"\x89PNG", {"Content-Type": "image/png"}), "is image/png, not read"),
        (
            Reply(200, "<title>Seite nicht gefunden</title>info@acme-bau.de"),
            "the page itself says that it is not there",
        ),
        (Reply(200, "<title>Acme</title><h1>404</h1>info@acme-bau.de"), "the page itself says that it is not there"),
    ],
)
def test_what_is_no_page_to_read_is_done_with_a_reason(reply, reason):
    found = run({URL: reply})

    assert (list(found.rows), found.reason) == ([], reason)
    assert found.values["contact_scrape_status"] == "NoContactFound"


def test_a_redirect_within_the_site_is_followed_and_noted():
    found = run({URL: redirect("https://www.acme-bau.de/contact"), "https://www.acme-bau.de/contact": PAGE})

    assert {row.source_url for row in found.rows} == {"https://www.acme-bau.de/contact"}


def test_the_contacts_of_another_site_are_not_this_sites():
    found = run({URL: redirect("https://other.com/"), "https://other.com/": PAGE})

    assert list(found.rows) == []
    assert found.reason == "leads to other.com, which is another site: its contacts are not acme-bau.de's"


def test_a_page_of_another_site_is_not_parsed():
    with closing(pool_of()) as pool, LocalWeb({URL: redirect("https://other.com/"), "https://other.com/": PAGE}) as web:
        extract_contacts(SOURCE, web_for(web), Reader(pool))

    assert pool.watch.reads == []


def test_a_forwarding_that_ends_at_another_site_is_not_parsed_and_leaves_the_page_itself():
    pages = {
        URL: "<meta http-equiv='refresh' content='5; url=/away'><p>info@acme-bau.de",
        "https://acme-bau.de/away": redirect("https://other.com/"),
        "https://other.com/": PAGE,
    }

    with closing(pool_of()) as pool, LocalWeb(pages) as web:
        found = extract_contacts(SOURCE, web_for(web), Reader(pool))

    assert emails(found) == ["info@acme-bau.de"]
    assert pool.watch.reads == ["contact_page"]


@pytest.mark.parametrize(
    "html",
    [
        "<meta http-equiv='refresh' content='0; url=/inhalt.htm'>",
        "<frameset cols='20%,*'><frame src='menu.htm'><frame name='main' src='inhalt.htm'></frameset>",
    ],
)
def test_a_frame_and_a_forwarding_are_followed_once(html):
    pages = {URL: html, "https://acme-bau.de/inhalt.htm": PAGE, "https://acme-bau.de/menu.htm": "x@acme-bau.de"}

    found = run(pages)

    assert emails(found) == ["huber@acme-bau.de", "info@acme-bau.de", None]


def test_a_forwarding_that_leads_nowhere_leaves_the_page_itself():
    found = run({URL: "<meta http-equiv='refresh' content='5; url=/gone'><p>info@acme-bau.de"})

    assert emails(found) == ["info@acme-bau.de"]


def test_numbers_without_a_country_are_read_by_the_sites_own_when_the_place_is_unknown():
    found = run({URL: "<p>Tel. 030 987651</p>"}, SOURCE._replace(region=None))

    assert [row.phone_number for row in found.rows] == ["+4930987651"]


def test_a_page_in_an_old_encoding_is_read():
    html = "<p>Geschäftsführer: Jörg Größl</p><p>groessl@acme-bau.de</p>".encode("cp1252")

    (contact,) = run({URL: Reply(200, html, {"Content-Type": "text/html; charset=windows-1252"})}).rows

    assert (contact.name, contact.role) == ("Jörg Größl", "Geschäftsführer")


def test_a_page_that_is_not_there_or_not_for_us_is_an_error():
    with pytest.raises(NotThere):
        run({URL: Reply(404, "gone")})
    with pytest.raises(Denied):
        run({"https://acme-bau.de/robots.txt": "User-agent: *\nDisallow: /kontakt", URL: PAGE})


def test_what_stands_in_a_frame_is_asked_for_anew_each_time():
    frames = Reply(200, "<frameset><frame src='/inner'></frameset>", {"ETag": '"outer"'})
    inner = Reply(200, PAGE, {"ETag": '"inner"'})

    found = run({URL: frames, "https://acme-bau.de/inner": inner})

    assert list(found.rows)
    assert (found.values["etag"], found.values["http_last_modified"]) == (None, None)
