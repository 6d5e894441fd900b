"""The page of a row tells every reason why it stands where it stands, and the remedy, as engine.explain words them."""

from uuid import uuid4

import pytest

from db.outcomes import Again, Failed
from tests.dashboard_support import text_of, visitor_of

pytest_plugins = ["tests.why_support"]


def hold(desk, page) -> None:
    """Somebody locks the row, until the desk is closed."""
    other = desk.connect(application_name="a curator")
    other.execute("begin")
    other.execute("select from pages where id = %s for update", [page])


SITUATIONS = {
    "ready": lambda _desk, _page: None,
    "paused": lambda desk, _page: desk.set("page_curation", paused=True, paused_reason="<b>lunch</b>"),
    "blocked": lambda desk, _page: desk.set("page_curation", blocked_reason="the key is wrong"),
    "in_flight_limit": lambda desk, _page: desk.set("page_curation", max_in_flight=0),
    "day_budget": lambda desk, _page: desk.set("page_curation", per_day=0),
    "minute_budget": lambda desk, _page: desk.set("page_curation", per_minute=0),
    "no_worker": lambda desk, _page: desk.db.execute("delete from engine.worker"),
    "no_listener": lambda desk, _page: desk.db.execute("delete from engine.listener"),
    "deaf": lambda desk, _page: desk.db.execute("update engine.listener set hears = false"),
    "not_due": lambda desk, _page: desk.run("page_curation", Again("<i>busy</i>", 600.0)),
    "running": lambda desk, _page: desk.claim("page_curation"),
    "worker_gone": lambda desk, _page: (desk.claim("page_curation"), desk.db.execute("delete from engine.worker")),
    "failed": lambda desk, _page: desk.run("page_curation", Failed("<script>no such page</script>")),
    "done": lambda desk, _page: desk.run("page_curation"),
    "never_queued": lambda desk, page: desk.db.execute(
        "update pages set page_processing_status = null where id = %s", [page]
    ),
    "no_job": lambda desk, _page: desk.db.execute("delete from engine.job"),
    "locked": hold,
}


@pytest.fixture(scope="module")
def visitor(why_url):
    with visitor_of(why_url) as visitor:
        yield visitor


@pytest.mark.parametrize("code", SITUATIONS)
def test_the_page_of_a_row_says_why_it_stands_there_and_what_to_do(desk, visitor, code):
    page = desk.page()
    SITUATIONS[code](desk, page)
    told = desk.of_page(page)
    assert told.code == code

    answer = visitor.get(f"/rows/pages/{page}")
    shown = text_of(answer)

    assert answer.status_code == 200
    assert f'data-reason="{code}"' in answer.text
    assert without_figures(told.reason) in without_figures(shown)
    assert without_figures(told.remedy) in without_figures(shown)
    assert all(mark not in answer.text for mark in ("<b>", "<i>", "<script>no"))


def test_a_row_of_a_table_without_a_workflow_has_no_reason_and_no_history(desk, visitor):
    contact = desk.db.execute(
        "insert into contacts (domain_id, email) values (%s, %s) returning id", [desk.domain(), f"{uuid4()}@smile.com"]
    ).fetchone()[0]

    shown = visitor.text(f"/rows/contacts/{contact}")

    assert "History" not in shown
    assert "Came from domains" in shown


def without_figures(text: str) -> str:
    """Ages go on while one looks."""
    return "".join(sign for sign in text if not sign.isdigit() and sign != ".")
