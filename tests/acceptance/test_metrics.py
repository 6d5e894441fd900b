"""/metrics of `scrapersky up`: the counters of all its processes together, and the queue as the database sees it."""

import os
import shutil
import signal
import socket
import tempfile
import time
import urllib.request
from pathlib import Path

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from db.embedded import EmbeddedPostgres
from tests.process_support import free_port, processes_in, registered, wait_until

WORKFLOW = {"workflow": "domain_extraction"}
COMPLETED = ("scrapersky_attempts_total", "completed", "domain_extraction")
BURIED = ("scrapersky_workers_buried_total", "supervisor")
QUEUE_ALL = "update local_businesses set domain_extraction_status = 'Queued'"
RUNNING = "select count(*) from engine.job where token is not null"
LEFT = "select count(*) from local_businesses where domain_extraction_status is distinct from 'Completed'"
ADD = """
insert into local_businesses (business_name, website_url)
select 'business ' || n, 'https://www.site' || n || '.com' from generate_series(1, %s) as n
"""


@pytest.fixture(scope="module")
def home():
    directory = Path(tempfile.mkdtemp(prefix="scrapersky-home-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="module")
def port(home, tmp_path_factory):
    """The port of a real `scrapersky up` with an embedded database."""
    port = free_port()
    with processes_in(tmp_path_factory.mktemp("up")) as processes:
        up = processes.start(
            "app.cli",
            "up",
            SCRAPERSKY_HOME=str(home),
            SCRAPERSKY_METRICS_PORT=str(port),
            SCRAPERSKY_PROCESSES="2",
            SCRAPERSKY_THREADS="2",
        )
        wait_until(lambda: "Ctrl-C drains" in up.output(), timeout=60)
        yield port


@pytest.fixture
def user(home, port):
    with psycopg.connect(EmbeddedPostgres(home).url, autocommit=True) as connection:
        wait_until(lambda: connection.execute("select count(*) from engine.worker").fetchone() == (2,))
        connection.execute("update engine.workflow set paused = name <> 'domain_extraction'")
        wait_until(lambda: connection.execute(RUNNING).fetchone() == (0,))
        for table in ("domains", "local_businesses", "engine.job"):  # a TRUNCATE may meet the sweeper in a deadlock
            connection.execute(f"delete from {table}")
        yield connection


def complete(user, count):
    user.execute(ADD, [count])
    user.execute(QUEUE_ALL)
    wait_until(lambda: user.execute(LEFT).fetchone() == (0,))


def lose_a_claim(user):
    """A row in progress on a worker that nobody knows, for the sweeper to rescue."""
    user.execute("update engine.workflow set paused = true where name = 'domain_extraction'")
    user.execute(ADD, [1])
    user.execute(QUEUE_ALL)
    with user.transaction():
        user.execute("update engine.job set token = gen_random_uuid(), worker_id = gen_random_uuid(), attempt = 1")
        user.execute("update local_businesses set domain_extraction_status = 'Processing'")
    user.execute("update engine.workflow set paused = false where name = 'domain_extraction'")
    wait_until(lambda: user.execute(LEFT).fetchone() == (0,))


def scrape(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def counters(port):
    """All that may only grow, by name and labels."""
    return {
        (one.name, *sorted(one.labels.values())): one.value
        for one in scrape(port)
        if one.name.endswith(("_total", "_count", "_sum", "_bucket"))
    }


def not_below(before, now):
    fallen = {key: (value, now.get(key)) for key, value in before.items() if now.get(key, 0) < value}
    assert not fallen
    return now


def total(samples, name, **labels):
    """The sum over all series of that name with those labels."""
    return sum(one.value for one in samples if one.name == name and labels.items() <= one.labels.items())


def test_the_counters_add_up_over_all_processes(user, port):
    wait_until(lambda: total(scrape(port), "scrapersky_listener_connected") > 0)
    before = scrape(port)

    complete(user, 300)
    completed = {"outcome": "completed", **WORKFLOW}
    attempts = "scrapersky_attempts_total"
    wait_until(lambda: total(scrape(port), attempts, **completed) == total(before, attempts, **completed) + 300)
    after = scrape(port)

    for histogram in ("scrapersky_wait_seconds_count", "scrapersky_work_seconds_count"):
        assert total(after, histogram, **WORKFLOW) == total(before, histogram, **WORKFLOW) + 300
    for counter in ("scrapersky_doorbells_total", "scrapersky_nudges_total"):
        assert total(after, counter, **WORKFLOW) > total(before, counter, **WORKFLOW)


def test_a_rescue_is_counted_once_by_the_sweeper(user, port):
    before = scrape(port)

    lose_a_claim(user)
    wait_until(lambda: total(scrape(port), "scrapersky_swept_total") > total(before, "scrapersky_swept_total"))
    after = scrape(port)

    for counter, labels in (
        ("scrapersky_rescues_total", {"outcome": "retried"}),
        ("scrapersky_swept_total", {"kind": "lost_claims"}),
    ):
        assert total(after, counter, **labels, **WORKFLOW) == total(before, counter, **labels, **WORKFLOW) + 1
    wait_until(lambda: total(scrape(port), "scrapersky_last_sweep_timestamp_seconds", **WORKFLOW) > time.time() - 60)


def test_every_process_with_a_listener_is_counted_as_connected(user, port):
    wait_until(lambda: total(scrape(port), "scrapersky_listener_connected") == 2)

    wait_until(lambda: total(scrape(port), "scrapersky_workers", state="alive") == 2)
    assert total(scrape(port), "scrapersky_listeners") == 2
    assert total(scrape(port), "scrapersky_listener_echo_seconds_count") >= 2
    assert total(scrape(port), "scrapersky_database_up") == 1


def test_rows_are_shown_by_state_and_the_oldest_by_its_age(user, port):
    user.execute("update engine.workflow set paused = true where name = 'domain_extraction'")
    user.execute(ADD, [7])
    user.execute(QUEUE_ALL)
    user.execute("update engine.job set run_at = now() - interval '1 hour'")

    wait_until(lambda: total(scrape(port), "scrapersky_rows", state="ready", **WORKFLOW) == 7)
    samples = scrape(port)
    user.execute("update engine.workflow set paused = false where name = 'domain_extraction'")

    assert total(samples, "scrapersky_rows", state="running", **WORKFLOW) == 0
    assert 3600 <= total(samples, "scrapersky_oldest_ready_seconds", **WORKFLOW) < 3700
    assert total(samples, "scrapersky_paused", **WORKFLOW) == 1


def test_what_a_killed_process_had_counted_stays_and_no_counter_ever_goes_back(user, port):
    begun = counters(port)[COMPLETED]
    complete(user, 200)
    wait_until(lambda: counters(port)[COMPLETED] == begun + 200)
    seen = counters(port)

    for victim in registered(user):
        os.kill(victim, signal.SIGKILL)
        while victim in registered(user) or len(registered(user)) < 2:
            seen = not_below(seen, counters(port))
    wait_until(lambda: total(scrape(port), "scrapersky_listener_connected") == 2)
    complete(user, 50)

    wait_until(lambda: counters(port)[COMPLETED] == begun + 200 + 250)
    assert not_below(seen, counters(port))[BURIED] >= 2
    assert total(scrape(port), "scrapersky_listeners") == 2


def test_the_metrics_are_bound_to_one_address_of_the_loopback(port):
    socket.create_connection(("127.0.0.1", port), timeout=5).close()

    # Bound to all addresses, it would answer on this one too.
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=5)
