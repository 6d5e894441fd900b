"""`scrapersky import sitemaps|pages`: rows of a domain, which is made where it is missing."""

import json

from actors.parse.pages import categorise

pytest_plugins = ["tests.command_support"]

PAGES = "https://smile.com/contact\nhttps://www.smile.com/blog/teeth#top\nbite.com/\n"


def test_pages_are_stored_with_their_domain_and_their_category(command, db):
    done = command("import", "pages", "-", given=PAGES)

    rows = db.execute(
        "select domain, url, page_type, path_depth, lead_source, page_curation_status, page_processing_status "
        "from pages join domains on domains.id = domain_id order by url"
    ).fetchall()
    assert done.exit_code == 0
    assert [row[:2] for row in rows] == [
        ("bite.com", "https://bite.com/"),
        ("smile.com", "https://smile.com/contact"),
        ("smile.com", "https://www.smile.com/blog/teeth"),
    ]
    assert [row[2] for row in rows] == [categorise(url).page_type for _, url, *_ in rows]
    assert {row[4:] for row in rows} == {("import", "New", None)}
    assert db.execute("select domain, status from domains order by 1").fetchall() == [
        ("bite.com", None),
        ("smile.com", None),
    ]


def test_pages_and_sitemaps_that_are_queued_are_selected(command, db):
    command("import", "pages", "-", "--queue", given=PAGES)
    command("import", "sitemaps", "-", "--queue", given="https://smile.com/sitemap.xml")

    assert db.execute("select distinct page_curation_status from pages").fetchall() == [("Selected",)]
    assert db.execute("select url, deep_scrape_curation_status, discovery_method from sitemap_files").fetchall() == [
        ("https://smile.com/sitemap.xml", "Selected", "import")
    ]


def test_what_somebody_has_decided_about_is_not_queued_again(command, db):
    command("import", "pages", "-", given=PAGES)
    db.execute("update pages set page_curation_status = 'Not a Fit' where url like '%blog%'")
    db.execute("update pages set page_processing_status = 'Complete' where url like '%contact'")

    done = command("import", "pages", "-", "--queue", given=PAGES)

    assert "3 already there, 1 queued" in done.stdout
    assert db.execute("select url, page_curation_status from pages order by url").fetchall() == [
        ("https://bite.com/", "Selected"),
        ("https://smile.com/contact", "New"),
        ("https://www.smile.com/blog/teeth", "Not a Fit"),
    ]


def test_urls_that_are_of_no_use_are_told(command, db):
    bad = ["https://user:secret@smile.com/", "ftp://smile.com/", "https://smile.com/" + "a" * 2_040, "contact us"]

    done = command("import", "pages", "-", "--json", given="\n".join([*bad, "https://smile.com/"]))

    outcome = json.loads(done.stdout)
    assert (done.exit_code, outcome["bad"], outcome["new"]) == (1, 4, 1)
    assert [refused["line"] for refused in outcome["refused"]] == [1, 2, 3, 4]
    assert "without" in outcome["refused"][0]["reason"]
    assert "longer than 2048 bytes" in outcome["refused"][2]["reason"]


def test_pages_of_a_suppressed_domain_are_refused_and_leave_no_domain_behind(command, db):
    db.execute("insert into suppressions (kind, value) values ('domain', 'smile.com')")

    done = command("import", "pages", "-", given=PAGES)

    assert done.exit_code == 1
    assert db.execute("select domain from domains").fetchall() == [("bite.com",)]
    assert "1 new, 2 on the suppression list" in done.stdout
