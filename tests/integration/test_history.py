"""What happened to a row: who queued it, every attempt that is kept, and where it stands."""

from datetime import timedelta

import pytest

from db.outcomes import Again, Failed

pytest_plugins = ["tests.why_support"]


def told(desk, table, row, columns="what, attempt, error"):
    return desk.db.execute(f"select {columns} from engine.history(%s, %s)", [table, row]).fetchall()


def test_a_row_that_was_just_queued_says_by_whom_and_with_what(desk):
    page, _ = desk.page(page_processing_status=None), desk.page(page_processing_status=None)
    anna = desk.connect(application_name="psql")
    anna.execute("update pages set page_processing_status = 'Queued'")

    assert told(desk, "pages", page) == [
        ("page_curation: queued by scrapersky with psql, one of 2 rows", None, None),
        ("page_curation: 'Queued' now", None, None),
    ]


def test_every_attempt_has_its_worker_its_time_and_its_error(desk):
    place = desk.place()
    for outcome in (Again("no answer", 0.0), Failed("gone")):
        desk.run("deep_scan", outcome)

    events = told(desk, "places_staging", place, "what, attempt, error, worker ~ ' on mill pid 4711$', took")

    assert [event[:4] for event in events[1:3]] == [
        ("deep_scan: retried", 1, "no answer (attempt 1 of 5)", True),
        ("deep_scan: failed", 2, "gone (attempt 2 of 5)", True),
    ]
    assert all(timedelta(0) < event[4] < timedelta(minutes=1) for event in events[1:3])
    assert events[3][:3] == ("deep_scan: 'Error' now", None, "gone (attempt 2 of 5)")


def test_the_submission_of_an_earlier_life_stays_with_its_attempts(desk):
    place = desk.place()
    desk.run("deep_scan", Failed("gone"))
    again = desk.connect(application_name="dashboard")
    again.execute("update places_staging set deep_scan_status = 'Queued'")

    events = told(desk, "places_staging", place, "what")

    assert events == [
        ("deep_scan: queued by scrapersky",),
        ("deep_scan: failed",),
        ("deep_scan: queued by scrapersky with dashboard",),
        ("deep_scan: 'Queued' now",),
    ]


def test_successes_are_told_with_who_queued_them_where_they_are_kept(desk):
    kept, forgotten = desk.page(), None
    desk.run("page_curation", keep_successes=True)
    forgotten = desk.page()
    desk.run("page_curation")

    assert [what for (what,) in told(desk, "pages", kept, "what")] == [
        "page_curation: queued by scrapersky",
        "page_curation: completed",
        "page_curation: 'Complete' now",
    ]
    assert told(desk, "pages", forgotten, "what") == [("page_curation: 'Complete' now",)]


def test_what_runs_now_is_told_with_its_worker(desk):
    page = desk.page()
    desk.claim("page_curation")
    desk.db.execute("update engine.job set started_at = now() - interval '1 minute'")

    events = told(desk, "pages", page, "what, attempt, worker ~ 'mill', took > '59 s' and took < '2 min'")

    assert ("page_curation: claimed", 1, True, True) in events


def test_a_worker_that_is_gone_is_known_by_its_number_alone(desk):
    page = desk.page()
    desk.run("page_curation", Again("no answer", 60.0))
    desk.db.execute("truncate engine.worker")

    assert [worker for (worker,) in told(desk, "pages", page, "worker")] == [
        None,
        f"worker {str(desk.worker)[:8]}",
        None,
    ]


def test_a_row_that_the_sweep_submitted_has_nobody_who_queued_it(desk):
    place = desk.place()
    desk.db.execute("update engine.job set submission_id = null")

    assert told(desk, "places_staging", place) == [("deep_scan: 'Queued' now", None, None)]


def test_both_workflows_of_a_table_are_told(desk):
    domain = desk.domain(status="pending")

    assert [what for (what,) in told(desk, "domains", domain, "what")] == [
        "domain_metadata: queued by scrapersky",
        "domain_metadata: 'pending' now",
        "sitemap_discovery: not queued now",
    ]


@pytest.mark.parametrize("row", ["4000", "x", "9" * 99])
def test_nothing_is_told_of_a_row_that_is_not_there(desk, row):
    assert told(desk, "places_staging", row) == []


def test_the_history_of_a_deleted_row_is_kept(desk):
    place = desk.place()
    desk.run("deep_scan", Failed("gone"))
    desk.db.execute("delete from places_staging")

    assert [what for (what,) in told(desk, "places_staging", place, "what")] == [
        "deep_scan: queued by scrapersky",
        "deep_scan: failed",
    ]
