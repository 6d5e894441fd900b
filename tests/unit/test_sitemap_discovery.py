from uuid import UUID

import pytest

from actors.errors import Busy, Denied, ServerFault
from actors.parse.sitemap_links import USUAL_PATHS
from actors.selection import AutoSelect
from actors.sitemap_discovery import Site, discover_sitemaps
from tests.sandbox_support import new_reader
from tests.web_support import LocalWeb, Reply, redirect, web_for

HOME = "https://clinic.example/"
SITE = Site(UUID(int=2), "clinic.example", HOME)
URLSET = "<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>"
INDEX = "<sitemapindex><sitemap><loc>/1.xml</loc></sitemap></sitemapindex>"
SOFT_404 = "<!doctype html><title>Not found</title>"


def run(pages, *, site=SITE, auto=("sitemaps",)):
    with LocalWeb(pages) as local:
        return discover_sitemaps(site, web_for(local), new_reader(), AutoSelect(auto)), local.urls


def at(path):
    return f"https://clinic.example{path}"


def robots(*lines):
    return Reply(200, "\n".join(["User-agent: *", "Allow: /", *lines]), {"Content-Type": "text/plain"})


def test_a_sitemap_that_robots_txt_names_is_described_and_selected():
    body = (
        f'<?xml version="1.0"?><?xml-stylesheet href="/wp-content/plugins/wordpress-seo/css/main-sitemap.xsl"?>{INDEX}'
    )

    found, _ = run({at("/robots.txt"): robots("Sitemap: /map.xml"), at("/map.xml"): body})

    (row,) = found.rows
    assert (row.domain_id, row.url, row.discovery_method) == (SITE.id, at("/map.xml"), "robots_txt")
    assert (row.sitemap_type, row.generator, row.url_count, row.size_bytes) == ("index", "Yoast SEO", 1, len(body))
    assert row.deep_scrape_curation_status == "Selected"
    assert found.values == {"total_sitemaps": 1, "sitemap_urls": 0}
    assert found.reason == "1 sitemap (1 by robots.txt), 0 URLs"


def test_the_validators_of_a_file_are_left_to_its_import():
    found, _ = run({at("/sitemap.xml"): Reply(200, URLSET, {"ETag": '"7"'})})

    (row,) = found.rows
    assert "etag" not in vars(row)


def test_all_that_robots_txt_names_is_taken_and_one_usual_path_tried():
    pages = {
        at("/robots.txt"): robots("Sitemap: /a.xml", "sitemap: https://clinic.example/b.txt", "Sitemap: /gone.xml"),
        at("/a.xml"): URLSET,
        at("/b.txt"): "https://clinic.example/c",
        at("/sitemap.xml"): INDEX,
    }

    found, asked = run(pages)

    assert {row.url: row.sitemap_type for row in found.rows} == {
        at("/a.xml"): "urlset",
        at("/b.txt"): "text",
        at("/sitemap.xml"): "index",
    }
    assert asked == [at("/a.xml"), at("/b.txt"), at("/gone.xml"), at("/sitemap.xml")]
    assert found.values == {"total_sitemaps": 3, "sitemap_urls": 3}
    assert found.reason == "3 sitemaps (2 by robots.txt, 1 by a usual path), 3 URLs"


def test_the_usual_paths_are_tried_until_one_is_a_sitemap():
    found, asked = run(
        {at("/sitemap.xml"): SOFT_404, at("/wp-sitemap.xml"): URLSET, at("/sitemap.txt"): "https://a.example/"}
    )

    (row,) = found.rows
    assert (row.url, row.discovery_method) == (at("/wp-sitemap.xml"), "common_path")
    assert asked == [at("/sitemap.xml"), at("/sitemap_index.xml"), at("/wp-sitemap.xml")]


def test_a_sitemap_is_stored_under_the_address_where_it_is_in_the_end():
    pages = {
        at("/robots.txt"): robots("Sitemap: /map.xml"),
        at("/map.xml"): redirect(at("/real.xml")),
        at("/sitemap.xml"): redirect(at("/real.xml")),
        at("/real.xml"): URLSET,
    }

    found, _ = run(pages)

    assert [(row.url, row.discovery_method) for row in found.rows] == [(at("/real.xml"), "robots_txt")]


def test_the_home_page_is_asked_last():
    home = '<link rel="Sitemap" href="maps/all.xml"><a href="/sitemap-pages.xml">XML</a><a href="/sitemap">Sitemap</a>'

    found, asked = run({HOME: home, at("/maps/all.xml"): URLSET, at("/sitemap-pages.xml"): URLSET})

    assert [row.url for row in found.rows] == [at("/maps/all.xml"), at("/sitemap-pages.xml")]
    assert {row.discovery_method for row in found.rows} == {"html_link"}
    assert asked == [*map(at, USUAL_PATHS), HOME, at("/maps/all.xml"), at("/sitemap-pages.xml")]


