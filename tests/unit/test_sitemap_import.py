import gzip
from uuid import UUID

import pytest

from actors.errors import GiveUp, NotThere, Unusable
from actors.parse.pages import judge
from actors.parse.sitemap_reading import SiteUrls
from actors.parse.sitemaps import MOST_URLS
from actors.parse.urls import parse_url
from actors.selection import AutoSelect, MostSitemaps
from actors.sitemap_import import Entries, File, import_sitemap
from tests.sandbox_support import new_reader
from tests.web_support import LocalWeb, Reply, redirect, web_for

SITEMAP = "https://clinic.example/sitemap.xml"
FILE = File(UUID(int=1), UUID(int=2), SITEMAP, 0, None, None, "clinic.example", neighbours=1)


def run(pages, *, file=FILE, auto=("pages",), most=1000):
    with LocalWeb(pages) as local:
        return import_sitemap(file, web_for(local), new_reader(), AutoSelect(auto), MostSitemaps(most))


def urlset(*locs):
    return f"<urlset>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>"


def index(*locs):
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{loc}</loc></sitemap>' for loc in locs)}</sitemapindex>"


def test_every_url_becomes_a_page_with_its_category():
    body = "<urlset><url><loc>/kontakt</loc><lastmod>2026-03-01</lastmod></url><url><loc>/a/b</loc></url></urlset>"

    found = run({SITEMAP: body})

    contact, other = found.rows
    assert (contact.url, contact.page_type, contact.priority_level, contact.path_depth) == (
        "https://clinic.example/kontakt",
        "contact_root",
        1,
        1,
    )
    assert (contact.domain_id, contact.sitemap_file_id, contact.lead_source) == (
        FILE.domain_id,
        FILE.id,
        "sitemap_import",
    )
    assert contact.last_modified.isoformat() == "2026-03-01T00:00:00+00:00"
    assert contact.honeybee_json["decision"]["matched"] == "contact (de): kontakt"
    assert (contact.page_curation_status, other.page_curation_status) == ("Selected", "New")
    assert (other.page_type, other.path_depth, other.last_modified) == ("unknown", 2, None)
    assert found.reason == "2 pages (1 contact-like selected)"


def test_the_rows_can_be_read_again_and_never_set_the_status_of_a_page_to_be_read():
    found = run({SITEMAP: urlset("/contact", "/a")})

    first, second = list(found.rows), list(found.rows)

    assert [page.url for page in first] == [page.url for page in second]
    assert all("page_processing_status" not in vars(page) for page in first)


def test_a_page_that_is_not_worth_reading_is_stored_as_filtered():
    found = run({SITEMAP: urlset("/brochure.pdf", "/a")})

    filtered, kept = found.rows
    assert (filtered.page_processing_status, filtered.page_curation_status) == ("Filtered", "New")
    assert filtered.honeybee_json["exclusions"] == ["file"]
    assert kept.page_processing_status is None


def test_without_auto_select_contact_like_pages_wait_for_a_person():
    found = run({SITEMAP: urlset("/contact")}, auto=())

    assert [page.page_curation_status for page in found.rows] == ["New"]
    assert found.reason == "1 page (1 contact-like)"


def test_the_best_twenty_contact_like_pages_are_selected():
    offices = [f"/contact/{number:03}" for number in range(100)]

    found = run({SITEMAP: urlset("/privacy", *offices, "/impressum", "/contact")})

    selected = [page.url for page in found.rows if page.page_curation_status == "Selected"]
    assert len(selected) == 20
    assert {"https://clinic.example/contact", "https://clinic.example/impressum"} < set(selected)
    assert "https://clinic.example/privacy" not in selected


