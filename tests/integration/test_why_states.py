"""What is said of rows that are running, lost, ended or were never asked for."""

import re

import pytest

from actors.registry import WORKFLOWS
from app.config import Settings
from app.sweeper import Sweeper
from db.connections import open_pool
from db.migrate import migrate
from db.outcomes import Again, Failed, Found

pytest_plugins = ["tests.why_support"]


@pytest.fixture
def past_the_triggers(desk):
    """A connection whose writes no trigger sees, as in a restore or by replication."""
    connection = desk.connect()
    connection.execute("set session_replication_role = replica")
    return connection


def swept(desk, flow, **columns):
    given = {"name": flow, "swept_at": "now", "every": "60 s", "pass_blocks": 8192, "next_block": 0, **columns}
    values = ", ".join(f"%({name})s" for name in given)
    desk.db.execute(f"insert into engine.sweep_position ({', '.join(given)}) values ({values})", given)


def test_a_claimed_row_names_the_worker_and_its_heartbeat(desk):
    place = desk.place()
    desk.claim("deep_scan")
    desk.db.execute("update engine.worker set last_beat = now() - interval '3 seconds', beat = '5 s'")

    told = desk.of_place(place)

    assert told.code == "running"
    assert re.fullmatch(
        r"attempt 1 of 5, claimed since .* UTC \([\d.]+ s\) by "
        rf"worker {str(desk.worker)[:8]} on mill pid 4711 \(heartbeat 3(\.\d)? s ago\); its time limit is 60 s",
        told.reason,
    )


def test_a_row_of_a_worker_that_is_gone_is_given_back_by_the_sweep(desk):
    place = desk.place()
    desk.claim("deep_scan")
    desk.db.execute("truncate engine.worker")
    swept(desk, "deep_scan", every="30 s")

    told = desk.of_place(place)

    assert told.code == "worker_gone"
    assert f" by worker {str(desk.worker)[:8]}, which is gone; " in told.reason
    assert re.search(r"the sweep gives it back in about (30|29) s$", told.reason)
    assert told.remedy.endswith("scrapersky sweep --workflow deep_scan")


def test_a_row_of_a_worker_that_stands_still_says_so(desk):
    page = desk.page()
    desk.claim("page_curation")
    desk.db.execute("update engine.worker set last_beat = now() - interval '2 minutes', beat = '5 s'")

    told = desk.of_page(page)

    assert told.code == "worker_silent"
    assert "(heartbeat 2 min ago)" in told.reason


def test_a_row_in_progress_that_nobody_has_claimed_is_an_orphan(desk, past_the_triggers):
    page = desk.page(page_processing_status=None)
    past_the_triggers.execute("update pages set page_processing_status = 'Processing'")

    told = desk.of_page(page)

    assert told.code == "orphaned"
    assert (
        told.reason
        == "'Processing', but no worker has claimed it; the sweep queues it again, but no sweeper has come by yet"
    )


def test_a_row_that_was_queued_again_while_it_runs_starts_anew_afterwards(desk):
    page = desk.page()
    desk.claim("page_curation")
    desk.db.execute("update pages set page_processing_status = 'Queued'")

    told = desk.of_page(page)

    assert told.code == "runs_again"
    assert "it starts anew when that run ends (worker" in told.reason


def repair(desk, remedy):
    """Do what the remedy says, word for word."""
    for step in remedy.partition(": ")[2].split("; "):
        if step == "scrapersky migrate":
            migrate(desk.url, WORKFLOWS, Settings().default_tenant_id)
        elif step.startswith("scrapersky sweep --workflow "):
            pool = open_pool(desk.url, size=2, name="test")
            Sweeper(pool, WORKFLOWS, Settings()).sweep(step.rpartition(" ")[2], whole=True)
            pool.close()
        else:
            desk.db.execute(step)


