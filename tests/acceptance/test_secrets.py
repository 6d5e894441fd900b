"""Passwords and keys stay where they were put: not in logs, errors, metrics, rows, process titles or on the prompt."""

import os
import signal
import subprocess
import urllib.request

import psycopg
import pytest

from db.embedded import bin_directory
from tests.acceptance.secret_support import (
    BROKER,
    DATABASE,
    LISTEN,
    PLACES,
    PROXY,
    SECRETS,
    leaks,
    repeating_proxy,
    shapes,
    titles,
    with_password,
)
from tests.process_support import free_port, wait_until

pytestmark = pytest.mark.slow

BAD_BROKERS = {
    "redis": f"redis://:{BROKER}@127.0.0.1:{{port}}/0",
    "rabbitmq": f"amqp://user:{BROKER}@127.0.0.1:{{port}}/%2F",
}
COMMANDS = (("status",), ("status", "--json"), ("migrate",), ("sweep",), ("work",), ("sweeper",), ("listen",))
TRIED = "select count(*) from engine.attempt where workflow = any(%s)"


def dump(url):
    """Everything that is in the database: rows, messages, comments, what sessions say of themselves."""
    command = [bin_directory() / "pg_dump", "--dbname", url]
    everything = subprocess.run(command, capture_output=True, check=True).stdout
    with psycopg.connect(url, autocommit=True) as connection:
        sessions = connection.execute("select application_name, query, usename from pg_stat_activity").fetchall()
    return everything + repr(sessions).encode()


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("shape", range(6))
def test_a_leak_in_any_shape_would_be_found(secret, shape):
    assert leaks(b"before " + shapes(secret)[shape] + b" after") == [secret]


@pytest.mark.parametrize("status", [407, 502])
def test_nothing_that_fails_tells_a_secret(db, database, processes, status):
    """A proxy that repeats what it was told, a listener that can not connect, a killed worker, cut connections."""
    port = free_port()
    db.execute("insert into place_searches (business_type, location, status) values ('dentist', 'Austin', 'pending')")
    db.execute("insert into domains (domain, status) values ('smile.example', 'pending')")
    with repeating_proxy(status) as proxy:
        up = processes.start(
            "app.cli",
            "up",
            DATABASE_URL=with_password(database, DATABASE),
            LISTEN_DATABASE_URL=f"postgresql://user:{LISTEN}@127.0.0.1:{free_port()}/none",
            SCRAPERSKY_PROXY=f"http://user:{PROXY}@127.0.0.1:{proxy.server_port}",
            GOOGLE_MAPS_API_KEY=PLACES,
            SCRAPERSKY_METRICS_PORT=str(port),
            SCRAPERSKY_BACKOFF_SECONDS="0.1",
            SCRAPERSKY_LOG_LEVEL="debug",
            SCRAPERSKY_PROCESSES="1",
        )
        wait_until(lambda: tried(db, "place_search"), timeout=60)
        wait_until(lambda: tried(db, "domain_metadata"), timeout=60)
        asked = list(proxy.asked)
    shown = titles([up.pid, *up.children()])
    db.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'scrapersky %'")
    os.kill(db.execute("select pid from engine.worker").fetchone()[0], signal.SIGKILL)
    wait_until(lambda: "process.buried" in up.output())
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        metrics = answer.read()
    up.send(signal.SIGTERM)
    up.exit_code()

    assert any(request.startswith("CONNECT places.googleapis.com") for request in asked)
    assert leaks(up.output()) == []
    assert leaks(dump(database)) == []
    assert leaks(metrics) == []
    assert leaks(shown) == []


def tried(db, *workflows):
    return (
        db.execute(TRIED, [list(workflows)]).fetchone()[0]
        or db.execute(
            "select count(*) from engine.workflow where name = any(%s) and blocked_reason is not null",
            [list(workflows)],
        ).fetchone()[0]
    )


@pytest.mark.parametrize("broker", BAD_BROKERS)
def test_a_broker_that_is_away_is_told_without_its_password(db, database, processes, broker):
    url = BAD_BROKERS[broker].format(port=free_port())
    up = processes.start("app.cli", "up", DATABASE_URL=database, BROKER_URL=url, SCRAPERSKY_PROCESSES="1")
    db.execute("insert into local_businesses (website_url, status) values ('https://smile.example/', 'Selected')")

    wait_until(lambda: "nudge.failed" in up.output(), timeout=60)
    shown = titles([up.pid, *up.children()])
    up.send(signal.SIGTERM)
    up.exit_code(timeout=40)

    assert leaks(up.output()) == []
    assert leaks(shown) == []


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_that_can_not_reach_the_database_says_so_without_the_password(command, processes):
    """Those at a prompt end with a line; services say it and wait."""
    running = processes.start(
        "app.cli",
        *command,
        DATABASE_URL=f"postgresql://user:{DATABASE}@127.0.0.1:{free_port()}/none",
        BROKER_URL=f"redis://:{BROKER}@127.0.0.1:{free_port()}/0",
    )

    wait_until(lambda: "refused" in running.output(), timeout=60)
    running.kill()

    assert leaks(running.output()) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", f"mysql://user:{DATABASE}@host/db"),
        ("DATABASE_URL", f"postgresql://user:{DATABASE}@host/db?wrong=option"),
        ("DATABASE_URL", f"host=db user=me password={DATABASE}"),
        ("LISTEN_DATABASE_URL", f"user:{LISTEN}@host"),
        ("BROKER_URL", f"kafka://user:{BROKER}@host"),
        ("BROKER_URL", f"redis:/:{BROKER}@host"),
        ("SCRAPERSKY_PROXY", f"socks5://user:{PROXY}@host:1"),
        ("SCRAPERSKY_PROXY", f"user:{PROXY}@host:1"),
    ],
)
def test_a_setting_that_is_refused_is_shown_without_its_secret(scrapersky, name, value):
    done = scrapersky("status", **{name: value})

    assert done.returncode == 2
    assert name in done.stderr
    assert leaks(done.stdout + done.stderr) == []


def test_psql_is_started_without_the_password_in_its_title(database, processes):
    url = with_password(database, DATABASE)
    psql = processes.start("app.cli", "psql", "-c", "select pg_sleep(30)", DATABASE_URL=url)
    (child,) = wait_until(psql.children)

    shown = wait_until(lambda: titles([psql.pid, child]) if b"psql\0" in titles([child]) else b"")
    os.kill(child, signal.SIGTERM)
    psql.exit_code()

    assert b"pg_sleep" in shown
    assert leaks(shown) == []
