"""The rules and the dashboard speak of what is there: a real run in the demo world, scraped by a real Prometheus."""

import json
import os
import re
import signal
import urllib.parse
import urllib.request
from itertools import chain
from pathlib import Path

import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.demo.stack import HURRIED
from app.demo.world.listing import TOWN
from tests.process_support import free_port, registered, wait_until
from tests.server_support import Server, program
from tests.shared_database import shared_database
from tests.world_support import running_world

ROOT = Path(__file__).parents[2]
RULES = ROOT / "deploy" / "prometheus" / "alerts.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "dashboards" / "scrapersky.json"

NAME = re.compile(r"\bscrapersky_\w+")
SELECTOR = re.compile(r"\b(scrapersky_\w+)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)\s*(=~|=)\s*"([^"]*)"')

SEARCH = "insert into place_searches (business_type, location, status) values ('dentist', %s, 'pending')"
HURRY = "update engine.workflow set max_in_flight = 8, per_minute = 10000, per_day = 1000000, max_attempts = 2"
PAGES = "select count(*) from pages where page_processing_status = 'Complete'"


class Prometheus(Server):
    """Reads the rules that we ship, and scrapes one target every half second."""

    def __init__(self, target: int) -> None:
        self.program = program("prometheus", "prometheus")
        super().__init__()
        self.port = free_port()
        (self.directory / "prometheus.yml").write_text(
            f"""
            global: {{scrape_interval: 500ms, evaluation_interval: 500ms}}
            rule_files: ["{RULES}"]
            scrape_configs: [{{job_name: scrapersky, static_configs: [{{targets: ["127.0.0.1:{target}"]}}]}}]
            """
        )

    def command(self):
        return (
            self.program,
            f"--config.file={self.directory}/prometheus.yml",
            f"--storage.tsdb.path={self.directory}/data",
            f"--web.listen-address=127.0.0.1:{self.port}",
        )

    def check(self):
        self.get("/-/ready")

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}?{query}", timeout=5) as answer:
            return answer.read()

    def ask(self, expression):
        answer = json.loads(self.get("/api/v1/query", query=expression))
        assert answer["status"] == "success"
        return answer["data"]["result"]

    def rules(self):
        groups = json.loads(self.get("/api/v1/rules"))["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]


@pytest.fixture(scope="module")
def port(server, template, shared_processes, tmp_path_factory):
    """Where a real `scrapersky up` serves its metrics, after a search went to its contacts and a worker was killed."""
    port = free_port()
    with (
        shared_database(server, template, "monitoring") as url,
        running_world(tmp_path_factory.mktemp("world")) as (proxy, certificates),
        psycopg.connect(url, autocommit=True) as user,
    ):
        environment = {
            **HURRIED,
            "DATABASE_URL": url,
            "SCRAPERSKY_METRICS_PORT": str(port),
            "SCRAPERSKY_PROXY": proxy.url,
            "SCRAPERSKY_CA_FILE": str(certificates),
        }
        user.execute(HURRY)
        shared_processes.start("app.cli", "up", **environment)
        user.execute(SEARCH, [TOWN])
        wait_until(lambda: user.execute(PAGES).fetchone()[0] >= 5, timeout=120)
        victim = registered(user)[0]
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: victim not in registered(user) and len(registered(user)) == 2)
        yield port
        shared_processes.end_all()


@pytest.fixture(scope="module")
def scrape(port):
    """Every sample: its name and its labels, with the value."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    return [sample for family in families for sample in family.samples]


@pytest.fixture(scope="module")
def prometheus(port):
    with Prometheus(port) as prometheus:
        wait_until(lambda: len(prometheus.ask("count_over_time(scrapersky_database_up[1m]) > 3")) == 1, timeout=30)
        yield prometheus


def expressions():
    """What the dashboard asks Prometheus, by panel."""
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", ())]


def questions():
    return [RULES.read_text(encoding="utf-8"), *(expression for _, expression in expressions())]


def test_every_metric_that_the_rules_or_the_dashboard_name_is_in_a_scrape(scrape):
    named = set(chain.from_iterable(map(NAME.findall, questions())))

    missing = named - {sample.name for sample in scrape}

    assert len(named) > 20
    assert not missing, f"no process serves {', '.join(sorted(missing))}"


def test_every_label_value_that_they_name_is_in_a_scrape(scrape):
    wanted = {
        (name, label, value)
        for name, matchers in chain.from_iterable(map(SELECTOR.findall, questions()))
        for label, _, values in MATCHER.findall(matchers)
        for value in values.split("|")
        if value != "$workflow"
    }
    there = {(sample.name, label, value) for sample in scrape for label, value in sample.labels.items()}

    assert len(wanted) > 5
    assert not wanted - there


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        *(
            ("scrapersky_attempts_total", {"workflow": workflow, "outcome": "completed"})
            for workflow in ("place_search", "deep_scan", "domain_extraction", "domain_metadata", "page_curation")
        ),
        ("scrapersky_wait_seconds_count", {"workflow": "page_curation"}),
        ("scrapersky_work_seconds_count", {"workflow": "page_curation"}),
        ("scrapersky_claims_total", {"result": "rows"}),
        ("scrapersky_doorbells_total", {}),
        ("scrapersky_nudges_total", {"result": "sent"}),
        ("scrapersky_listener_echo_seconds_count", {}),
        ("scrapersky_workers_buried_total", {"by": "supervisor"}),
        ("scrapersky_fetches_total", {"workflow": "domain_metadata", "result": "ok"}),
        ("scrapersky_fetch_blocks_total", {}),
        ("scrapersky_places_calls_total", {"kind": "search", "result": "ok"}),
        ("scrapersky_places_calls_total", {"kind": "details", "result": "ok"}),
        ("scrapersky_places_cost_units_total", {"kind": "details"}),
        ("scrapersky_last_sweep_timestamp_seconds", {"workflow": "page_curation"}),
        ("scrapersky_budget_used_ratio", {"workflow": "deep_scan"}),
    ],
)
def test_what_happened_was_counted(scrape, name, labels):
    counted = [one.value for one in scrape if one.name == name and labels.items() <= one.labels.items()]

    assert sum(counted) > 0


def test_prometheus_evaluates_every_rule_and_nothing_fires_in_a_healthy_run(prometheus):
    wait_until(lambda: all(rule["health"] != "unknown" for rule in prometheus.rules()), timeout=30)

    rules = prometheus.rules()

    assert len(rules) > 15
    assert {rule["health"] for rule in rules} == {"ok"}
    assert [rule["name"] for rule in rules if rule["state"] == "firing"] == []


@pytest.mark.parametrize(("panel", "expression"), expressions(), ids=lambda value: value[:40])
def test_every_question_of_the_dashboard_has_an_answer(prometheus, panel, expression):
    asked = expression.replace("$__rate_interval", "1m").replace("$workflow", ".+")

    assert prometheus.ask(asked), f"{panel} shows nothing"
