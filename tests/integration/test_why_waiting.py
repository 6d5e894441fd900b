"""Why a queued row is not claimed: the right reason, with its figures and a remedy, in each situation."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from db.outcomes import Again, Blocked, Lost
from db.people.steering import pause

pytest_plugins = ["tests.why_support"]


def test_a_paused_workflow_says_by_whom_since_when_and_why(desk):
    page, place = desk.page(), desk.place()
    pause(desk.db, "page_curation", "the site complained", operator="anna")
    desk.set("deep_scan", paused=True)

    told = desk.of_page(page)

    assert told.code == "paused"
    assert re.fullmatch(r"paused by anna since .* UTC \([\d.]+ s ago\): the site complained", told.reason)
    assert told.remedy == "To go on: scrapersky resume page_curation"
    assert re.fullmatch(r"paused by scrapersky since .* ago\): no reason given", desk.of_place(place).reason)


def test_a_pause_whose_author_is_no_longer_kept_is_a_pause_all_the_same(desk):
    page = desk.page()
    desk.set("page_curation", paused=True, paused_reason="the site complained")
    desk.db.execute("truncate engine.action")

    assert desk.of_page(page).reason == "paused: the site complained"


def test_each_workflow_of_a_table_has_its_own_answer(desk):
    domain = desk.domain(status="pending", sitemap_analysis_status="queued")
    desk.set("domain_metadata", paused=True)

    told = desk.explain("domains", domain)

    assert {workflow: one.code for workflow, one in told.items()} == {
        "domain_metadata": "paused",
        "sitemap_discovery": "ready",
    }


def test_a_workflow_that_stopped_itself_says_why_and_until_when(desk):
    page, place = desk.page(), desk.place()
    desk.run("deep_scan", Blocked("Places: the quota is used up", datetime.now(UTC) + timedelta(minutes=90)))
    desk.set("page_curation", blocked_reason="no key")

    until, for_good = desk.of_place(place), desk.of_page(page)

    assert (until.code, for_good.code) == ("blocked", "blocked")
    assert re.fullmatch(
        r"the workflow stopped itself until \d.* UTC \(in 90 min\): Places: the quota is used up", until.reason
    )
    assert until.remedy == "It goes on by itself; to try at once: scrapersky resume deep_scan"
    assert for_good.reason == "the workflow stopped itself: no key"
    assert for_good.remedy.startswith("Remove the cause")


def test_a_block_whose_time_is_over_holds_nothing(desk):
    page = desk.page()
    desk.set("page_curation", blocked_reason="quota", blocked_until=datetime.now(UTC) - timedelta(seconds=1))

    assert desk.of_page(page).code == "ready"


def test_a_retry_is_not_due_and_says_which_attempt_comes_after_which_error(desk):
    page = desk.page()
    desk.run("page_curation", Again("no answer within 10 s", 600.0))

    told = desk.of_page(page)

    assert told.code == "not_due"
    assert re.fullmatch(
        r"not due until .* UTC \(in 10 min\), attempt 2 of 5 comes then; "
        r"the last one ended with: no answer within 10 s \(attempt 1 of 5\)",
        told.reason,
    )
    assert told.remedy.endswith(
        f"update engine.job set run_at = now() where workflow = 'page_curation' and pk = '{page}'"
    )


def test_the_remedy_of_a_retry_makes_it_due(desk):
    page = desk.page()
    desk.run("page_curation", Again("no answer", 600.0))
    desk.db.execute("truncate engine.pace")

    desk.db.execute(desk.of_page(page).remedy.partition("to try now: ")[2])

    assert desk.of_page(page).code == "ready"


def test_a_row_that_stepped_aside_without_an_error_says_until_when(desk):
    place = desk.place()
    desk.db.execute("update engine.job set run_at = now() + interval '1 hour'")

    assert re.fullmatch(r"not due until .* UTC \(in 60 min\)", desk.of_place(place).reason)


def test_a_host_is_spared_until_its_pause_is_over(desk):
    domain = desk.domain()
    desk.page(domain_id=domain)
    desk.run("page_curation")
    desk.db.execute("update engine.pace set next_start = clock_timestamp() + interval '30 seconds'")
    waiting = desk.page(domain_id=domain)

    told = desk.of_page(waiting)

    assert told.code == "spared"
    assert re.fullmatch(rf"its host \(host:{domain}\) is being spared until .* UTC \(in (30|29) s\)", told.reason)


def test_a_host_is_spared_while_another_workflow_visits_it(desk):
    domain = desk.domain(status="pending")
    desk.claim("domain_metadata")
    desk.db.execute("truncate engine.pace")
    page = desk.page(domain_id=domain)

    told = desk.of_page(page)

    assert told.code == "spared"
    assert told.reason.endswith(f"is being spared: 1 of at most 1 running, domain_metadata of row {domain}")


def test_a_row_that_was_given_a_later_turn_at_its_host_says_when(desk):
    domain = desk.domain()
    pages = [desk.page(domain_id=domain) for _ in range(3)]
    desk.run("page_curation")

    told = [desk.of_page(page) for page in pages]

    assert [one.code for one in told] == ["done", "spared", "spared"]
    assert all(" UTC (in " in one.reason for one in told[1:])


@pytest.mark.parametrize(("column", "code"), [("per_minute", "minute_budget"), ("per_day", "day_budget")])
def test_a_budget_that_is_used_up_says_how_much_and_until_when(desk, column, code):
    desk.place()
    desk.run("deep_scan")
    place = desk.place()
    desk.set("deep_scan", **{column: 1})
    period = column.removeprefix("per_")
    desk.db.execute("update engine.usage set starts_at = date_trunc('minute', now()) where period = 'minute'")

    told = desk.of_place(place)

    assert told.code == code
    assert re.fullmatch(rf"the {period}'s budget is used up \(1 of 1\) until .* UTC \(in .*\)", told.reason)
    assert told.remedy.endswith(f"scrapersky limit deep_scan --per-{period} 2")


def test_a_day_ends_at_midnight_of_the_budgets_own_zone(desk):
    desk.place()
    desk.run("deep_scan")
    place = desk.place()
    desk.set("deep_scan", per_day=1)
    midnight = (
        "select (date_trunc('day', now() at time zone z) + interval '1 day') at time zone z from engine.workflow, "
    )
    (ends,) = desk.db.execute(
        midnight + "lateral (select day_zone) as zone (z) where name = 'deep_scan' and z = 'America/Los_Angeles'"
    ).fetchone()

    assert f"until {ends.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" in desk.of_place(place).reason


def test_a_limit_in_flight_says_how_many_run_and_where(desk):
    desk.place()
    desk.claim("deep_scan")
    place = desk.place()

    told = desk.of_place(place)

    assert told.code == "in_flight_limit"
    assert told.reason == "the limit in flight is reached: 1 of 1 running (1 on mill pid 4711)"
    assert told.remedy.endswith("scrapersky limit deep_scan --max-in-flight 2")


def test_a_limit_of_zero_is_reached_by_nobody_running(desk):
    page = desk.page()
    desk.set("page_curation", max_in_flight=0)

    assert desk.of_page(page).reason == "the limit in flight is reached: 0 of 0 running"
    assert desk.of_page(page).remedy.endswith("scrapersky limit page_curation --max-in-flight 1")


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        (None, "none is registered"),
        ({"draining": True}, "of 1 registered, 1 draining"),
        ({"drain_wanted": True}, "of 1 registered, 1 drained by an operator"),
        ({"workflows": ["deep_scan"]}, "of 1 registered, 1 of a version that does not know it"),
        ({"last_beat": "2020-01-01"}, "of 1 registered, 1 silent for more than three heartbeats"),
    ],
    ids=["none", "draining", "drained", "unaware", "silent"],
)
def test_no_live_worker_takes_it(desk, columns, reason):
    page = desk.page()
    desk.db.execute("truncate engine.worker")
    if columns:
        desk.register(**columns)

    told = desk.of_page(page)

    assert (told.code, told.reason) == ("no_worker", f"no live worker takes this workflow: {reason}")
    assert told.remedy.endswith("scrapersky work")


def test_a_worker_from_before_workers_said_what_they_take_is_believed(desk):
    page = desk.page()
    desk.db.execute("update engine.worker set workflows = null, beat = null")

    assert desk.of_page(page).code == "ready"


def test_a_deaf_listener_says_why_and_how_often_it_polls(desk):
    page = desk.page()
    desk.db.execute("truncate engine.listener")
    desk.listen(hears=False, trouble="own echo not heard within 5 s", since="2026-01-01 00:00:00+00", poll="2 s")

    told = desk.of_page(page)

    assert told.code == "deaf"
    assert told.reason == (
        "ready, but the listener (mill pid 4711) hears no doorbell since 2026-01-01 00:00:00 UTC (own echo not heard "
        "within 5 s); its next poll comes within 2 s"
    )


def test_one_listener_that_hears_is_enough(desk):
    page = desk.page()
    desk.listen(hears=False, trouble="lost")

    assert desk.of_page(page).code == "ready"


def test_a_listener_that_has_not_written_for_long_is_no_listener(desk):
    page = desk.page()
    desk.db.execute("update engine.listener set last_seen = now() - interval '1 minute'")

    told = desk.of_page(page)

    assert (told.code, told.reason) == ("no_listener", "ready, and no listener runs that could call a worker")
    assert told.remedy.endswith("scrapersky listen")


def test_a_listener_of_an_older_version_is_known_by_its_connection(desk):
    page = desk.page()
    desk.db.execute("truncate engine.listener")
    desk.connect(application_name="scrapersky listener")

    assert desk.of_page(page).code == "ready"


def test_a_ready_row_says_how_many_come_before_it(desk):
    first, second, late = desk.page(priority_level=1), desk.page(priority_level=1), desk.page(priority_level=2)
    desk.page(priority_level=0)
    desk.db.execute("update engine.job set run_at = now() + interval '1 hour' where priority = 0")

    told = [desk.of_page(page) for page in (first, second, late)]

    assert [one.code for one in told] == ["ready"] * 3
    assert [one.reason.rpartition(", ")[2] for one in told] == [
        "next in line",
        "1 row before it",
        "2 rows before it",
    ]
    assert told[0].remedy.startswith("Nothing to do")


def test_a_row_that_is_next_in_line_for_long_is_no_good_sign(desk):
    page = desk.page()
    desk.db.execute("update engine.job set run_at = now() - interval '1 hour'")

    assert "(60 min ago), next in line" in desk.of_page(page).reason
    assert "scrapersky doctor" in desk.of_page(page).remedy


def test_a_row_whose_worker_died_says_that_it_runs_alone(desk):
    page = desk.page()
    desk.run("page_curation", Lost(3))
    desk.db.execute("truncate engine.pace; update engine.job set last_error = null")

    assert "to run alone because its worker died 1 time" in desk.of_page(page).reason
