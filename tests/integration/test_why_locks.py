"""A row that somebody has locked or changed without a commit: that it is so, and who it is."""

import re
from uuid import uuid4

import psycopg
import pytest
from psycopg import IsolationLevel

from tests.why_situations import bring_about

pytest_plugins = ["tests.why_support"]


@pytest.fixture
def other(desk):
    """Somebody else's session, in a transaction that stays open."""
    connection = desk.connect(application_name="psql")
    connection.execute("begin")
    return connection


def pid(connection):
    return connection.info.backend_pid


@pytest.mark.parametrize(
    "statement",
    [
        "select 1 from pages for update",
        "select 1 from pages for share",
        "update pages set title = 'new'",
        "delete from pages",
        "savepoint inner_one; update pages set title = 'new'",
    ],
)
def test_a_queued_row_that_is_locked_names_the_backend_its_user_and_application(desk, other, statement):
    page = desk.page()
    other.execute(statement)

    told = desk.of_page(page)

    assert told.code == "locked"
    assert re.fullmatch(
        rf"backend {pid(other)} of user scrapersky \(psql, idle in transaction, its transaction began [\d.]+ s ago\) "
        r"has it locked; claims pass it by and look again every second",
        told.reason,
    )
    assert told.remedy == f"Let it commit, or end it: select pg_terminate_backend({pid(other)})"


def test_the_remedy_for_a_lock_works(desk):
    place = desk.place()
    victim = psycopg.connect(desk.url)
    victim.execute("select 1 from places_staging for update")

    desk.db.execute(desk.of_place(place).remedy.partition(": ")[2].replace(")", ", 5000)"))
    victim.close()

    assert desk.of_place(place).code == "ready"


def test_a_row_that_several_share_names_one_of_them(desk, other):
    page = desk.page()
    second = desk.connect(application_name="second")
    second.execute("begin")
    for connection in (other, second):
        connection.execute("select 1 from pages for share")

    told = desk.of_page(page)

    assert told.code == "locked"
    assert f"backend {pid(other)} of" in told.reason or f"backend {pid(second)} of" in told.reason


def test_a_lock_that_hinders_no_claim_is_no_reason(desk, other):
    domain = desk.domain(status="pending")
    other.execute("insert into pages (domain_id, url) values (%s, 'https://smile.com/')", [domain])
    (held_by,) = desk.db.execute("select xmax::text from domains").fetchone()

    assert held_by != "0"
    assert desk.explain("domains", domain)["domain_metadata"].code == "ready"


def test_a_lock_that_was_let_go_is_no_reason(desk, other):
    page = desk.page()
    other.execute("select 1 from pages for update")
    other.execute("rollback")

    assert desk.db.execute("select xmax::text <> '0' from pages").fetchone() == (True,)
    assert desk.of_page(page).code == "ready"


def test_to_look_leaves_no_lock_behind_even_in_a_transaction(desk, other):
    domain = desk.domain(status="pending")
    other.execute("insert into pages (domain_id, url) values (%s, 'https://smile.com/')", [domain])

    with desk.db.transaction():
        desk.explain("domains", domain)
        desk.connect().execute("select 1 from domains for no key update nowait")

        assert desk.explain("domains", domain)["domain_metadata"].code == "ready"


@pytest.mark.parametrize("status", ["Complete", "Error", None])
def test_a_change_that_is_not_committed_is_told_of_a_row_that_is_not_queued(desk, other, status):
    page = desk.page(page_processing_status=status)
    other.execute("update pages set page_processing_status = 'Queued'")

    told = desk.of_page(page)

    assert told.code == "uncommitted"
    assert told.reason.startswith(f"backend {pid(other)} of user scrapersky (psql, idle in transaction,")
    assert "has changed or locked it and has not committed; as it is committed: " in told.reason


@pytest.mark.parametrize(
    "statement", ["update pages set page_processing_status = 'Queued'", "select 1 from pages for update"]
)
def test_ones_own_open_transaction_is_told_apart(desk, statement):
    page = desk.page(page_processing_status=None)

    with desk.db.transaction():
        desk.db.execute(statement)
        told = desk.of_page(page)

    assert told.code == "uncommitted"
    assert told.reason.startswith("this session itself")


def test_a_running_row_whose_result_can_not_be_written_says_who_is_in_the_way(desk, other):
    page = desk.page()
    desk.claim("page_curation")
    other.execute("select 1 from pages for update")

    told = desk.of_page(page)

    assert told.code == "running"
    assert f"its result waits for backend {pid(other)} of user scrapersky" in told.reason


@pytest.mark.parametrize("mode", ["share", "exclusive", "access exclusive"])
def test_a_lock_on_the_whole_table_is_told_too(desk, other, mode):
    page = desk.page()
    other.execute(f"lock table pages in {mode} mode")

    told = desk.of_page(page)

    assert told.code == "locked"
    assert f"backend {pid(other)} of user scrapersky" in told.reason


def test_a_row_that_is_not_due_for_long_says_that_first(desk, other):
    place = desk.place()
    desk.db.execute("update engine.job set run_at = now() + interval '1 hour'")
    other.execute("select 1 from places_staging for update")

    assert desk.of_place(place).code == "not_due"


def test_a_read_only_session_is_answered_too(desk, other):
    domain = desk.domain(status="pending")
    page = desk.page()
    other.execute("select 1 from pages for update")
    reader = desk.connect(options="-c default_transaction_read_only=on")

    assert desk.explain("domains", domain, by=reader)["domain_metadata"].code == "ready"
    assert desk.explain("pages", page, by=reader)["page_curation"].code == "locked"


def test_a_session_with_an_old_snapshot_is_answered_too(desk):
    domain = desk.domain(status="pending")
    reader = desk.connect()
    reader.isolation_level = IsolationLevel.SERIALIZABLE
    with reader.transaction():
        reader.execute("select 1 from domains")
        desk.db.execute("update domains set title = 'changed since'")

        assert desk.explain("domains", domain, by=reader)["domain_metadata"].code == "ready"


def test_a_row_that_is_inserted_but_not_committed_is_no_such_row(desk, other):
    page = str(uuid4())
    domain = desk.domain()
    other.execute("insert into pages (id, domain_id, url) values (%s, %s, 'https://smile.com/')", [page, domain])

    assert desk.of_page(page).code == "no_such_row"
    assert "not committed yet" in desk.of_page(page).remedy


def test_a_session_that_keeps_the_turn_to_claim_is_named_with_the_remedy(desk):
    table, page = bring_about(desk, "turn_taken")

    told = desk.of_page(page)

    assert (table, told.code) == ("pages", "turn_taken")
    assert re.match(r"claims wait for their turn: backend \d+ of user scrapersky \(psql, idle in tr", told.reason)
    assert re.search(r" has the row 'host:[0-9a-f-]+' of engine\.pace locked$", told.reason)
    assert re.fullmatch(r"Let it commit, or end it: select pg_terminate_backend\(\d+\)", told.remedy)