@pytest.mark.parametrize(
    ("harm", "code", "state"),
    [
        ("drop trigger engine_deep_scan_update on places_staging", "trigger_missing", "missing"),
        ("alter table places_staging disable trigger user", "trigger_disabled", "disabled"),
        ("alter table places_staging enable replica trigger engine_deep_scan_update", "trigger_disabled", "disabled"),
    ],
    ids=["missing", "disabled", "replica only"],
)
def test_a_queued_row_without_a_job_names_the_trigger_that_failed_it_and_the_remedy_works(desk, harm, code, state):
    place = desk.place(deep_scan_status=None)
    swept(desk, "deep_scan")
    desk.db.execute(harm)
    desk.db.execute("update places_staging set deep_scan_status = 'Queued'")

    told = desk.of_place(place)
    repair(desk, told.remedy)

    assert told.code == code
    assert f"its trigger engine_deep_scan_update is {state}; the sweep submits it in about" in told.reason
    assert desk.of_place(place).code == "ready"
    desk.db.execute("update places_staging set deep_scan_status = null")
    desk.db.execute("update places_staging set deep_scan_status = 'Queued'")
    assert desk.db.execute("select generation from engine.job").fetchall() == [(2,)]


def test_a_row_that_was_written_past_the_triggers_waits_for_the_sweep(desk, past_the_triggers):
    page = desk.page(page_processing_status=None)
    past_the_triggers.execute("update pages set page_processing_status = 'Queued'")
    swept(desk, "page_curation", swept_at="2026-01-01", every="60 s")

    told = desk.of_page(page)
    repair(desk, told.remedy)

    assert told.code == "no_job"
    assert re.search(
        r"it was written past the triggers .*; the sweep submits it, but no sweeper runs: the last pass was",
        told.reason,
    )
    assert desk.of_page(page).code == "ready"


def test_a_failed_row_that_was_queued_past_the_triggers_says_that_its_job_is_dead(desk, past_the_triggers):
    page = desk.page()
    desk.run("page_curation", Failed("hopeless"))
    past_the_triggers.execute("update pages set page_processing_status = 'Queued'")

    assert desk.of_page(page).reason.startswith("'Queued', but its job failed for good before")


def test_the_sweep_is_expected_when_it_reaches_the_rows_place_in_the_table(desk, past_the_triggers):
    page = desk.page(page_processing_status=None)
    past_the_triggers.execute(
        "insert into pages (domain_id, url) select domain_id, url || n from pages, generate_series(1, 200) n"
    )
    past_the_triggers.execute("update pages set page_processing_status = 'Queued' where id = %s", [page])
    (block,) = desk.db.execute("select (ctid::text::point)[0]::int from pages where id = %s", [page]).fetchone()
    swept(desk, "page_curation", every="100 s", pass_blocks=1, next_block=block)

    at_once = desk.of_page(page).reason
    desk.db.execute("update engine.sweep_position set next_block = next_block + 1")

    (blocks,) = desk.db.execute("select pg_relation_size('pages') / 8192").fetchone()
    assert "submits it in about 100 s" in at_once
    assert blocks > 2
    assert f"submits it in about {round(blocks * 100 / 60)} min" in desk.of_page(page).reason


def test_a_row_that_failed_for_good_says_after_how_many_attempts_and_why(desk):
    place = desk.place()
    desk.set("deep_scan", max_attempts=1)
    desk.run("deep_scan", Again("no answer", 1.0))

    told = desk.of_place(place)
    desk.db.execute(told.remedy.partition(": ")[2])

    assert told.code == "failed"
    assert re.fullmatch(r"failed for good after 1 attempt since .* ago\): no answer \(attempt 1 of 1\)", told.reason)
    assert desk.of_place(place).code == "ready"


def test_a_row_that_was_set_to_failed_by_hand_says_that_nothing_is_known(desk):
    page = desk.page(page_processing_status="Error")

    assert re.fullmatch(r"failed for good since .* ago\): no error is kept", desk.of_page(page).reason)


