"""`scrapersky search`: a row, its id, and, when waited for, its end; what holds it up is said."""

import json
from threading import Thread
from uuid import UUID

import psycopg
import pytest

from tests.process_support import wait_until

pytest_plugins = ["tests.command_support"]

DECLARED = """
insert into engine.workflow (name, table_name, status_column, queued, processing, done, failed,
                             declared_max_in_flight, declared_batch, declared_max_attempts)
values ('place_search', 'place_searches', 'status', 'pending', 'processing', 'complete', 'failed', null, 10, 3)
on conflict (name) do nothing
"""


def finish(url, **columns):
    """Wait for the search and end it as a worker would."""
    sets = ", ".join(f"{column} = %({column})s" for column in columns)
    with psycopg.connect(url, autocommit=True) as worker:
        wait_until(lambda: worker.execute("select 1 from place_searches").fetchone())
        worker.execute(f"update place_searches set {sets}", columns)


@pytest.fixture
def ending(database):
    threads = []

    def start(**columns):
        threads.append(Thread(target=finish, args=[database], kwargs=columns))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()


def test_a_search_is_a_row_that_waits_for_its_workflow(command, db):
    done = command("search", " dentist ", "--near", "Austin,  TX", "--radius", "10", "--no-wait")

    ((key, *row),) = db.execute("select id, business_type, location, params, status from place_searches").fetchall()
    assert done.exit_code == 0
    assert UUID(done.stdout.strip()) == key
    assert row == ["dentist", "Austin, TX", {"radius_km": 10}, "pending"]


def test_a_search_that_is_waited_for_ends_with_its_result(command, ending):
    ending(status="complete", result="37 places", places_found=37)

    done = command("search", "dentist", "--near", "Austin, TX", "--wait")

    assert done.exit_code == 0
    assert "37 places" in done.stderr
    assert f"scrapersky select places --search {done.stdout.strip()}" in done.stderr


def test_a_search_that_fails_says_why(command, ending):
    ending(status="failed", error="no such place")

    done = command("search", "dentist", "--near", "Nowhere", "--wait")

    assert done.exit_code == 1
    assert "The search failed: no such place" in done.stderr


def test_the_outcome_is_told_to_machines_too(command, ending):
    ending(status="complete", places_found=3, result="3 places")

    done = command("search", "dentist", "--near", "Austin, TX", "--wait", "--json")

    outcome = json.loads(done.stdout)
    assert (outcome["status"], outcome["places_found"], outcome["obstacle"]) == ("complete", 3, None)


def test_a_paused_workflow_is_said(command, db):
    db.execute(DECLARED)
    db.execute("update engine.workflow set paused = true, paused_reason = 'no key' where name = 'place_search'")

    done = command("search", "dentist", "--near", "Austin, TX", "--no-wait")

    assert done.exit_code == 0
    assert "place_search is paused: no key" in done.stderr


def test_a_missing_worker_is_said(command, db):
    db.execute(DECLARED)

    done = command("search", "dentist", "--near", "Austin, TX", "--no-wait")

    assert "no worker is running; start one with: scrapersky up" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["dentist"], ["", "--near", "Austin"], ["dentist", "--near", " "], ["dentist", "--near", "X", "--radius", "-1"]],
)
def test_a_search_without_what_or_where_is_refused(command, db, arguments):
    done = command("search", *arguments)

    assert done.exit_code == 2
    assert db.execute("select count(*) from place_searches").fetchone() == (0,)
