"""The alert rules, judged by Prometheus' own tool: valid, and firing in their situation and in no other."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.server_support import program

ROOT = Path(__file__).parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
ALERTS = re.findall(r"- alert: (\w+)", (PROMETHEUS / "alerts.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def promtool():
    return program("promtool", "prometheus")


@pytest.mark.parametrize(
    "command",
    [("check", "config", "prometheus.yml"), ("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")],
    ids=" ".join,
)
def test_prometheus_own_tool_agrees(promtool, command):
    told = subprocess.run([promtool, *command], cwd=PROMETHEUS, capture_output=True, text=True, check=False)

    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_is_tested_where_it_fires_and_where_it_does_not(alert):
    cases = (PROMETHEUS / "alerts_test.yml").read_text(encoding="utf-8")

    expected = re.findall(rf"alertname: {alert}\n\s+eval_time: \w+\n\s+exp_alerts:(.*)\n", cases)

    assert "" in expected, f"no case in alerts_test.yml in which {alert} fires"
    assert " []" in expected, f"no case in alerts_test.yml in which {alert} stays quiet"


@pytest.mark.parametrize("alert", ALERTS)
def test_the_document_says_what_to_do_about_an_alert(alert):
    document = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")

    assert f"| `{alert}` |" in document, f"docs/metrics.md: add a row | `{alert}` | what it means | what to do |"