def test_every_page_is_stored_once_and_only_the_sites_own():
    body = urlset(
        "/a",
        "https://clinic.example/a#top",
        "https://clinic.example/a?utm_source=x&amp;fbclid=1",
        "https://www.clinic.example/a",
        "https://other.example/a",
        "https://notclinic.example/a",
        "/" + "x" * 2100,
        "mailto:a@clinic.example",
    )

    found = run({SITEMAP: body})

    assert [page.url for page in found.rows] == ["https://clinic.example/a", "https://www.clinic.example/a"]
    assert found.reason == (
        "2 pages (0 contact-like selected), 2 duplicates, 2 of other sites, 1 too long, 1 not web addresses"
    )


def test_what_is_known_of_the_file_is_kept():
    headers = {"ETag": '"7"', "Last-Modified": "Tue, 03 Mar 2026 10:00:00 GMT", "X-ShopId": "1"}
    body = "<urlset><url><loc>/a</loc><priority>1</priority></url></urlset>"

    found = run({SITEMAP: Reply(200, body, headers)})

    assert found.values == {
        "sitemap_type": "urlset",
        "url_count": 1,
        "size_bytes": len(body),
        "has_lastmod": False,
        "has_priority": True,
        "has_changefreq": False,
        "last_modified": "2026-03-03T10:00:00+00:00",
        "etag": '"7"',
        "http_last_modified": "Tue, 03 Mar 2026 10:00:00 GMT",
        "generator": "Shopify",
    }


def test_a_file_that_has_not_changed_is_not_read_again():
    file = FILE._replace(etag='"7"')

    def not_modified(asked):
        assert asked.headers["if-none-match"] == '"7"'
        return Reply(304)

    found = run({SITEMAP: not_modified}, file=file)

    assert (list(found.rows), found.values, found.reason) == ([], {}, "not changed since it was last read")


def test_an_index_gives_sitemaps_that_are_selected():
    found = run(
        {SITEMAP: index("/a.xml", "/a.xml", SITEMAP, "https://other.example/b.xml", "https://www.clinic.example/c.xml")}
    )

    first, second = found.rows
    assert (first.url, first.parent_id, first.depth) == ("https://clinic.example/a.xml", FILE.id, 1)
    assert (first.discovery_method, first.deep_scrape_curation_status) == ("sitemap_index", "Selected")
    assert second.url == "https://www.clinic.example/c.xml"
    assert found.values["sitemap_type"] == "index"
    assert found.reason == "2 sitemaps, 2 duplicates, 1 of other sites"


def test_an_index_below_three_others_is_not_followed():
    found = run({SITEMAP: index("/a.xml")}, file=FILE._replace(depth=3))

    assert list(found.rows) == []
    assert found.reason == "1 sitemap not followed: 3 indexes stand above them"


def test_of_an_endless_index_the_first_five_hundred_are_followed():
    found = run({SITEMAP: index(*(f"/{number}.xml" for number in range(600)))})

    assert len(list(found.rows)) == 500
    assert found.reason == "600 sitemaps, of which the first 500 are followed"


@pytest.mark.parametrize(
    ("neighbours", "followed", "reason"),
    [
        (7, 3, "3 sitemaps"),
        (
            8,
            2,
            "3 sitemaps, of which the first 2 are followed; besides these the site has 8, and 10 is the limit: partial",
        ),
        (10, 0, "3 sitemaps, of which none is followed; besides these the site has 10, and 10 is the limit: partial"),
        (
            5000,
            0,
            "3 sitemaps, of which none is followed; besides these the site has 5,000, and 10 is the limit: partial",
        ),
    ],
)
def test_a_site_has_no_more_sitemaps_than_the_limit(neighbours, followed, reason):
    body = Reply(200, index("/a.xml", "/b.xml", "/c.xml"), {"ETag": '"7"'})

    found = run({SITEMAP: body}, file=FILE._replace(neighbours=neighbours), most=10)

    assert len(list(found.rows)) == followed
    assert found.reason == reason
    assert (found.values["etag"] is None) == (followed < 3), "what was left out must be read again when there is room"


