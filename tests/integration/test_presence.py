"""What processes write about themselves, so that `why` can tell: real listeners, hearts and sweeps."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from dramatiq.brokers.stub import StubBroker

from actors.registry import WORKFLOWS
from app.broker import Nudger
from app.config import Settings
from app.heart import Heart
from app.listener import Listener
from app.retention import Retention
from app.sweeper import Sweeper
from db.connections import open_pool
from tests.process_support import free_port, wait_until

pytest_plugins = ["tests.why_support"]

ROW = "select hears, trouble, poll, echo from engine.listener"


@pytest.fixture
def pool(desk):
    pool = open_pool(desk.url, size=2, name="test")
    yield pool
    pool.close()


@contextmanager
def listening(desk, pool, *, at=None):
    """A listener of its own, the only one; deaf where it can not connect."""
    desk.db.execute("delete from engine.listener")
    settings = Settings(database_url=desk.url, echo="0.5", poll="2")
    listener = Listener(settings, at or desk.url, pool, Nudger(StubBroker(), ["page_curation"]))
    listener.start()
    try:
        yield listener
    finally:
        listener.stop()


def test_a_listener_that_hears_says_so_and_leaves_when_it_stops(desk, pool):
    page = desk.page()
    with listening(desk, pool):
        wait_until(
            lambda: desk.db.execute(ROW).fetchall() == [(True, None, timedelta(seconds=2), timedelta(seconds=0.5))]
        )

        assert desk.of_page(page).code == "ready"

    assert desk.db.execute(ROW).fetchall() == []
    assert desk.of_page(page).code == "no_listener"


def test_a_listener_writes_again_with_every_echo(desk, pool):
    seen = "select last_seen from engine.listener where hears"
    with listening(desk, pool):
        first = wait_until(lambda: desk.db.execute(seen).fetchone())

        wait_until(lambda: desk.db.execute(seen).fetchone() > first)

        assert desk.db.execute("select count(*) from engine.listener").fetchone() == (1,)


def test_a_listener_that_can_not_connect_says_why_and_the_row_is_found_by_polling(desk, pool):
    page = desk.page()
    with listening(desk, pool, at=f"postgresql://anna:secret@127.0.0.1:{free_port()}/nobody"):
        wait_until(lambda: [hears for hears, *_ in desk.db.execute(ROW).fetchall()] == [False])

        told = desk.of_page(page)

    assert told.code == "deaf"
    assert "127.0.0.1" in told.reason
    assert told.reason.endswith("its next poll comes within 2 s")
    assert "secret" not in told.reason


def test_a_listener_that_loses_its_connection_says_so_until_it_hears_again(desk, pool):
    with listening(desk, pool):
        wait_until(lambda: [hears for hears, *_ in desk.db.execute(ROW).fetchall()] == [True])
        before = desk.db.execute("select since from engine.listener").fetchone()

        desk.db.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where application_name = 'scrapersky listener' and datname = current_database()"
        )

        wait_until(
            lambda: desk.db.execute("select since from engine.listener where hears").fetchone() not in {None, before}
        )


def test_a_worker_says_what_it_takes_and_a_beat_writes_no_index(desk):
    desk.db.execute("delete from engine.worker")
    desk.db.execute("select pg_stat_reset_single_table_counters('engine.worker'::regclass)")
    heart = Heart(timedelta(seconds=0.05), workflows=["page_curation"])
    heart.start(desk.url)
    wait_until(lambda: desk.db.execute("select beats > 3 from engine.worker").fetchone() == (True,))

    told = desk.db.execute("select workflows, beat from engine.worker").fetchone()
    page, place = desk.page(), desk.place()
    # Beats of 50 ms come late on a busy machine, and the worker is silent for that moment.
    wait_until(lambda: desk.of_page(page).code == "ready")
    unaware = "of 1 registered, 1 of a version that does not know it"
    wait_until(lambda: desk.of_place(place).reason.endswith(unaware))
    heart.stop()

    assert told == (["page_curation"], timedelta(seconds=0.05))
    counts = "select n_tup_upd > 3, n_tup_hot_upd = n_tup_upd from pg_stat_user_tables where relname = 'worker'"
    wait_until(lambda: desk.db.execute(counts).fetchone() == (True, True))


def test_a_sweep_notes_when_it_was_and_how_often_it_comes(desk, pool):
    overrides = {"deep_scan": {"INTERVAL_MINUTES": 7}}
    sweeper = Sweeper(pool, WORKFLOWS, Settings(overrides=overrides))

    for workflow in ("deep_scan", "page_curation"):
        sweeper.sweep(workflow)

    noted = desk.db.execute(
        "select name, every, pass_blocks, clock_timestamp() - swept_at < interval '1 minute' "
        "from engine.sweep_position where name !~ ' ' order by name"
    ).fetchall()
    assert noted == [
        ("deep_scan", timedelta(minutes=7), 8192, True),
        ("page_curation", timedelta(minutes=1), 8192, True),
    ]


def test_listeners_of_processes_that_were_killed_are_forgotten(desk, pool):
    desk.db.execute("update engine.listener set last_seen = now() - interval '2 hours'")
    desk.listen(host="alive")

    Retention(pool, Settings()).prune()

    assert desk.db.execute("select host from engine.listener").fetchall() == [("alive",)]


def test_a_deaf_listener_that_is_awake_is_no_reason_to_wait(desk):
    page = desk.page()
    desk.db.execute("update engine.listener set hears = false")
    desk.db.execute(
        "update engine.lease set holder = (select min(id::text) from engine.listener)::uuid, awake = true, "
        "renewed_at = now(), expires_at = now() + interval '1 minute'"
    )

    told = desk.of_page(page)
    desk.db.execute("update engine.lease set holder = null, awake = false")

    assert told.code == "ready"
    assert desk.of_page(page).code == "deaf"
