"""Curating in a real Chromium, on a live `scrapersky up`: by keyboard, by mouse, and without JavaScript."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser_support import chromium, running_dashboard

pytest_plugins = ["tests.browser_fixtures"]
pytestmark = pytest.mark.timeout(240)

HOSTILE = "<img src=x onerror=alert(1)>"
BUSINESSES = """
insert into local_businesses (business_name, website_url, full_address, rating, created_at)
select name, website, '12 Alder Walk, Skyport', 4.5, now() - place * interval '1 minute'
from (values (1, 'First Bakery', 'https://first-bakery.com/'), (2, 'Second Bakery', 'https://second-bakery.com/'),
             (3, 'Third Bakery', 'https://third-bakery.com/'), (4, %(hostile)s, 'javascript:alert(2)'))
     as given (place, name, website)
"""
CONTACTS = """
with home as (insert into domains (domain, title, sitemap_analysis_status, sitemap_analysis_error)
              values ('grid.example', %(hostile)s, 'failed', 'no answer') returning id),
     page as (insert into pages (domain_id, url, page_type)
              select id, 'https://grid.example/contact', 'contact_root' from home),
     map as (insert into sitemap_files (domain_id, url) select id, 'https://grid.example/sitemap.xml' from home)
insert into contacts (domain_id, email, email_type, name, source_url)
select id, 'person' || n || '@grid.example', 'CORPORATE', %(hostile)s, 'https://grid.example/contact'
from home, generate_series(1, 60) n
"""
PAUSE = "update engine.workflow set paused = %s where name = 'domain_extraction'"


@pytest.fixture(scope="module")
def dashboard():
    chromium()
    with running_dashboard() as dashboard:
        dashboard.db.execute(CONTACTS, {"hostile": HOSTILE})
        dashboard.db.execute("insert into places_staging (place_id, name) values ('p', 'A place')")
        yield dashboard


@pytest.fixture
def businesses(dashboard):
    """Four businesses that nobody has decided about, and a workflow that waits until it is let go."""
    dashboard.db.execute("delete from local_businesses")
    dashboard.db.execute("delete from engine.curation")
    dashboard.db.execute(PAUSE, [True])
    dashboard.db.execute(BUSINESSES, {"hostile": HOSTILE})
    yield dashboard.db
    dashboard.db.execute(PAUSE, [False])


def row(page: Page, name: str):
    return page.locator("tr[data-row]").filter(has_text=name)


def press(page: Page, keys: str) -> None:
    """As soon as somebody listens: the script enables this box when it has begun."""
    expect(page.get_by_label("Tick all rows of this page")).to_be_enabled()
    for key in keys:
        page.keyboard.press(key)


def test_rows_are_curated_by_keyboard_alone_and_show_what_becomes_of_them(page, businesses):
    page.goto("/curate/businesses")
    press(page, "jxjx")
    expect(row(page, "Second Bakery").get_by_role("checkbox")).to_be_focused()
    expect(page.locator("#ticked")).to_have_text("Set 2 ticked rows to")
    press(page, "s")

    expect(page.locator(".told")).to_have_text("2 businesses set to Selected, 2 queued.")
    for name in ("First Bakery", "Second Bakery"):
        expect(row(page, name)).to_contain_text("Selected")
        expect(row(page, name)).to_contain_text("Queued")
    expect(row(page, "Second Bakery").get_by_role("checkbox")).to_be_focused()
    page.evaluate("window.opened = true")
    press(page, "jx")
    businesses.execute(PAUSE, [False])

    expect(row(page, "First Bakery")).to_contain_text("Completed")
    expect(row(page, "Second Bakery")).to_contain_text("Completed")
    expect(page.locator(".last .tally")).to_have_text("2 Completed")
    expect(row(page, "Third Bakery").get_by_role("checkbox")).to_be_focused()
    expect(row(page, "Third Bakery").get_by_role("checkbox")).to_be_checked()
    assert page.evaluate("window.opened")  # all that without loading the page again


def test_one_key_decides_about_the_row_one_is_on_and_another_takes_it_back(page, businesses):
    page.goto("/curate/businesses")
    press(page, "js")
    expect(row(page, "First Bakery")).to_contain_text("Queued")
    press(page, "jn")
    expect(row(page, "Second Bakery")).to_contain_text("Not a Fit")

    press(page, "u")
    expect(page.locator(".told")).to_contain_text("Undone for 1 business")
    expect(row(page, "Second Bakery").locator(".word")).to_have_text("New")
    press(page, "u")

    expect(page.locator(".told")).to_contain_text("Still waiting, and withdrawn from the queue: 1.")
    expect(row(page, "First Bakery").locator(".word")).to_have_text("New")
    expect(page.locator(".last")).to_have_count(0)
    assert businesses.execute("select distinct status, domain_extraction_status from local_businesses").fetchall() == [
        ("New", None)
    ]


def test_undo_says_what_was_changed_since_and_what_ran(page, businesses):
    page.goto("/curate/businesses?name=Bakery")
    press(page, "*s")
    expect(page.locator(".told")).to_have_text("3 businesses set to Selected, 3 queued.")
    businesses.execute("update local_businesses set status = 'Archived' where business_name = 'Third Bakery'")
    businesses.execute(PAUSE, [False])
    expect(row(page, "First Bakery")).to_contain_text("Completed")
    expect(row(page, "Second Bakery")).to_contain_text("Completed")
    expect(row(page, "Third Bakery")).to_contain_text("Archived")

    press(page, "u")

    told = page.locator(".told")
    expect(told).to_contain_text("Undone for 2 businesses: the word from before Selected is back.")
    expect(told).to_contain_text("Changed since, and left alone: 1.")
    expect(told).to_contain_text("Started already: 2. What ran has run, and what it found stays.")


def test_the_keys_are_shown_and_do_nothing_while_one_types(page, businesses):
    page.goto("/curate/businesses")
    press(page, "?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keys")).to_be_hidden()

    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type("jxs?u")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(re.escape("name=jxs%3Fu")))
    expect(page.get_by_text("There are none.")).to_be_visible()


def test_everything_works_without_javascript(browser, session, dashboard, businesses, complaints):
    context = browser.new_context(storage_state=session, base_url=dashboard.url, java_script_enabled=False)
    complaints.watch(context)
    page = context.new_page()
    page.goto("/curate/businesses")
    page.get_by_label("Tick First Bakery").check()
    page.get_by_role("button", name="Maybe").click()
    expect(page.locator(".told")).to_have_text("1 business set to Maybe.")

    page.get_by_label("Name", exact=True).fill("Bakery")
    page.get_by_role("button", name="Filter").click()
    page.get_by_label("All that match this filter, on every page: set to").select_option("Archived")
    page.get_by_role("button", name="Count them first…").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Set 3 businesses to Archived?")
    page.get_by_role("button", name="Set to Archived").click()
    expect(page.locator(".told")).to_have_text("3 businesses set to Archived.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".told")).to_contain_text("Undone for 3 businesses")

    expect(row(page, "First Bakery").locator(".word")).to_have_text("Maybe")
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    context.close()


def test_contacts_are_paged_taken_out_corrected_and_suppressed(page, dashboard):
    page.goto("/contacts?domain=grid.example")
    expect(page.locator("tr[data-row]")).to_have_count(50)
    page.get_by_role("link", name="Older").click()
    expect(page.locator("tr[data-row]")).to_have_count(10)
    page.get_by_role("link", name="Newer").click()
    expect(page.locator("tr[data-row]")).to_have_count(50)

    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("email,email_type,name")
    assert len(lines) == 61

    page.goto("/contacts?email=person7@")
    page.get_by_role("link", name="correct").click()
    page.get_by_label("Name").fill("Ann Lee")
    page.get_by_role("button", name="Correct").click()
    expect(page.locator(".told")).to_have_text("Corrected: name.")
    page.goto("/contacts?email=person7@")
    expect(row(page, "person7@grid.example")).to_contain_text("Ann Lee")

    press(page, "jx")
    page.get_by_role("button", name="Delete and suppress…").click()
    page.get_by_role("button", name="Delete and suppress").click()
    expect(page.locator(".told")).to_contain_text("1 deleted; suppressed from now on.")
    page.goto("/suppressions")
    expect(page.get_by_role("row").filter(has_text="person7@grid.example")).to_be_visible()


PATHS = (
    *("/curate", "/curate/businesses", "/curate/domains", "/curate/sitemaps", "/curate/pages?type=contact_root"),
    *("/curate/pages?change=x", "/contacts", "/suppressions", "CONTACT", "CONFIRM"),
)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_nobody_is_shut_out_of_the_grids(page, dashboard, businesses, scheme, width):
    """Axe finds no serious violation on any page, and no page is wider than the window."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/curate/businesses")
    press(page, "jxm")
    expect(page.locator(".told")).to_be_visible()
    found = []
    for path in PATHS:
        visit(page, dashboard, path)
        violations = Axe().run(page).response["violations"]
        serious = [one for one in violations if one["impact"] in {"serious", "critical"}]
        found += [(path, one["id"], [node["html"][:120] for node in one["nodes"][:2]]) for one in serious]
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path

    assert found == []


def visit(page: Page, dashboard, path: str) -> None:
    if path == "CONTACT":
        path = f"/contacts/{dashboard.db.execute('select id from contacts limit 1').fetchone()[0]}"
    if path != "CONFIRM":
        page.goto(path)
        return
    page.goto("/curate/businesses")
    page.get_by_role("button", name="Count them first…").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("to Selected?")
