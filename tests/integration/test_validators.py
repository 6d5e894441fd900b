"""What a page or a sitemap gave and somebody took away comes back when it is read again, unchanged as it may be."""

import psycopg
import pytest

from actors.page_curation import Source, extract_contacts
from actors.selection import AutoSelect, MostSitemaps
from actors.sitemap_import import File, import_sitemap
from db.models import Page, SitemapFile
from db.results import set_values, write_rows
from tests.sandbox_support import new_reader
from tests.web_support import LocalWeb, Reply, web_for

pytest_plugins = ["tests.command_support"]

ROOT = "https://smile.com"
BODIES = {
    f"{ROOT}/contact": "<div><p>ann@smile.com</p><p>Tel. +49 30 987651</p></div>",
    f"{ROOT}/team": "<p>ann@smile.com</p>",
    f"{ROOT}/news": "<p>Nobody is named here.</p>",
    f"{ROOT}/sitemap.xml": "<sitemapindex><sitemap><loc>/all.xml</loc></sitemap></sitemapindex>",
    f"{ROOT}/all.xml": f"{ROOT}/contact\n{ROOT}/news\n{ROOT}/team\n",
}
COLUMNS = {
    "pages": "item.id, domain_id, url, etag, http_last_modified, domain, region",
    "sitemap_files": "item.id, domain_id, url, depth, etag, http_last_modified, domain, 1",
}
ROWS = "from {} as item join domains on domains.id = domain_id where domain = 'smile.com' order by url"
ANN = ("ann@smile.com", "+4930987651")
VALIDATORS = "select count(*) filter (where etag is not null), count(*) from {} where url like 'https://{}/%'"


def unchanging(body):
    return lambda asked: Reply(304) if "if-none-match" in asked.headers else Reply(200, body, {"ETag": '"7"'})


def read(db, table):
    """Every row of smile.com, as its workflow would; returns what was said of each."""
    rows = db.execute(f"select {COLUMNS[table]} {ROWS.format(table)}").fetchall()
    with LocalWeb({url: unchanging(body) for url, body in BODIES.items()}) as local:
        web = web_for(local)
        if table == "pages":
            return [keep(db, Page, row[0], extract_contacts(Source(*row), web, new_reader())) for row in rows]
        tools = (web, new_reader(), AutoSelect(), MostSitemaps(10))
        return [keep(db, SitemapFile, row[0], import_sitemap(File(*row), *tools)) for row in rows]


def keep(db, model, key, found):
    write_rows(db, found.rows)
    set_values(db, model, [(str(key), found.values)] if found.values else [])
    db.execute(f"update {model.__tablename__} set updated_at = clock_timestamp() where id = %s", [key])
    return found.reason


def validators(db, table, host="smile.com"):
    """How many rows of a site have one, and how many rows there are."""
    return db.execute(VALIDATORS.format(table, host)).fetchone()


def contacts(db):
    return db.execute("select email, phone_number from contacts where email <> 'eve@other.com'").fetchall()


@pytest.fixture
def site(db):
    """An index, its sitemap and three pages of one site, two of which name Ann, all read; and a site beside it."""
    (key,) = db.execute("insert into domains (domain) values ('smile.com') returning id").fetchone()
    (other,) = db.execute("insert into domains (domain) values ('other.com') returning id").fetchone()
    for table in ("pages", "sitemap_files"):
        db.execute(f"insert into {table} (domain_id, url, etag) values (%s, 'https://other.com/a', 'x')", [other])
    db.execute("insert into contacts (domain_id, email) values (%s, 'eve@other.com')", [other])
    db.execute("insert into sitemap_files (domain_id, url) values (%s, %s)", [key, f"{ROOT}/sitemap.xml"])
    for table in ("sitemap_files", "sitemap_files", "pages"):
        read(db, table)
    assert (validators(db, "pages"), validators(db, "sitemap_files"), contacts(db)) == ((3, 3), (2, 2), [ANN])
    return key


def test_what_is_still_there_is_not_read_again(db, site):
    assert read(db, "pages") == ["not changed since the last visit"] * 3
    assert read(db, "sitemap_files") == ["not changed since it was last read"] * 2