def test_a_done_row_says_since_when_and_what_came_of_it(desk):
    page = desk.page()
    desk.run("page_curation", Found(reason="no contact on the page"))

    told = desk.of_page(page)

    assert told.code == "done"
    assert re.fullmatch(r"done \('Complete'\) since .* UTC \([\d.]+ s ago\): no contact on the page", told.reason)


def test_a_row_that_nobody_queued_says_how_to(desk):
    place = desk.place(deep_scan_status=None)

    told = desk.of_place(place)
    desk.db.execute(told.remedy.partition(": ")[2])

    assert (told.code, told.reason) == (
        "never_queued",
        "deep_scan_status is null: it was never queued, or was withdrawn",
    )
    assert (
        told.remedy == f"To queue it: update public.places_staging set deep_scan_status = 'Queued' where id = '{place}'"
    )
    assert desk.of_place(place).code == "ready"


def test_a_row_that_was_selected_behind_the_triggers_back_says_so(desk, past_the_triggers):
    page = desk.page(page_processing_status=None)
    past_the_triggers.execute("update pages set page_curation_status = 'Selected'")

    told = desk.of_page(page)

    assert told.code == "never_queued"
    assert "though page_curation_status is Selected" in told.reason


def test_a_withdrawn_row_says_so_and_what_becomes_of_its_run(desk):
    withdrawn = desk.page()
    desk.claim("page_curation")
    running = desk.of_page(withdrawn).code
    desk.db.execute("update pages set page_processing_status = null")

    told = desk.of_page(withdrawn)

    assert (running, told.code) == ("running", "never_queued")
    assert "a run that began before still goes on (worker" in told.reason
    assert told.reason.endswith("its result will be discarded")


def test_a_word_that_the_workflow_does_not_know_is_named_beside_those_that_it_knows(desk):
    page = desk.page(page_processing_status="Filtered")

    told = desk.of_page(page)

    assert told.code == "unknown_word"
    assert told.reason == (
        "page_processing_status is 'Filtered', which is none of the workflow's words (Queued, Processing, Complete, "
        "Error): nothing starts it"
    )


def test_a_row_that_does_not_exist_is_no_such_row(desk):
    assert desk.of_place("4000").reason == "public.places_staging has no row with the id '4000'"
    assert {one.code for one in desk.explain("domains", str(desk.worker)).values()} == {"no_such_row"}


def test_a_table_that_migrate_has_not_found_again_is_named(desk):
    page = desk.page()
    with desk.db.transaction(force_rollback=True):
        desk.db.execute("update engine.workflow set relation = 4294967295 where name = 'page_curation'")
        desk.db.execute("update engine.workflow set key_column = 'gone' where name = 'deep_scan'")

        told = desk.explain("pages", page)["page_curation"], desk.explain("places_staging", "1")["deep_scan"]

    assert [one.code for one in told] == ["no_such_table"] * 2
    assert told[0].remedy == "Put it right: scrapersky migrate"


@pytest.mark.parametrize(("table", "row"), [("pages", "page"), ("places_staging", "place"), ("domains", "domain")])
def test_the_row_and_its_job_are_reached_by_their_keys_only(desk, table, row):
    desk.db.execute("insert into domains (domain) select n || '.com' from generate_series(1, 500) as n")
    desk.db.execute("insert into places_staging (place_id) select n from generate_series(1, 500) as n")
    desk.db.execute(
        "insert into pages (domain_id, url, page_processing_status) select id, domain, 'Queued' from domains limit 500"
    )
    asked = getattr(desk, row)()

    fresh = desk.connect()
    with fresh.transaction():
        desk.explain(table, asked, by=fresh)
        fresh.execute("select * from engine.history(%s, %s)", [table, asked])
        read = fresh.execute(
            "select relname, seq_scan, idx_tup_fetch <= 6 from pg_stat_xact_user_tables "
            "where relname in (%s, 'job', 'attempt', 'submission') and seq_scan + idx_scan > 0",
            [table],
        ).fetchall()

    assert (table, 0, True) in read
    assert {sequential for _, sequential, _ in read} == {0}
