from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from actors.domain_metadata import Site, read_site
from actors.selection import AutoSelect
from db.models import Domain, Page
from tests.sandbox_support import new_reader
from tests.web_support import LocalWeb, Reply, redirect, web_for

SITE = Site(id=uuid4(), domain="acme.com", region="US")

HOME = """<!doctype html><html lang="en-US"><head>
<title>Acme Dental</title>
<meta name="description" content="Gentle dentists in Austin">
<meta name="generator" content="WordPress 6.4.2">
<link rel="icon" href="/icon.png">
<link rel="stylesheet" href="/wp-content/themes/brightsmile/style.css">
<script type="application/ld+json">{"@type": "Dentist", "name": "Acme Dental LLC", "logo": "/logo.svg"}</script>
</head><body>
<header><a href="/">Home</a> <a href="/contact-us/#form">Contact</a> <a href="/about">About us</a></header>
<p>Write to <a href="mailto:office@acme.com">office@acme.com</a> or call +1 512 794 2345.</p>
<a href="https://www.facebook.com/acmedental">Facebook</a>
<a href="https://www.tiktok.com/@acmedental">TikTok</a>
<a href="/our-services">Services</a> <a href="/contact-us/">Contact</a>
<a href="https://elsewhere.com/contact">Contact our web designer</a>
</body></html>"""


def run(pages, site=SITE, auto=("pages",)):
    with LocalWeb(pages) as local:
        return read_site(site, web_for(local), new_reader(), AutoSelect(auto))


def pages_of(found):
    return {row.url: row for row in found.rows if isinstance(row, Page)}


def test_a_home_page_fills_the_columns_of_its_domain():
    found = run({"https://acme.com/": Reply(200, HOME, {"Server": "nginx/1.24"})})

    assert found.reason == "home page read at https://acme.com/ (WordPress 6.4.2)"
    assert abs(found.values["last_scan"] - datetime.now(UTC)) < timedelta(minutes=1)
    assert {name: value for name, value in found.values.items() if name != "last_scan"} == {
        "home_url": "https://acme.com/",
        "alias_of": None,
        "is_parked": False,
        "title": "Acme Dental",
        "description": "Gentle dentists in Austin",
        "language": "en-US",
        "favicon_url": "https://acme.com/icon.png",
        "logo_url": "https://acme.com/logo.svg",
        "facebook_url": "https://www.facebook.com/acmedental",
        "twitter_url": None,
        "linkedin_url": None,
        "instagram_url": None,
        "youtube_url": None,
        "meta_json": {
            "organisation": {"name": "Acme Dental LLC", "type": "Dentist"},
            "social": {"tiktok": "https://www.tiktok.com/@acmedental"},
        },
        "cms": "WordPress",
        "is_wordpress": True,
        "wordpress_version": "6.4.2",
        "wordpress_theme": "brightsmile",
        "has_elementor": False,
        "has_divi": False,
        "has_woocommerce": False,
        "tech_stack": {
            "WordPress": {"category": "cms", "version": "6.4.2"},
            "nginx": {"category": "server", "version": None},
        },
        "email_addresses": ["office@acme.com"],
        "phone_numbers": ["+15127942345"],
        "sitemap_analysis_status": "queued",
    }


def test_every_value_has_a_column():
    found = run({"https://acme.com/": HOME})

    assert found.values.keys() <= set(Domain.__table__.columns.keys())


def test_the_home_page_and_its_contact_like_links_become_pages():
    found = run({"https://acme.com/": HOME})

    pages = pages_of(found)
    assert list(pages) == ["https://acme.com/", "https://acme.com/contact-us/", "https://acme.com/about"]
    home, contact = pages["https://acme.com/"], pages["https://acme.com/contact-us/"]
    assert (home.page_type, home.priority_level, home.path_depth) == ("home_root", 2, 0)
    assert (contact.page_type, contact.priority_level, contact.path_depth) == ("contact_root", 1, 1)
    assert {page.domain_id for page in pages.values()} == {SITE.id}
    assert {page.lead_source for page in pages.values()} == {"home_page"}
    assert all(page.honeybee_json["decision"]["category"] == page.page_type for page in pages.values())


