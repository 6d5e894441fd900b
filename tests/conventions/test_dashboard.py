"""The Grafana dashboard is a file that Grafana takes: no panel twice or over another, all from one Prometheus."""

import json
from itertools import combinations
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "deploy" / "grafana" / "dashboards" / "scrapersky.json"
COLUMNS = 24


@pytest.fixture(scope="module")
def dashboard():
    return json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def panels(dashboard):
    return dashboard["panels"]


def test_every_panel_has_an_id_and_a_title_of_its_own(panels):
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({panel["title"] for panel in panels}) == len(panels)


def test_panels_stand_side_by_side(panels):
    places = [panel["gridPos"] for panel in panels]

    assert all(place["x"] >= 0 and place["x"] + place["w"] <= COLUMNS for place in places)
    assert [pair for pair in combinations(places, 2) if overlap(*pair)] == []


def overlap(one, other):
    return (
        one["x"] < other["x"] + other["w"]
        and other["x"] < one["x"] + one["w"]
        and one["y"] < other["y"] + other["h"]
        and other["y"] < one["y"] + one["h"]
    )


def test_every_question_goes_to_the_prometheus_that_was_chosen(dashboard, panels):
    asked = [target["datasource"]["uid"] for panel in panels for target in panel.get("targets", ())]

    assert set(asked) == {"${datasource}"}
    assert [variable["name"] for variable in dashboard["templating"]["list"]] == ["datasource", "workflow"]


def test_every_panel_that_draws_has_a_unit_and_a_legend_for_each_line(panels):
    drawing = [panel for panel in panels if panel["type"] == "timeseries"]

    assert len(drawing) > 20
    assert all(panel["fieldConfig"]["defaults"]["unit"] for panel in drawing)
    assert all(target["legendFormat"] for panel in drawing for target in panel["targets"])