def test_somebody_elses_sitemap_counts_only_when_robots_txt_names_it():
    hosted, linked = "https://maps.example/clinic.xml", "https://other.example/sitemap.xml"
    home = f'<link rel="sitemap" href="{linked}">'

    named, _ = run({at("/robots.txt"): robots(f"Sitemap: {hosted}"), hosted: URLSET, linked: URLSET})
    unnamed, _ = run({HOME: home, linked: URLSET})
    redirected, _ = run({at("/sitemap.xml"): redirect(linked), linked: URLSET})

    assert [row.url for row in named.rows] == [hosted]
    assert list(unnamed.rows) == []
    assert list(redirected.rows) == []


def test_no_sitemap_is_done_with_a_reason():
    found, _ = run({at("/sitemap.xml"): SOFT_404, HOME: SOFT_404})

    assert list(found.rows) == []
    assert found.values == {"total_sitemaps": 0, "sitemap_urls": 0}
    assert found.reason == "no sitemap: robots.txt names none, 8 usual paths are not there, the home page links to none"


def test_a_site_that_forbids_everything_has_no_sitemap_for_us():
    found, asked = run({at("/robots.txt"): "User-agent: *\nDisallow: /\nSitemap: /a.xml", at("/a.xml"): URLSET})

    assert asked == []
    assert found.reason == (
        "no sitemap: robots.txt names 1 that are none, 8 usual paths are not there (9 forbidden by robots.txt), "
        "the home page links to none"
    )


def test_a_site_that_wants_to_be_crawled_too_slowly_fails_with_that_reason():
    with pytest.raises(Denied, match="too slow to crawl"):
        run({at("/robots.txt"): robots("Crawl-delay: 600"), at("/sitemap.xml"): URLSET})


def test_a_site_in_trouble_is_tried_again_later_and_not_asked_more():
    broken = dict.fromkeys(map(at, USUAL_PATHS), Reply(500))

    with LocalWeb(broken) as local:
        with pytest.raises(ServerFault):
            discover_sitemaps(SITE, web_for(local), new_reader(), AutoSelect())

        assert len(local.urls) == 2


def test_a_site_that_asks_us_to_come_back_later_is_left_alone_at_once():
    with LocalWeb({at("/sitemap.xml"): Reply(429, headers={"Retry-After": "60"})}) as local:
        with pytest.raises(Busy):
            discover_sitemaps(SITE, web_for(local), new_reader(), AutoSelect())

        assert local.urls == [at("/sitemap.xml")]


def test_a_named_sitemap_that_failed_is_kept_for_its_import_when_another_was_found():
    pages = {
        at("/robots.txt"): robots("Sitemap: /a.xml", "Sitemap: /broken.xml"),
        at("/a.xml"): URLSET,
        at("/broken.xml"): Reply(500),
    }

    found, _ = run(pages, auto=())

    assert [(row.url, row.sitemap_type) for row in found.rows] == [(at("/a.xml"), "urlset"), (at("/broken.xml"), None)]
    assert {row.deep_scrape_curation_status for row in found.rows} == {"New"}
    assert found.reason.startswith("2 sitemaps (2 by robots.txt), 2 URLs; https://clinic.example/broken.xml: ")


def test_of_very_many_named_sitemaps_only_the_first_are_read_here():
    names = [f"/{number}.xml" for number in range(60)]

    found, asked = run(
        {at("/robots.txt"): robots(*(f"Sitemap: {name}" for name in names)), **{at(name): URLSET for name in names}}
    )

    assert len(found.rows) == 50
    assert len(asked) == 21
    assert found.values == {"total_sitemaps": 50, "sitemap_urls": 40}


def test_a_domain_whose_home_page_is_not_known_yet_is_looked_up_first():
    pages = {"https://www.clinic.example/": "<h1>Hello</h1>", "https://www.clinic.example/sitemap.xml": URLSET}

    found, _ = run(pages, site=SITE._replace(home_url=None))

    assert [row.url for row in found.rows] == ["https://www.clinic.example/sitemap.xml"]


def test_a_home_page_on_another_domain_has_its_sitemaps_there():
    found, asked = run({}, site=SITE._replace(home_url="https://group.example/clinic"))

    assert asked == []
    assert found.reason == "no sitemap: the home page is at group.example, which is another domain"


def test_a_bomb_is_no_sitemap():
    found, _ = run({at("/sitemap.xml"): "<!DOCTYPE a [<!ENTITY b 'c'>]><urlset/>", at("/sitemap_index.xml"): INDEX})

    assert [row.url for row in found.rows] == [at("/sitemap_index.xml")]