@pytest.mark.parametrize(("auto", "word"), [(("pages",), "Selected"), ((), "New")])
def test_a_setting_decides_whether_pages_wait_for_a_person(auto, word):
    found = run({"https://acme.com/": HOME}, auto=auto)

    assert {row.page_curation_status for row in found.rows} == {word}


def test_a_page_that_only_its_link_text_gives_away_is_found():
    found = run({"https://acme.com/": '<a href="/p7.html">Kontakt</a> <a href="/p8.html">Preise</a>'})

    assert list(pages_of(found)) == ["https://acme.com/", "https://acme.com/p7.html"]


def test_a_menu_in_a_frame_of_its_own_is_read_for_its_links():
    found = run(
        {
            "https://acme.com/": "<frameset><frame src=menu.htm><frame src=start.htm name=main></frameset>",
            "https://acme.com/menu.htm": '<a href="kontakt.htm">Kontakt</a>',
            "https://acme.com/start.htm": "Willkommen",
        }
    )

    assert list(pages_of(found)) == ["https://acme.com/start.htm", "https://acme.com/kontakt.htm"]


def test_no_more_than_ten_links_are_taken():
    links = "".join(f'<a href="/{number}/contact">Contact</a>' for number in range(30))

    found = run({"https://acme.com/": links})

    assert len(found.rows) == 11


def test_redirects_within_the_domain_are_recorded():
    found = run({"https://acme.com/": redirect("https://www.acme.com/en/"), "https://www.acme.com/en/": HOME})

    assert found.values["home_url"] == "https://www.acme.com/en/"
    assert found.values["meta_json"]["redirects"] == ["https://acme.com/", "https://www.acme.com/en/"]
    assert pages_of(found)["https://www.acme.com/en/"].page_type == "home_root"


def test_another_domain_is_an_alias_and_lends_nothing():
    found = run({"https://acme.com/": redirect("https://www.other.com/acme"), "https://www.other.com/acme": HOME})

    assert found.reason == "redirects to other.com, which is another domain"
    assert found.values == {
        "home_url": "https://www.other.com/acme",
        "alias_of": "other.com",
        "is_parked": False,
        "meta_json": {"redirects": ["https://acme.com/", "https://www.other.com/acme"]},
    }
    (other,) = found.rows
    assert isinstance(other, Domain)
    assert (other.domain, other.region, other.status) == ("other.com", "US", None)


def test_a_frame_around_another_domain_is_an_alias_too():
    found = run(
        {"https://acme.com/": '<frameset><frame src="https://other.com/"></frameset>', "https://other.com/": HOME}
    )

    assert found.values["alias_of"] == "other.com"


def test_a_host_that_many_share_is_an_alias_and_no_domain_of_its_own():
    found = run(
        {
            "https://acme.com/": redirect("https://www.facebook.com/acmedental"),
            "https://www.facebook.com/robots.txt": "User-agent: *\nDisallow: /",
        }
    )

    assert found.rows == []
    assert found.values["alias_of"] == "facebook.com"
    assert "facebook.com is shared by many businesses (social network)" in found.reason


def test_an_alias_that_cannot_be_read_says_so():
    found = run({"https://acme.com/": redirect("https://other.com/")})

    assert found.values["alias_of"] == "other.com"
    assert found.reason == "redirects to other.com, which is another domain (https://other.com/: 404 Not Found)"


@pytest.mark.parametrize(
    "pages",
    [
        {"https://acme.com/": "<title>acme.com is for sale</title>"},
        {"https://acme.com/": redirect("https://www.hugedomains.com/x"), "https://www.hugedomains.com/x": "Buy it"},
        {"https://acme.com/": redirect("https://sedo.com/x")},
    ],
    ids=["for sale", "led to a broker", "led to a broker who does not answer"],
)
def test_a_parked_domain_goes_no_further(pages):
    found = run(pages)

    assert found.values["is_parked"] is True
    assert "sitemap_analysis_status" not in found.values
    assert found.rows == ()
    assert found.reason


def test_an_empty_home_page_is_done():
    found = run({"https://acme.com/": ""})

    assert found.reason == "home page read at https://acme.com/"
    assert found.values["title"] is None
    assert found.values["tech_stack"] == {}
    assert found.values["sitemap_analysis_status"] == "queued"
