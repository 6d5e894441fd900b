"""Fixtures of the browser tests, a plugin of those files that name it; each brings a `dashboard` of its own."""

import pytest
from playwright.sync_api import expect

from tests.browser_support import PATIENCE_MILLISECONDS, Complaints, running_browser, sign_in


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def session(browser, dashboard):
    """The cookies of somebody who has signed in."""
    context = browser.new_context()
    sign_in(context.new_page(), dashboard)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def complaints():
    complaints = Complaints()
    yield complaints
    assert complaints.console == []
    assert complaints.foreign == []


@pytest.fixture
def page(browser, session, dashboard, complaints):
    context = browser.new_context(storage_state=session, base_url=dashboard.url)
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    complaints.watch(context)
    page = context.new_page()
    page.on("dialog", lambda dialog: complaints.console.append(dialog.message))
    yield page
    context.close()
