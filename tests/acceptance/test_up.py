"""`scrapersky up` on an empty home, with the database that it brings: greeting, work, and an end without a rest."""

import os
import signal
import socket

import psycopg
import pytest

from db.embedded import EmbeddedPostgres
from tests.process_support import wait_until

QUEUE_ALL = "update local_businesses set domain_extraction_status = 'Queued'"
LEFT = "select count(*) from local_businesses where domain_extraction_status is distinct from 'Completed'"
RUNS = "select count(*), count(distinct pk) from engine.attempt where outcome = 'completed'"
RUNS_SINCE_THE_START = "select count(*) from engine.attempt where started_at > pg_postmaster_start_time()"
ADD = """
insert into local_businesses (business_name, website_url)
select 'business ' || n, 'https://www.site' || n || '.com' from generate_series(1, %s) as n
"""


@pytest.fixture
def settings(home):
    return {
        "SCRAPERSKY_HOME": str(home),
        "SCRAPERSKY_KEEP_SUCCESSES": "true",
        "SCRAPERSKY_PROCESSES": "2",
        "SCRAPERSKY_THREADS": "2",
    }


@pytest.fixture
def up(settings, processes):
    up = processes.start("app.cli", "up", **settings)
    wait_until(lambda: "Ctrl-C drains" in up.output(), timeout=60)
    return up


@pytest.fixture
def user(home, up):
    with psycopg.connect(EmbeddedPostgres(home).url, autocommit=True) as connection:
        wait_until(lambda: connection.execute("select count(*) from engine.worker").fetchone() == (2,))
        yield connection


def work(user, count=1):
    user.execute(ADD, [count])
    user.execute(QUEUE_ALL)
    wait_until(lambda: user.execute(LEFT).fetchone() == (0,))


def test_up_greets_works_and_leaves_nothing_running(up, user, home):
    work(user)

    up.send(signal.SIGINT)
    code = up.exit_code()

    assert code == 0
    greeting = up.output()
    assert "database   embedded PostgreSQL" in greeting
    assert "workers    2 processes of 2 threads, in-process broker" in greeting
    assert "Traceback" not in greeting
    assert not EmbeddedPostgres(home).is_running()


def test_a_second_up_on_the_same_home_finds_what_the_first_left(up, user, settings, home, processes):
    work(user, 5)
    up.send(signal.SIGTERM)
    assert up.exit_code() == 0

    again = processes.start("app.cli", "up", **settings)
    wait_until(lambda: "Ctrl-C drains" in again.output(), timeout=60)

    with psycopg.connect(EmbeddedPostgres(home).url) as connection:
        assert connection.execute("select count(*) from domains").fetchone() == (5,)


def test_a_metrics_port_that_is_taken_is_told_in_one_line(scrapersky, database):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = scrapersky("up", DATABASE_URL=database, SCRAPERSKY_METRICS_PORT=port)

    assert done.returncode in {1, 2}
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert "SCRAPERSKY_METRICS_PORT" in done.stderr
    assert port in done.stderr


def test_after_the_death_of_everything_the_next_up_completes_everything_once(up, user, settings, home, processes):
    user.execute(ADD, [20_000])
    user.execute(QUEUE_ALL)
    wait_until(lambda: user.execute(RUNS).fetchone() > (500, 0))

    postmaster = int((EmbeddedPostgres(home).data / "postmaster.pid").read_text().splitlines()[0])
    for process in (postmaster, *up.children(), up.pid):
        os.kill(process, signal.SIGKILL)
    up.exit_code()
    again = processes.start("app.cli", "up", **settings)
    wait_until(lambda: "Ctrl-C drains" in again.output(), timeout=60)

    with psycopg.connect(EmbeddedPostgres(home).url, autocommit=True) as connection:
        wait_until(lambda: connection.execute(LEFT).fetchone() == (0,), timeout=60)
        assert connection.execute(RUNS).fetchone() == (20_000, 20_000)
        assert connection.execute("select count(*) from domains").fetchone() == (20_000,)
        assert connection.execute(RUNS_SINCE_THE_START).fetchone() > (0,)


def postmaster(home):
    return int((EmbeddedPostgres(home).data / "postmaster.pid").read_text().splitlines()[0])


def count(home, query):
    with psycopg.connect(EmbeddedPostgres(home).url, autocommit=True) as connection:
        return connection.execute(query).fetchone()


def test_up_starts_its_postgres_again_when_it_is_killed_and_nothing_is_lost(up, user, home):
    user.execute(ADD, [5_000])
    user.execute(QUEUE_ALL)
    wait_until(lambda: user.execute(RUNS).fetchone() > (200, 0))

    os.kill(postmaster(home), signal.SIGKILL)
    wait_until(lambda: "postgres.restarted" in up.output(), timeout=60)
    wait_until(lambda: count(home, LEFT) == (0,), timeout=60)

    assert count(home, RUNS) == (5_000, 5_000)
    assert count(home, "select count(*) from domains") == (5_000,)
    assert "process.died" not in up.output()


def test_up_starts_its_postgres_again_when_it_is_stopped_by_hand(up, user, home):
    EmbeddedPostgres(home).stop()

    wait_until(lambda: "postgres.restarted" in up.output(), timeout=60)

    assert count(home, "select count(*) from engine.workflow") != (0,)
    up.send(signal.SIGTERM)
    assert up.exit_code() == 0
    assert not EmbeddedPostgres(home).is_running()


def test_a_postgres_that_can_not_start_is_told_with_its_reason_and_tried_again(up, user, home):
    version = EmbeddedPostgres(home).data / "PG_VERSION"
    version.write_text("12\n")
    os.kill(postmaster(home), signal.SIGKILL)
    wait_until(lambda: up.output().count("postgres.not_started") > 1, timeout=60)

    version.write_text("18\n")
    wait_until(lambda: "postgres.restarted" in up.output(), timeout=60)

    assert "was made by PostgreSQL 12" in up.output()