def test_a_deleted_contact_comes_back_from_each_page_that_names_it(command, db, site):
    command("contacts", "delete", "ann@smile.com", "--yes")

    assert validators(db, "pages") == (0, 3)
    assert "not changed" not in " ".join(read(db, "pages"))
    assert contacts(db) == [ANN]
    assert validators(db, "pages", "other.com") == (1, 1)


@pytest.mark.parametrize("table", ["pages", "sitemap_files"])
def test_deleted_pages_and_sitemaps_come_back_from_what_listed_them(db, site, table):
    db.execute(f"delete from {table} where url in (%s, %s)", [f"{ROOT}/contact", f"{ROOT}/all.xml"])

    assert "not changed" not in " ".join(read(db, "sitemap_files"))
    read(db, "sitemap_files")
    assert validators(db, table)[1] == {"pages": 3, "sitemap_files": 2}[table]
    assert validators(db, "sitemap_files", "other.com") == (1, 1)


def test_a_table_that_is_emptied_takes_all_validators_of_what_filled_it(db, site):
    db.execute("truncate pages cascade")

    assert [validators(db, "sitemap_files", host)[0] for host in ("smile.com", "other.com")] == [0, 0]


def test_a_suppression_that_is_taken_back_lets_its_contact_come_back(command, db, site):
    command("suppress", "add", "ann@smile.com", "--yes")
    read(db, "pages")
    assert (contacts(db), validators(db, "pages")) == ([], (3, 3))

    command("suppress", "remove", "ann@smile.com")

    assert validators(db, "pages") == (1, 3), "the page that names nobody need not be read again"
    read(db, "pages")
    assert contacts(db) == [ANN]
    assert validators(db, "pages", "other.com") == (1, 1)


@pytest.mark.parametrize(
    "taken_back",
    [
        "delete from suppressions",
        "update suppressions set value = '+4930987652'",
        "truncate suppressions",
    ],
)
def test_a_number_that_was_taken_from_an_address_comes_back(db, site, taken_back):
    db.execute("insert into suppressions (kind, value) values ('phone', '+4930987651')")
    assert contacts(db) == [("ann@smile.com", None)]

    db.execute(taken_back)

    read(db, "pages")
    assert contacts(db) == [ANN]


def test_another_reason_or_another_suppression_takes_no_validator(db, site):
    db.execute("insert into suppressions (kind, value) values ('email', 'bob@smile.com')")
    db.execute("update suppressions set reason = 'asked'")
    db.execute("update pages set updated_at = now() - interval '1 day'")
    db.execute("update contacts set updated_at = now() - interval '1 day'")

    db.execute("delete from suppressions")

    assert validators(db, "pages") == (3, 3)


def test_nothing_is_queued_woken_or_touched_by_it(db, site):
    db.execute("update pages set page_processing_status = 'Queued' where url like '%/team'")
    db.execute("update pages set page_processing_status = 'Complete' where url like '%/contact'")
    state = "select url, page_processing_status, page_curation_status, updated_at from pages order by url"
    jobs = "select workflow, pk, generation, run_at, submission_id from engine.job order by pk"
    before = db.execute(state).fetchall(), db.execute(jobs).fetchall()
    asked = db.execute("select count(*) from engine.submission").fetchone()
    db.execute("listen engine")

    db.execute("delete from contacts")

    assert (db.execute(state).fetchall(), db.execute(jobs).fetchall()) == before
    assert db.execute("select count(*) from engine.submission").fetchone() == asked
    assert list(db.notifies(timeout=0)) == []
    assert validators(db, "pages") == (0, 3)


def test_a_domain_is_deleted_with_everything_that_it_has(db, site):
    db.execute("delete from domains where id = %s", [site])

    assert (validators(db, "pages"), validators(db, "sitemap_files"), contacts(db)) == ((0, 0), (0, 0), [])
    assert validators(db, "pages", "other.com") == (1, 1)


def test_who_may_delete_contacts_and_not_write_pages_takes_the_validators_too(database, db, site):
    db.execute("create role test_cleaner login")
    db.execute("grant delete, select on contacts to test_cleaner")
    try:
        with psycopg.connect(database, user="test_cleaner", autocommit=True) as cleaner:
            cleaner.execute("delete from contacts where email = 'ann@smile.com'")
    finally:
        db.execute("drop owned by test_cleaner")
        db.execute("drop role test_cleaner")

    assert validators(db, "pages") == (0, 3)
