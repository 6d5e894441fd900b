"""The demo from a fresh home: good contacts, good manners, and a second run that changes nothing."""

import io
import secrets
import shutil
import signal
import tempfile
import urllib.request
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest
from rich.console import Console

from actors.parse.domains import registrable_domain
from app.demo.run import Demo
from app.demo.visits import Visits
from app.demo.world import SITES
from app.demo.world.site import Site
from db.embedded import EmbeddedPostgres
from tests.process_support import Processes, free_port, processes_in, wait_until

pytestmark = pytest.mark.timeout(400)  # two whole runs of the demo, on a machine that has other work

PAUSE = 0.05
WIDE = 100
TOKEN = secrets.token_hex(16)


class FirstRun:
    def __init__(self, home) -> None:
        self.home = home
        self.screen = io.StringIO()
        self.demo = Demo(home, Console(file=self.screen, width=WIDE))
        self.code = self.demo.run(keep=False)

    @property
    def visits(self) -> Visits:
        return self.demo.visits


@pytest.fixture(scope="module")
def first():
    # Not tmp_path: that is closed to the user who runs Postgres when root runs the tests.
    state = Path(tempfile.mkdtemp(prefix="scrapersky-demo-"))
    state.chmod(0o711)
    yield FirstRun(state / "demo")
    EmbeddedPostgres(state / "demo").stop()
    shutil.rmtree(state)


def test_the_demo_finds_the_contacts_of_its_world(first):
    assert first.code == 0, first.screen.getvalue()


def test_every_workflow_shows_what_it_did(first):
    shown = first.screen.getvalue()

    for workflow in ("place_search", "deep_scan", "domain_extraction", "domain_metadata", "sitemap_discovery"):
        assert workflow in shown
    assert "precision" in shown
    assert str(first.home / "up.log") in shown.replace("\n", "")


@pytest.mark.parametrize("site", [site for site in SITES if site.forbidden], ids=lambda site: site.domain)
def test_nothing_is_fetched_that_robots_txt_forbids(first, site):
    asked = [visit.path for visit in visits_to(first, site) if not visit.is_robots]

    assert [path for path in asked if path.startswith(site.forbidden)] == []


@pytest.mark.parametrize("site", [site for site in SITES if not site.refuses], ids=lambda site: site.domain)
def test_robots_txt_is_read_before_anything_else(first, site):
    visits = [visit for visit in visits_to(first, site) if visit.host == site.host]

    assert visits == [] or visits[0].is_robots


def test_a_host_is_asked_for_one_thing_at_a_time_with_a_pause_between(first):
    hurried = {
        host: (before.path, after.path)
        for host, visits in first.visits.by_host().items()
        for before, after in pairwise(visits)
        if host != "places.googleapis.com" and after.began - before.ended < PAUSE
    }

    assert hurried == {}


def test_a_crawl_delay_is_kept(first):
    visits = first.visits.by_host()["mill-lane-bistro.co.uk"]

    gaps = [after.began - before.ended for before, after in pairwise(visits)]

    assert len(gaps) > 2
    assert min(gaps[1:]) >= 1  # nobody knows of the delay before the robots.txt is read


def test_every_visitor_says_who_it_is(first):
    agents = {visit.agent for visit in first.visits.all()}

    assert len(agents) == 1
    assert "ScraperSky" in agents.pop()


def test_nobody_was_led_out_of_the_world(first):
    domains = {registrable_domain(host) for host in first.visits.nowhere}

    assert domains == {"gone-with-the-drain.com", "shutters-down-diner.com"}


def test_a_second_run_on_the_same_state_changes_nothing(first, tmp_path):
    with processes_in(tmp_path) as processes:
        again = run_again(processes, first)

    assert again.exit_code() == 0, again.output()
    assert "nothing changed since the last run" in again.output()
    assert not EmbeddedPostgres(first.home).is_running()


def test_the_domains_of_the_world_say_what_became_of_them(first):
    with EmbeddedPostgres(first.home).use() as url, psycopg.connect(url) as connection:
        rows = connection.execute("select domain, status, status_error, is_parked, alias_of from domains").fetchall()
    became = {domain: (status, error, parked, alias) for domain, status, error, parked, alias in rows}

    assert became["bellweather-dental.com"][2] is True
    assert became["grandpiazza-ristorante.com"][2] is True
    assert became["old-harbor-dental.com"][3] == "harbor-dental-group.com"
    assert "169.254.169.254" in became["hightower-pipes.com"][1]
    assert all(error for _, (status, error, _, _) in became.items() if status == "error")


def test_ctrl_c_stops_everything(processes, home):
    demo = processes.start("app.cli", "demo", SCRAPERSKY_HOME=str(home))
    wait_until(lambda: "asked for" in demo.output(), timeout=60)

    demo.send(signal.SIGINT)

    assert demo.exit_code(timeout=60) == 130
    assert "Traceback" not in demo.output()
    assert not EmbeddedPostgres(home / "demo").is_running()


def test_the_settings_of_dashboard_and_metrics_hold_in_the_demo_too(home, processes):
    web, metrics = str(free_port()), str(free_port())
    looking = {"SCRAPERSKY_WEB_PORT": web, "SCRAPERSKY_METRICS_PORT": metrics, "SCRAPERSKY_WEB_TOKEN": TOKEN}
    demo = processes.start("app.cli", "demo", "--keep", SCRAPERSKY_HOME=str(home), **looking)

    wait_until(lambda: "scrapersky_build_info" in answer(f"http://127.0.0.1:{metrics}/metrics"), timeout=60)
    wait_until(lambda: 'name="token"' in answer(f"http://127.0.0.1:{web}/sign-in"), timeout=60)

    assert f"watch it at http://127.0.0.1:{web}/" in demo.output()
    assert TOKEN not in demo.output()
    demo.send(signal.SIGINT)
    assert demo.exit_code(timeout=60) == 130


def answer(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:  # noqa: S310 - our own server
            return response.read().decode()
    except OSError:
        return ""


def visits_to(run: FirstRun, site: Site):
    hosts = run.visits.by_host()
    return sorted((visit for host in site.hosts for visit in hosts.get(host, [])), key=lambda visit: visit.began)


def run_again(processes: Processes, first: FirstRun):
    again = processes.start("app.cli", "demo", SCRAPERSKY_HOME=str(first.home.parent))
    again.exit_code(timeout=200)
    return again