def test_a_file_kept_with_somebody_else_names_its_neighbours_but_no_pages_there():
    hosted = FILE._replace(url="https://maps.example/clinic/index.xml")

    of_index = run({hosted.url: index("https://maps.example/clinic/1.xml")}, file=hosted)
    of_urlset = run({hosted.url: urlset("https://maps.example/page", "https://clinic.example/page")}, file=hosted)

    assert [row.url for row in of_index.rows] == ["https://maps.example/clinic/1.xml"]
    assert [row.url for row in of_urlset.rows] == ["https://clinic.example/page"]


def test_relative_addresses_are_resolved_where_the_file_was_found_in_the_end():
    pages = {SITEMAP: redirect("https://www.clinic.example/maps/all.xml")}

    found = run({**pages, "https://www.clinic.example/maps/all.xml": urlset("a")})

    assert [page.url for page in found.rows] == ["https://www.clinic.example/maps/a"]


def test_a_zipped_file_is_unzipped_whatever_its_name_and_headers_say():
    found = run({SITEMAP: gzip.compress(urlset("/a").encode())})

    assert [page.url for page in found.rows] == ["https://clinic.example/a"]


def test_a_partial_file_gives_what_there_is_says_so_and_is_read_in_full_the_next_time():
    found = run({SITEMAP: Reply(200, urlset("/a", "/b")[:-12], {"ETag": '"7"'})})

    assert len(list(found.rows)) == 2
    assert found.reason == "2 pages (0 contact-like selected); cut off or broken before its end: partial"
    assert found.values["etag"] is None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<urlset></urlset>", "no URLs"),
        ("", "no URLs: the file is empty"),
        ("<sitemapindex/>", "no sitemaps in this index"),
        (urlset("{{ url }}"), "no URLs, 1 unfilled templates"),
    ],
)
def test_nothing_found_is_done_with_a_reason(body, reason):
    found = run({SITEMAP: body})

    assert list(found.rows) == []
    assert (found.reason, found.values["url_count"]) == (reason, 0)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<!doctype html><h1>Not found</h1>", f"{SITEMAP} is an HTML page, not a sitemap"),
        ('{"error": 1}', f"{SITEMAP} is no sitemap: it begins with '{{\"error\": 1}}'"),
        (gzip.compress(b"<urlset>", mtime=0)[:5], f"{SITEMAP} cannot be read: gzip cut off after 0 bytes"),
        (gzip.compress(b"<urlset>" + b" " * 20_000_000), "not a sitemap but a gzip bomb: .*"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><urlset/>", "not a sitemap but an XML bomb: .*"),
    ],
)
def test_what_is_no_sitemap_fails_for_good(body, message):
    with pytest.raises(GiveUp, match=message.replace("{", "\\{").replace("}", "\\}")):
        run({SITEMAP: body})


def test_a_bomb_in_the_transfer_fails_for_good():
    bomb = Reply(200, gzip.compress(b"\0" * 60_000_000), {"Content-Encoding": "gzip"})

    with pytest.raises((Unusable, GiveUp)):
        run({SITEMAP: bomb})


def test_a_file_that_is_not_there_fails_for_good():
    with pytest.raises(NotThere):
        run({})


CATEGORY = judge(parse_url("https://clinic.example/kontakt"))


@pytest.mark.parametrize("number", [-1, 1, 10**12])
def test_a_category_that_a_parser_process_invents_is_refused(number):
    batch = SiteUrls((CATEGORY,), (("https://clinic.example/a", None, number),), ())

    with pytest.raises(Unusable, match=f"{SITEMAP}: its parser names a category {number}") as failed:
        Entries(SITEMAP).add(batch)

    assert failed.value.kind == "parser_answer"


def test_what_a_parser_process_names_without_end_is_cut_off():
    entries = Entries(SITEMAP)
    batch = SiteUrls((CATEGORY,) * 1000, (("https://clinic.example/a", None, 0),) * 1000, ("https://x.example",) * 1000)

    for _ in range(MOST_URLS // 1000 + 2):
        entries.add(batch)

    assert (len(entries.pages), len(entries.children), len(entries.categories)) == (MOST_URLS, MOST_URLS, MOST_URLS)
