"""Without a key for Places, rows wait and everybody can see why; with one, or without the need for one, they go on."""

import json
import subprocess
import sys

import pytest

from tests.process_support import clean_environment, stays, wait_until

REASON = "GOOGLE_MAPS_API_KEY is not set; put it into .env and start the workers again"


@pytest.fixture
def searches(db, database, processes):
    """Two searches, and a worker without a key."""
    db.execute(
        "insert into place_searches (business_type, location, status) values "
        "('dentist', 'Austin, TX', 'pending'), ('plumber', 'Austin, TX', 'pending')"
    )
    processes.start("app.worker", DATABASE_URL=database)
    wait_until(lambda: db.execute("select 1 from engine.worker").fetchone())
    return db


def test_rows_stay_queued_with_their_attempts_and_the_status_names_the_reason(searches, database):
    assert stays(
        lambda: searches.execute("select distinct status from place_searches").fetchall() == [("pending",)], seconds=1
    )

    status = subprocess.run(
        [sys.executable, "-m", "app.cli", "status", "--json"],
        env=clean_environment(DATABASE_URL=database),
        capture_output=True,
        check=True,
    )
    workflows = {row["workflow"]: row for row in json.loads(status.stdout)["workflows"]}
    assert (workflows["place_search"]["paused"], workflows["place_search"]["paused_reason"]) == (True, REASON)
    assert (workflows["place_search"]["ready"], workflows["deep_scan"]["paused"]) == (2, True)
    assert searches.execute("select sum(attempt) from engine.job").fetchone() == (0,)


def test_workflows_that_need_no_key_go_on(searches):
    searches.execute("insert into local_businesses (website_url, status) values ('https://smile.example/', 'Selected')")

    wait_until(lambda: searches.execute("select 1 from domains where domain = 'smile.example'").fetchone())


def test_a_start_with_a_key_takes_the_pause_away(searches, database, processes):
    processes.end_all()

    processes.start(
        "app.worker", DATABASE_URL=database, GOOGLE_MAPS_API_KEY="a-key", SCRAPERSKY_PROXY="http://127.0.0.1:9"
    )

    wait_until(
        lambda: searches.execute(
            "select 1 from place_searches where status = 'pending' and error like '%attempt 1 of%'"
        ).fetchone()
    )
    assert searches.execute("select paused from engine.overview where workflow = 'place_search'").fetchone() == (False,)
