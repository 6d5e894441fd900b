"""The dashboard in a real Chromium, on a live `scrapersky up` in the demo world."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser_support import chromium, running_dashboard
from tests.process_support import wait_until

pytest_plugins = ["tests.browser_fixtures"]
pytestmark = pytest.mark.timeout(240)

GOOD_DOMAINS = """
select domain from domains where status = 'completed' and alias_of is null and not coalesce(is_parked, false)
order by domain limit 2
"""
NO_HOST = "there is no such host"
WORLD_IS_DONE = "select not exists (select from engine.job where not dead) and exists (select from contacts)"


@pytest.fixture(scope="module")
def dashboard():
    chromium()  # before a whole system is started for nobody
    with running_dashboard() as dashboard:
        yield dashboard


@pytest.fixture(scope="module")
def filled(dashboard):
    """The world with everything found; the first test watches how that comes about."""
    dashboard.fill()
    wait_until(lambda: dashboard.db.execute(WORLD_IS_DONE).fetchone()[0], timeout=120)
    return dashboard


def figure(page: Page, stage: str, name: str):
    return page.locator(f"#stage-{stage} .figures div", has_text=name).locator("dd")


def test_a_search_travels_to_contacts_before_ones_eyes(page, dashboard):
    page.goto("/")
    page.evaluate("window.opened = true")
    expect(page.locator("#stage-contacts .total")).to_have_text("0")

    dashboard.fill()

    expect(figure(page, "place_search", "done")).to_have_text("5")
    expect(figure(page, "deep_scan", "done")).to_have_text("68")
    expect(page.locator("#stage-contacts .total")).not_to_have_text("0")
    expect(figure(page, "page_curation", "done")).to_have_text(re.compile(r"^1\d\d$"), timeout=120_000)
    expect(page.locator("#stage-page_curation .spark rect").first).to_be_attached()
    assert page.evaluate("window.opened")  # all that without loading the page again


def test_failures_are_grouped_requeued_and_done(page, filled):
    db = filled.db
    good = [name for (name,) in db.execute(GOOD_DOMAINS).fetchall()]
    db.execute("insert into domains (domain, status) values ('no-such-1.com', 'pending'), ('no-such-2.com', 'pending')")
    page.goto("/workflows/domain_metadata")
    group = page.get_by_role("row").filter(has_text=NO_HOST)
    expect(group.locator("td").nth(1)).to_have_text("3")  # one was there already

    db.execute("delete from domains where domain = any(%s)", [good])
    for number, name in enumerate(good, start=1):
        db.execute("update domains set domain = %s where domain = %s", [name, f"no-such-{number}.com"])
    group.get_by_role("button", name="Requeue").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Queue again 3 rows of domain_metadata?")
    page.get_by_role("button", name="Queue again").click()

    expect(page.locator(".told").first).to_have_text("3 rows queued again.")
    expect(group.locator("td").nth(1)).to_have_text("1")
    assert db.execute("select status from domains where domain = any(%s)", [good]).fetchall() == [("completed",)] * 2
    page.goto("/actions")
    expect(page.get_by_role("row").filter(has_text="requeue").first).to_contain_text("ada")


def test_a_workflow_is_paused_and_resumed(page, filled):
    page.goto("/workflows/domain_extraction")
    page.get_by_label("Why pause it?").fill("<b>the invoice</b>")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".title .state")).to_have_text("paused")
    expect(page.locator("p.reason")).to_have_text("<b>the invoice</b>")

    filled.db.execute("update local_businesses set domain_extraction_status = 'Queued'")
    ready = page.locator(".strip div", has_text="ready").first.locator("dd")
    expect(ready).to_have_text("68")
    page.get_by_role("button", name="Resume").click()

    expect(ready).to_have_text("0")
    expect(page.locator(".title .state")).not_to_have_text("paused")


def test_a_row_is_found_and_followed_by_keyboard_alone(page, filled):
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()

    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("hightower-pipes.com")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("hightower-pipes.com")
    expect(page.locator("section.why").first).to_contain_text("169.254.169.254")
    tab_to(page, page.get_by_role("link", name="Hightower Pipes"))
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("/rows/local_businesses/"))


def test_a_workflow_is_paused_by_keyboard_alone(page, filled):
    page.goto("/workflows/deep_scan")
    tab_to(page, page.get_by_label("Why pause it?"))
    page.keyboard.type("by keyboard")
    page.keyboard.press("Enter")
    expect(page.locator("p.reason")).to_have_text("by keyboard")

    tab_to(page, page.get_by_role("button", name="Resume"))
    page.keyboard.press("Enter")
    expect(page.locator(".title .state")).not_to_have_text("paused")


def test_the_focus_stays_where_it_is_while_the_page_keeps_itself_up_to_date(page, filled):
    page.goto("/workflows/domain_metadata")
    link = page.get_by_role("link", name="all failed rows")
    link.focus()

    with page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true"):
        pass
    with page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true"):
        pass

    expect(link).to_be_focused()


SET = "update engine.workflow set {} where name = 'domain_metadata'"
HELD = {
    "paused = true, paused_reason = 'lunch'": ("paused", "lunch"),
    "max_in_flight = 0": ("in_flight_limit", "the limit in flight is reached"),
    "blocked_reason = 'the key is wrong'": ("blocked", "the key is wrong"),
    "per_day = 0": ("day_budget", "the day's budget is used up"),
}
FREE = SET.format("paused = false, max_in_flight = null, per_day = null")


@pytest.mark.parametrize("held", HELD)
def test_the_page_of_a_row_says_why_it_does_not_move(page, filled, held):
    filled.db.execute(SET.format(held))
    try:
        filled.db.execute("update domains set status = 'pending' where domain = 'hightower-pipes.com'")
        visit(page, filled, "ROW")
        why = page.locator("section.why").first

        expect(why).to_have_attribute("data-reason", HELD[held][0])
        expect(why).to_contain_text(HELD[held][1])
    finally:
        filled.db.execute(FREE)
    expect(why).to_have_attribute("data-reason", "failed")


PATHS = (
    *("/", "/workflows/domain_metadata", "/workflows/domain_metadata/failed", "/workflows/page_curation/waiting"),
    *("/workers", "/submissions", "/actions", "/search?q=hightower", "/search?q=nothing", "ROW"),
)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_nobody_is_shut_out(page, filled, scheme, width):
    """Axe finds no serious violation on any page, and no page is wider than the window."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    found = []
    for path in PATHS:
        visit(page, filled, path)
        violations = Axe().run(page).response["violations"]
        serious = [one for one in violations if one["impact"] in {"serious", "critical"}]
        found += [(path, one["id"], [node["html"][:120] for node in one["nodes"][:2]]) for one in serious]
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path

    assert found == []


def test_everything_can_be_read_without_javascript(browser, session, filled, complaints):
    context = browser.new_context(storage_state=session, base_url=filled.url, java_script_enabled=False)
    complaints.watch(context)
    page = context.new_page()
    for path in PATHS:
        visit(page, filled, path)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
    context.close()


def visit(page: Page, dashboard, path: str) -> None:
    if path == "ROW":
        pk = dashboard.db.execute("select id from domains where domain = 'hightower-pipes.com'").fetchone()[0]
        path = f"/rows/domains/{pk}"
    page.goto(path)


def tab_to(page: Page, target) -> None:
    """Press the tabulator until it is there."""
    expect(target).to_be_visible()
    for _ in range(80):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the tabulator does not lead to {target}")
