"""What operators do in the dashboard: it happens, it is counted first, and it is written down with their name."""

import pytest

from tests.dashboard_support import TOKEN, text_of, visitor_of

STATUSES = "select status, count(*) from domains group by 1 order by 1"
ACTIONS = "select operator, action, workflow, rows from engine.action order by id"


@pytest.fixture
def operator(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("ada")
        yield visitor


@pytest.fixture
def failed(db):
    """Three domains that failed with one error and one that failed with another."""
    db.execute(
        "insert into domains (domain, status, status_error) "
        "select 'd' || n || '.example', 'error', case n when 4 then 'parked' else 'no answer within ' || n || ' s' end "
        "from generate_series(1, 4) n"
    )
    db.execute(
        "insert into engine.job (workflow, pk, dead, last_error) "
        "select 'domain_metadata', id::text, true, status_error from domains"
    )


def test_pause_and_resume_take_effect_and_are_written_down(operator, db):
    paused = text_of(operator.post("/workflows/deep_scan/pause", reason="the invoice"))
    assert db.execute("select paused, paused_reason from engine.workflow where name = 'deep_scan'").fetchone() == (
        True,
        "the invoice",
    )
    resumed = text_of(operator.post("/workflows/deep_scan/resume"))

    assert "deep_scan paused." in paused
    assert "the invoice" in paused
    assert "deep_scan resumed." in resumed
    assert db.execute(ACTIONS).fetchall() == [("ada", "pause", "deep_scan", None), ("ada", "resume", "deep_scan", None)]


def test_limits_are_set_and_an_empty_field_goes_back_to_the_declared_value(operator, db):
    limits = "select max_in_flight, batch, per_day from engine.workflow where name = 'deep_scan'"
    operator.post(
        "/workflows/deep_scan/limits", max_in_flight="3", batch="", max_attempts="", per_minute="", per_day="77"
    )
    assert db.execute(limits).fetchone() == (3, None, 77)

    operator.post("/workflows/deep_scan/limits", max_in_flight="", batch="", max_attempts="", per_minute="", per_day="")

    assert db.execute(limits).fetchone() == (None, None, None)


@pytest.mark.parametrize("value", ["many", "-1", "1e3", "99999999999", "٣", "0"])
def test_a_limit_that_is_none_is_refused_and_changes_nothing(operator, db, value):
    answer = operator.post("/workflows/deep_scan/limits", batch=value, per_day="5")

    assert "batch" in text_of(answer)
    assert db.execute("select batch, per_day from engine.workflow where name = 'deep_scan'").fetchone() == (None, None)


def test_to_requeue_is_first_counted_and_changes_nothing(operator, db, failed):
    answer = text_of(operator.post("/workflows/domain_metadata/requeue", error="no answer within # s"))

    assert "Queue again 3 rows of domain_metadata?" in answer
    assert db.execute(STATUSES).fetchall() == [("error", 4)]
    assert db.execute(ACTIONS).fetchall() == []


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        ({}, 4),
        ({"error": "no answer within # s"}, 3),
        ({"part": "PARK"}, 1),
        ({"part": "nothing like it"}, 0),
        ({"limit": "2"}, 2),
    ],
)
def test_failed_rows_are_queued_again_all_by_error_or_by_filter(operator, db, failed, fields, rows):
    answer = text_of(operator.post("/workflows/domain_metadata/requeue", confirmed="yes", **fields))

    assert f"{rows} {'row' if rows == 1 else 'rows'} queued again." in answer
    assert dict(db.execute(STATUSES).fetchall()).get("pending", 0) == rows
    written = [("ada", "requeue", "domain_metadata", rows)] if rows else []
    assert db.execute(ACTIONS).fetchall() == written


def test_requeuing_many_goes_on_behind_the_page_at_the_rate_that_was_asked_for(operator, db, failed):
    answer = text_of(operator.post("/workflows/domain_metadata/requeue", confirmed="yes", rate="1"))
    second = text_of(operator.post("/workflows/domain_metadata/requeue", confirmed="yes"))

    errand = operator.client.application.extensions["errands"].of("domain_metadata")
    assert "This takes a while" in answer
    assert "Something else is still going on" in second
    assert errand.ended.wait(20)
    assert dict(db.execute(STATUSES).fetchall()) == {"pending": 4}
    assert db.execute(ACTIONS).fetchall() == [("ada", "requeue", "domain_metadata", 4)]


def test_waiting_rows_are_cancelled_after_a_count(operator, db):
    db.execute(
        "insert into domains (domain, status) select 'd' || n || '.example', 'pending' from generate_series(1, 5) n"
    )

    counted = text_of(operator.post("/workflows/domain_metadata/cancel", limit="3"))
    done = text_of(operator.post("/workflows/domain_metadata/cancel", limit="3", confirmed="yes"))

    assert "Cancel 3 rows of domain_metadata?" in counted
    assert "3 rows cancelled." in done
    assert db.execute("select count(*) from domains where status = 'pending'").fetchone() == (2,)


def test_one_row_is_made_due_now(operator, db):
    pk = db.execute("insert into domains (domain, status) values ('d.example', 'pending') returning id").fetchone()[0]
    db.execute("update engine.job set run_at = now() + interval '1 hour'")

    answer = operator.post("/workflows/domain_metadata/run-now", pk=str(pk))

    assert "The row is due now." in text_of(answer)
    assert answer.request.path == f"/rows/domains/{pk}"
    assert db.execute("select run_at <= now() from engine.job").fetchone() == (True,)


def test_one_failed_row_is_queued_again_from_its_page(operator, db, failed):
    pk = db.execute("select id from domains where domain = 'd2.example'").fetchone()[0]
    assert "Requeue" in operator.text(f"/rows/domains/{pk}")

    answer = operator.post("/workflows/domain_metadata/requeue", pk=str(pk), confirmed="yes")

    assert "1 row queued again." in text_of(answer)
    assert db.execute("select domain from domains where status = 'pending'").fetchall() == [("d2.example",)]


@pytest.mark.parametrize("action", ["requeue", "cancel", "run-now"])
def test_what_is_no_id_is_refused_in_one_sentence(operator, action):
    answer = operator.post(f"/workflows/domain_metadata/{action}", pk="'; drop table domains", confirmed="yes")

    assert "invalid input syntax" in text_of(answer)
    assert answer.status_code in {200, 400, 404}


def test_the_operators_name_can_not_carry_markup(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        visitor.sign_in("<b>ada</b>\u0007" + "x" * 200)

        page = visitor.get("/").text

    assert "<b>ada" not in page
    assert "&lt;b&gt;ada&lt;/b&gt;" in page
    assert "x" * 61 not in page
