"""Every page of the dashboard shows what is in the database, escaped, and a page at a time."""

import re
from uuid import uuid4

import pytest

from actors.registry import WORKFLOWS
from tests.dashboard_support import text_of, visitor_of

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
FAIL = """
insert into engine.job (workflow, pk, dead, attempt, last_error, started_at)
select 'domain_metadata', id::text, true, 2, %s, now() from domains where domain = %s
"""


@pytest.fixture
def visitor(database):
    with visitor_of(database) as visitor:
        yield visitor


@pytest.fixture
def domain(db):
    """Adds a domain and returns its id."""

    def add(name, **values):
        columns = {"domain": name, **values}
        names, marks = ", ".join(columns), ", ".join(["%s"] * len(columns))
        found = db.execute(f"insert into domains ({names}) values ({marks}) returning id", list(columns.values()))
        return str(found.fetchone()[0])

    return add


def test_the_pipeline_shows_every_workflow_with_its_figures(visitor, domain):
    domain("done.example", status="completed")
    domain("waits.example", status="pending")

    shown = visitor.text("/")

    assert all(workflow.name in shown for workflow in WORKFLOWS)
    assert re.search(r"domain_metadata domains → metadata no worker .* ready 1 running 0 done 1 failed 0", shown)


def test_the_pipeline_says_how_to_begin_as_long_as_there_is_nothing(visitor):
    shown = visitor.text("/")

    assert "Begin here" in shown
    assert "scrapersky import domains domains.csv --queue" in shown
    assert "GOOGLE_MAPS_API_KEY" in shown


def test_who_has_a_row_is_not_told_how_to_begin(visitor, domain):
    domain("first.example")

    assert "Begin here" not in visitor.text("/")


@pytest.mark.parametrize("kind", ["places", "businesses", "domains", "sitemaps", "pages"])
def test_an_empty_grid_says_what_fills_it_unless_a_filter_made_it_empty(visitor, kind):
    filled = visitor.get(f"/curate/{kind}").text.split("There are none.")[1].split("</p>")[0]
    filtered = visitor.get(f"/curate/{kind}?word=Maybe").text.split("There are none.")[1].split("</p>")[0]

    assert "<code>scrapersky" in filled or "<a href=" in filled
    assert filtered == ""


def test_a_workflow_without_a_past_has_no_empty_plot(visitor):
    answer = visitor.get("/workflows/deep_scan?span=day")

    assert text_of(answer).count("Nothing yet") == 2
    assert 'class="plot"' not in answer.text


def test_a_paused_workflow_says_why(visitor, db):
    db.execute("update engine.workflow set paused = true, paused_reason = 'the quota' where name = 'deep_scan'")

    assert "deep_scan places → businesses paused" in visitor.text("/")
    assert "the quota" in visitor.text("/")


def test_a_workflow_that_stopped_itself_says_why_and_until_when(visitor, db):
    db.execute(
        "update engine.workflow set blocked_reason = 'the key is wrong', blocked_until = '2099-01-02 03:04:05+00' "
        "where name = 'deep_scan'"
    )

    assert "the key is wrong until 2099-01-02 03:04:05" in visitor.text("/workflows/deep_scan")


def test_a_workflow_with_a_limit_of_nothing_is_shown_as_limited(visitor, db):
    db.execute("update engine.workflow set max_in_flight = 0 where name = 'deep_scan'")

    assert "max_in_flight is 0: nothing is started" in visitor.text("/")


def test_the_live_part_is_the_page_without_its_frame(visitor):
    for path in ("/", "/workers", "/workflows/deep_scan", "/submissions", "/actions"):
        live = visitor.get(path, headers={"HX-Request": "true"})

        assert live.status_code == 200
        assert "<html" not in live.text
        assert live.headers["Vary"].startswith("HX-Request")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.name)
def test_a_workflow_has_a_page_and_lists(visitor, workflow):
    for path in ("", "?span=day", "?span=week", "/waiting", "/failed"):
        assert visitor.get(f"/workflows/{workflow.name}{path}").status_code == 200


def test_the_workflow_page_groups_failures_by_error(visitor, db, domain):
    for number in range(3):
        domain(f"slow-{number}.example")
        db.execute(FAIL, [f"https://slow-{number}.example/: no answer within 5 s", f"slow-{number}.example"])

    shown = visitor.text("/workflows/domain_metadata")

    assert "<url>: no answer within # s 3" in shown
    assert "all failed rows" in shown


def test_what_runs_is_shown_with_its_worker_and_what_comes_next_by_its_name(visitor, db, domain):
    worker = uuid4()
    db.execute("insert into engine.worker (id, host, pid, version) values (%s, 'forge', 4711, '1.2')", [worker])
    running = domain("runs.example")
    db.execute(
        "insert into engine.job (workflow, pk, token, worker_id, started_at, attempt) "
        "values ('domain_metadata', %s, gen_random_uuid(), %s, now() - interval '65 s', 1)",
        [running, worker],
    )
    domain("next.example", status="pending")

    shown = visitor.text("/workflows/domain_metadata")

    assert re.search(r"Running now .* runs\.example 1 min 5 s 1 forge 4711", shown)
    assert re.search(r"Next up .* next\.example now 0 not yet", shown)
    assert "forge 4711 working 1 domain_metadata" in visitor.text("/workers")


def test_plots_show_what_the_workers_counted(visitor, db):
    db.execute(
        "insert into engine.rate (workflow, minute, completed, failed, started, waited_seconds, longest_wait_seconds) "
        "values ('deep_scan', date_trunc('minute', now()), 40, 2, 42, 84, 7)"
    )

    page = visitor.get("/workflows/deep_scan").text

    assert "attempts in the last hour: 40 completed, 0 retried, 2 failed" in page
    assert "the longest wait was 7.0 seconds" in page
    assert 'class="completed"' in page


