"""The page of a row tells every reason why it stands where it stands, and the remedy, as engine.explain words them."""

from uuid import uuid4

import pytest

from tests.dashboard_support import text_of, visitor_of
from tests.why_situations import SITUATIONS, bring_about

pytest_plugins = ["tests.why_support"]


@pytest.fixture(scope="module")
def visitor(why_url):
    with visitor_of(why_url) as visitor:
        yield visitor


@pytest.mark.parametrize("code", SITUATIONS)
def test_the_page_of_a_row_says_why_it_stands_there_and_what_to_do(desk, visitor, code):
    table, row = bring_about(desk, code)
    (told,) = desk.explain(table, row).values()
    assert told.code == code

    answer = visitor.get(f"/rows/{table}/{row}")
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
