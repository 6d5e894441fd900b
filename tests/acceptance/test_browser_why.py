"""The page of a row in a real Chromium, served by `scrapersky web`: every reason, with its remedy."""

import pytest
from playwright.sync_api import expect

from tests.browser_support import chromium, is_ready
from tests.process_support import free_port, processes_in, wait_until
from tests.why_situations import SITUATIONS, bring_about

pytest_plugins = ["tests.browser_fixtures", "tests.why_support"]


@pytest.fixture(scope="module")
def address(why_url, tmp_path_factory):
    chromium()
    port = free_port()
    with processes_in(tmp_path_factory.mktemp("web")) as processes:
        processes.start("app.cli", "web", DATABASE_URL=why_url, SCRAPERSKY_WEB_PORT=str(port))
        wait_until(lambda: is_ready(port))
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def reader(browser, address, complaints):
    """Somebody who has not signed in: to read needs no token."""
    context = browser.new_context(base_url=address)
    complaints.watch(context)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("code", SITUATIONS)
def test_the_page_of_a_row_tells_its_reason_and_the_remedy(desk, reader, code):
    table, row = bring_about(desk, code)
    (told,) = desk.explain(table, row).values()

    reader.goto(f"/rows/{table}/{row}")
    why = reader.locator("section.why")

    expect(why).to_have_attribute("data-reason", code)
    expect(why).to_contain_text(told.reason.partition(" (")[0][:40])
    expect(why).to_contain_text(told.remedy.partition(": ")[2] or told.remedy)
