"""The doctor beside a real `scrapersky up`: all well, a canary there and back, and repairs on request."""

import json
import re
import signal
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from app.doctor.patient import Limits
from app.doctor.registry import CHECKS
from tests.doctor_support import Doctor
from tests.process_support import wait_for_workers, wait_until
from tests.server_support import Redis
from tests.shared_database import shared_database
from tests.world_support import running_world

STEPS = r"there and back in \d+ ms: trigger \d+, doorbell \d+, nudge \d+, claim \d+, run \d+, record \d+"
READY = """
select 1 from engine.worker, engine.listener, pg_stat_activity
where listener.hears and datname = current_database() and application_name = 'scrapersky sweeper'
"""
TRACES = """
select (select count(*) from engine.canary), (select count(*) from engine.job where workflow = 'canary'),
       (select count(*) from engine.attempt where workflow = 'canary'),
       (select count(*) from engine.submission where workflow = 'canary'),
       (select count(*) from engine.workflow where name = 'canary')
"""


@pytest.fixture(scope="module")
def url(server, template):
    with shared_database(server, template, "doctor") as url:
        yield url


@pytest.fixture(scope="module")
def settings(url, tmp_path_factory):
    """A system to which nothing is missing: even Google is there, on loopback."""
    with running_world(tmp_path_factory.mktemp("world"), ()) as (proxy, certificates):
        yield {
            "DATABASE_URL": url,
            "GOOGLE_MAPS_API_KEY": "AIza" + "k" * 35,
            "SCRAPERSKY_PROXY": proxy.url,
            "SCRAPERSKY_CA_FILE": str(certificates),
            "SCRAPERSKY_PROCESSES": "1",
            "SCRAPERSKY_THREADS": "2",
            "SCRAPERSKY_KEEP_SUCCESSES": "true",
        }


@pytest.fixture(scope="module")
def up(url, settings, shared_processes):
    up = shared_processes.start("app.cli", "up", **settings)
    with psycopg.connect(url, autocommit=True) as connection:
        wait_until(lambda: connection.execute(READY).fetchone(), timeout=60)
    return up


@pytest.fixture
def user(url):
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def examination(scrapersky, settings):
    """The exit code and the findings by check."""

    def examine(*arguments, **changed):
        done = scrapersky("doctor", "--json", *arguments, **{**settings, **changed})
        told = json.loads(done.stdout)
        return done.returncode, told, {one["check"]: one for one in told["findings"]}

    return examine


def test_a_healthy_system_is_well_in_every_respect(up, examination, user):
    code, told, findings = examination()

    disk = findings.pop("disk")  # that of whoever runs the tests
    assert {one["check"]: one["seen"] for one in findings.values() if one["verdict"] != "ok"} == {}
    assert set(findings) | {"disk"} == {check.name for check in CHECKS}
    assert disk["seen"]
    assert code == (1 if told["verdict"] == "fail" else 0)
    assert re.fullmatch(STEPS, findings["canary"]["seen"])
    assert user.execute(TRACES).fetchone() == (0, 0, 0, 0, 0)


def test_several_doctors_at_once_do_not_meet(up, url, user):
    """Each sends a canary of its own, and the last to leave puts the light out."""
    doctors = [Doctor(url, Limits()) for _ in range(6)]

    with ThreadPoolExecutor(len(doctors)) as together:
        findings = list(together.map(lambda doctor: doctor.finding("canary"), doctors))

    assert [finding.seen for finding in findings if finding.verdict != "ok"] == []
    assert user.execute(TRACES).fetchone() == (0, 0, 0, 0, 0)


def test_the_canary_shows_in_no_listing_and_no_pause_of_everything_stops_it(up, url, user):
    user.execute("update engine.workflow set paused = true")

    finding = Doctor(url, Limits()).finding("canary")
    user.execute("update engine.workflow set paused = false")

    assert finding.verdict == "ok"
    assert user.execute("select count(*) from engine.overview").fetchone() == (7,)


def test_nothing_is_repaired_without_being_asked_and_all_that_is_safe_when_asked(up, examination, user):
    user.execute("alter table pages disable trigger engine_page_curation_update")
    user.execute("drop trigger engine_page_curation_insert on pages")
    user.execute("update engine.workflow set paused = true, paused_reason = 'holiday' where name = 'deep_scan'")

    looked, _, before = examination()
    still, _, again = examination()
    fixed, told, after = examination("--fix")
    everything, _, at_last = examination("--fix", "--yes")

    assert (looked, still, fixed) == (1, 1, 0)
    assert before["triggers"]["verdict"] == again["triggers"]["verdict"] == "fail"
    assert after["triggers"]["verdict"] == "ok"
    assert after["workflows"]["verdict"] == "warn"
    assert {one["text"]: one["done"] for one in told["fixed"]} == {
        "scrapersky migrate": True,
        'ALTER TABLE "pages" ENABLE TRIGGER "engine_page_curation_update";': True,
        "UPDATE engine.workflow SET paused = false WHERE name IN ('deep_scan');": False,
    }
    assert everything == 0
    assert at_last["workflows"]["verdict"] == "ok"


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_table_fits_the_terminal_and_a_repair_stays_on_one_line(up, scrapersky, settings, user, columns):
    user.execute("update engine.workflow set paused = true, paused_reason = %s where name = 'deep_scan'", ["why " * 40])

    done = scrapersky("doctor", **settings, COLUMNS=columns)
    user.execute("update engine.workflow set paused = false")

    repair = "UPDATE engine.workflow SET paused = false WHERE name IN ('deep_scan');"
    lines = done.stdout.splitlines()
    assert any(line.endswith(repair) for line in lines)
    assert max(len(line) for line in lines if repair not in line) <= int(columns)
    assert re.search(r"^  warn  workflows +deep_scan paused: why", done.stdout, re.MULTILINE)
    assert re.search(r"^27 checks in \d+\.\d s: ", lines[-1])


def test_mistakes_in_the_settings_are_findings_too(scrapersky, settings):
    done = scrapersky("doctor", **{**settings, "SCRAPERSKY_THREADS": "many"})

    assert done.returncode == 1
    assert "SCRAPERSKY_THREADS: expected a whole number" in done.stdout


def test_a_home_without_a_database_is_told_and_left_as_it_is(scrapersky, home):
    done = scrapersky("doctor", SCRAPERSKY_HOME=str(home))

    assert done.returncode == 1
    assert "there is no database in" in done.stdout
    assert list(home.iterdir()) == []


def test_yes_without_fix_is_a_mistake(scrapersky):
    done = scrapersky("doctor", "--yes")

    assert done.returncode == 2
    assert "--yes answers what --fix asks" in done.stderr


def test_a_canary_that_no_listener_passes_on_is_nudged_by_hand(database, db, processes):
    """Over Redis, with a worker and no listener."""
    with Redis() as redis:
        worker = processes.start("app.worker", DATABASE_URL=database, BROKER_URL=redis.url, SCRAPERSKY_THREADS="2")
        wait_for_workers(db, worker)

        finding = Doctor(database, broker_url=redis.url).finding("canary")

        worker.send(signal.SIGTERM)
        worker.exit_code()
    assert finding.verdict == "fail"
    assert finding.seen == "no listener passed the doorbell on; nudged by hand, a worker ran it"
    assert db.execute(TRACES).fetchone() == (0, 0, 0, 0, 0)