def test_waiting_rows_come_a_page_at_a_time_in_the_order_of_the_queue(visitor, db):
    db.execute(
        "insert into domains (domain, status) select 'd' || n || '.example', 'pending' from generate_series(1, 120) n"
    )

    seen, path = [], "/workflows/domain_metadata/waiting"
    while path:
        page = visitor.get(path).text
        seen.append(re.findall(r'title="(d\d+\.example)"', page))
        path = following(page)

    assert [len(names) for names in seen] == [50, 50, 20]
    assert len({name for names in seen for name in names}) == 120


def test_failed_rows_of_one_error_are_found_among_many_others(visitor, db, domain):
    db.execute("insert into domains (domain) select 'd' || n || '.example' from generate_series(1, 60) n")
    db.execute(
        "insert into engine.job (workflow, pk, dead, last_error) "
        "select 'domain_metadata', id::text, true, case when domain = 'd7.example' then 'rare' else 'frequent' end "
        "from domains"
    )

    rare = visitor.text("/workflows/domain_metadata/failed?error=rare")
    first = visitor.get("/workflows/domain_metadata/failed")

    assert "d7.example rare" in rare
    assert "frequent" not in rare
    assert len(re.findall(r'title="d\d+\.example"', first.text)) == 50
    assert len(re.findall(r'title="d\d+\.example"', visitor.get(following(first.text)).text)) == 10


def test_submissions_come_a_page_at_a_time_newest_first(visitor, db):
    db.execute(
        "insert into engine.submission (workflow, rows, role, application_name) "
        "select 'deep_scan', n, 'ann', 'psql' from generate_series(1, 60) n"
    )

    first = visitor.get("/submissions")
    second = text_of(visitor.get(following(first.text)))

    assert "deep_scan 60 ann psql" in text_of(first)
    assert "deep_scan 10 ann psql" in second
    assert "deep_scan 11 ann psql" not in second


def test_actions_show_who_did_what(visitor, db):
    db.execute("update engine.workflow set paused = true, paused_reason = 'lunch' where name = 'deep_scan'")

    assert re.search(r'pause deep_scan . \{"reason": "lunch"\}', visitor.text("/actions"))


def test_a_row_shows_its_columns_its_reason_and_its_relatives(visitor, db, domain):
    parent = domain("shop.example", title="A shop")
    page = db.execute(
        "insert into pages (domain_id, url) values (%s, 'https://shop.example/contact') returning id", [parent]
    ).fetchone()[0]
    db.execute("insert into contacts (domain_id, page_id, email) values (%s, %s, 'ann@shop.example')", [parent, page])

    shown = visitor.text(f"/rows/domains/{parent}")
    child = visitor.text(f"/rows/pages/{page}")

    assert "title A shop" in shown
    assert "Led to" in shown
    assert "https://shop.example/contact" in shown
    assert "ann@shop.example" in shown
    assert "Came from domains shop.example" in child
    assert "never queued" in child


@pytest.mark.parametrize(
    "path",
    [
        "/rows/domains/nonsense",
        "/rows/domains/00000000-0000-4000-8000-000000000000",
        "/rows/places_staging/99999999999999",
        "/rows/pg_class/1",
    ],
)
def test_a_row_that_is_not_there_is_answered_plainly(visitor, path):
    answer = visitor.get(path)

    assert answer.status_code == 404
    assert "There is no" in text_of(answer)


def test_an_unknown_workflow_is_answered_with_the_known_ones(visitor):
    answer = visitor.get("/workflows/deep_scna")

    assert answer.status_code == 404
    assert "known are place_search, deep_scan" in text_of(answer)


def test_text_from_the_web_is_never_markup(visitor, db, domain):
    hostile = domain("evil.example", title=HOSTILE, description=HOSTILE * 2000, home_url="javascript:alert(1)")
    db.execute(FAIL, [HOSTILE, "evil.example"])
    db.execute("update engine.workflow set paused = true, paused_reason = %s where name = 'domain_metadata'", [HOSTILE])
    db.execute("insert into pages (domain_id, url) values (%s, %s)", [hostile, f"https://evil.example/{HOSTILE}"])
    db.execute(
        "insert into engine.submission (workflow, rows, role, application_name) values ('deep_scan', 1, %s, %s)",
        [HOSTILE, HOSTILE],
    )

    for path in (
        "/",
        "/workflows/domain_metadata",
        "/workflows/domain_metadata/failed",
        "/submissions",
        "/actions",
        f"/rows/domains/{hostile}",
        "/search?q=evil.example",
    ):
        page = visitor.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert "<img" not in page.text
        assert 'href="javascript:' not in page.text
        assert len(page.text) < 60_000


def test_a_database_that_is_away_is_said_so(database):
    with visitor_of(database.replace("/test_", "/gone_")) as visitor:
        visitor.client.application.extensions["reader"].pool.timeout = 0.2

        assert visitor.get("/").status_code == 503
        assert visitor.get("/readyz").status_code == 503
        assert visitor.get("/livez").status_code == 200


def test_a_database_without_an_engine_is_not_ready(empty_database):
    with visitor_of(empty_database) as visitor:
        assert "scrapersky migrate" in visitor.get("/readyz").text


def test_the_dashboard_is_ready_when_the_database_is(visitor):
    assert visitor.get("/readyz").text == "ok\n"


def following(page: str) -> str | None:
    found = re.search(r'href="([^"]+)">Go on<', page)
    return found[1].replace("&amp;", "&") if found else None
