"""Sitemaps and their pages as the database keeps them: queued when selected, stored once, then left alone."""

from datetime import datetime

import pytest

from actors.selection import AutoSelect
from actors.sitemap_discovery import Site, discover_sitemaps
from actors.sitemap_import import File, import_sitemap
from db.results import write_rows
from tests.web_support import LocalWeb, web_for

AUTO = AutoSelect({"sitemaps", "pages"})
ROOT = "https://clinic.example"
WEB = {
    f"{ROOT}/sitemap.xml": "<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap></sitemapindex>",
    f"{ROOT}/pages.xml": (
        "<urlset><url><loc>/contact</loc><lastmod>2026-03-01</lastmod></url><url><loc>/x.pdf</loc></url>"
        "<url><loc>/a</loc></url></urlset>"
    ),
}


@pytest.fixture
def site(db):
    statement = "insert into domains (domain, home_url) values ('clinic.example', %s) returning id, domain, home_url"
    return Site(*db.execute(statement, [f"{ROOT}/"]).fetchone())


def discover(db, site, web=WEB):
    with LocalWeb(web) as local:
        write_rows(db, discover_sitemaps(site, web_for(local), AUTO).rows)


def import_queued(db, web=WEB):
    """Everything that waits, as the engine would; returns how many files that was."""
    waiting = db.execute(
        "select file.id, domain_id, url, depth, etag, http_last_modified, domain from sitemap_files as file "
        "join domains on domains.id = domain_id where sitemap_import_status = 'Queued'"
    ).fetchall()
    with LocalWeb(web) as local:
        for columns in waiting:
            write_rows(db, import_sitemap(File(*columns), web_for(local), AUTO).rows)
            db.execute("update sitemap_files set sitemap_import_status = 'Complete' where id = %s", [columns[0]])
    return len(waiting)


def pages(db):
    return db.execute(
        "select url, page_type, page_curation_status, page_processing_status, last_modified::date::text, updated_at "
        "from pages order by url"
    ).fetchall()


def test_a_site_goes_from_its_domain_to_queued_contact_pages(db, site):
    discover(db, site)
    imported = [import_queued(db), import_queued(db), import_queued(db)]

    assert imported == [1, 1, 0]
    assert [row[:-1] for row in pages(db)] == [
        (f"{ROOT}/a", "unknown", "New", None, None),
        (f"{ROOT}/contact", "contact_root", "Selected", "Queued", "2026-03-01"),
        (f"{ROOT}/x.pdf", "unknown", "New", "Filtered", None),
    ]
    assert db.execute("select url, depth from sitemap_files order by depth").fetchall() == [
        (f"{ROOT}/sitemap.xml", 0),
        (f"{ROOT}/pages.xml", 1),
    ]


def test_the_same_again_changes_nothing(db, site):
    discover(db, site)
    while import_queued(db):
        pass
    before = pages(db), db.execute("select id, updated_at from sitemap_files order by id").fetchall()

    discover(db, site)
    db.execute("update sitemap_files set sitemap_import_status = 'Queued', updated_at = updated_at")
    import_queued(db)

    assert (pages(db), db.execute("select id from sitemap_files order by id").fetchall()) == (
        before[0],
        [(row[0],) for row in before[1]],
    )


@pytest.mark.parametrize("zone", ["+23:59", "-16:00"])
def test_a_date_in_a_zone_that_postgres_does_not_know_is_stored_in_utc(db, site, zone):
    body = f"<urlset><url><loc>/contact</loc><lastmod>2026-03-02T12:00:00{zone}</lastmod></url></urlset>"

    discover(db, site, {f"{ROOT}/sitemap.xml": body})
    import_queued(db, {f"{ROOT}/sitemap.xml": body})

    written = datetime.fromisoformat(f"2026-03-02T12:00:00{zone}")
    assert db.execute("select last_modified from pages").fetchall() == [(written,)]


def test_what_a_person_decided_about_a_page_stays(db, site):
    discover(db, site)
    while import_queued(db):
        pass
    db.execute("update pages set page_curation_status = 'Not a Fit', page_processing_status = 'Complete'")

    db.execute("update sitemap_files set sitemap_import_status = 'Queued'")
    import_queued(db)

    assert {row[2:4] for row in pages(db)} == {("Not a Fit", "Complete")}


def test_indexes_that_name_each_other_come_to_an_end(db, site):
    ring = {
        f"{ROOT}/sitemap.xml": "<sitemapindex><sitemap><loc>/b.xml</loc></sitemap></sitemapindex>",
        f"{ROOT}/b.xml": "<sitemapindex><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>",
    }

    discover(db, site, ring)
    imported = [import_queued(db, ring) for _ in range(4)]

    assert imported == [1, 1, 0, 0]
    assert db.execute("select count(*) from sitemap_files").fetchone() == (2,)
