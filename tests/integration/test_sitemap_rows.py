"""Sitemaps and their pages as the database keeps them: queued when selected, stored once, then left alone."""

from datetime import datetime
from itertools import count
from uuid import UUID

import pytest
from psycopg import sql

from actors.selection import AutoSelect, MostSitemaps
from actors.sitemap_discovery import Site, discover_sitemaps
from actors.sitemap_import import File, import_sitemap, sitemap_import
from db.lifecycle import Claimer
from db.results import write_rows
from tests.lifecycle_support import guarded
from tests.sandbox_support import new_reader
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
        write_rows(db, discover_sitemaps(site, web_for(local), new_reader(), AUTO).rows)


def import_queued(db, web=WEB):
    """Everything that waits, as the engine would; returns how many files that was."""
    waiting = db.execute(
        "select file.id, domain_id, url, depth, etag, http_last_modified, domain, 1 from sitemap_files as file "
        "join domains on domains.id = domain_id where sitemap_import_status = 'Queued'"
    ).fetchall()
    with LocalWeb(web) as local:
        for columns in waiting:
            write_rows(db, import_sitemap(File(*columns), web_for(local), new_reader(), AUTO, MostSitemaps(1000)).rows)
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


def test_a_hostile_site_does_not_fill_the_table(db, site):
    """Every index names fifty that nobody has seen before."""
    worker = UUID(int=1)
    db.execute("insert into engine.worker (id, host, pid, version) values (%s, 'here', 1, 'test')", [worker])
    db.execute(
        "insert into sitemap_files (domain_id, url, sitemap_import_status) values (%s, %s, 'Queued')",
        [site.id, f"{ROOT}/0.xml"],
    )
    claimer, numbers, said = Claimer(sitemap_import, sitemap_import.columns), count(1), []

    def fifty_more(_):
        return index(*(f"/{next(numbers)}.xml" for _ in range(50)))

    with LocalWeb({f"{ROOT}/{number}.xml": fifty_more for number in range(1000)}) as local:
        while rows := claim(db, claimer, worker):
            for row in rows:
                found = import_sitemap(File(*row.values), web_for(local), new_reader(), AUTO, MostSitemaps(120))
                said.append(found.reason)
                write_rows(db, found.rows)
                db.execute("update sitemap_files set sitemap_import_status = 'Complete' where id = %s", [row.pk])
                db.execute("delete from engine.job where pk = %s", [row.pk])

    assert db.execute("select count(*) from sitemap_files").fetchone() == (120,)
    assert said.count("50 sitemaps") == 2
    assert said[2] == (
        "50 sitemaps, of which the first 19 are followed; besides these the site has 101, and 120 is the limit: partial"
    )


def claim(db, claimer, worker):
    """The next rows, however lately their host was visited."""
    db.execute("delete from engine.pace")
    db.execute("update engine.job set run_at = now() - interval '1 second' where token is null")
    with guarded(db):
        return claimer.claim(db, worker, 10).rows


def index(*locs):
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{loc}</loc></sitemap>' for loc in locs)}</sitemapindex>"


def test_an_index_that_is_read_again_has_room_for_the_children_it_has(db, site):
    db.execute("insert into sitemap_files (domain_id, url) values (%s, %s)", [site.id, f"{ROOT}/0.xml"])
    db.execute(
        "insert into sitemap_files (domain_id, url, parent_id) "
        "select domain_id, url || number, id from sitemap_files, generate_series(1, 3) as number"
    )
    db.execute("insert into sitemap_files (domain_id, url) values (%s, %s)", [site.id, f"{ROOT}/robots.xml"])

    known = dict(
        db.execute(
            sql.SQL("select url, {} from sitemap_files as item").format(sitemap_import.column_of("neighbours", "item"))
        ).fetchall()
    )

    assert (known[f"{ROOT}/0.xml"], known[f"{ROOT}/0.xml1"], known[f"{ROOT}/robots.xml"]) == (2, 5, 5)
