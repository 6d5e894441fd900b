"""The report of the benchmarks: each part fills its own place, goals are judged by what was measured."""

import json

import pytest

from benchmarks import report
from benchmarks.quick import LIMITS, beyond
from benchmarks.section import Plot, Section, middle, ratio

DOCUMENT = """# Benchmarks
<!-- figures: goals -->
<!-- end of goals -->
before
<!-- figures: pickup -->
old
<!-- end of pickup -->
between
<!-- figures: rows -->
kept
<!-- end of rows -->
"""
PICKUP = Section(
    "Pickup",
    ["", "p50"],
    rows=[["at idle", "1.4"]],
    values={"at idle, p50": 1.4, "at idle, p99": 2.9},
    plots=[Plot("pickup", "pickup", "ms", bars={"ours": 1.4, "a <peer>": 20.0})],
)


@pytest.fixture
def document(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "DOCUMENT", tmp_path / "benchmarks.md")
    monkeypatch.setattr(report, "KEPT", tmp_path / "benchmarks.json")
    monkeypatch.setattr(report, "IMAGES", tmp_path / "images")
    report.DOCUMENT.write_text(DOCUMENT)
    return report.DOCUMENT


def test_a_part_takes_the_place_of_its_last_figures_and_leaves_the_others(document):
    report.write("pickup", PICKUP, {"Postgres": "18"})

    written = document.read_text()
    assert "| at idle | 1.4 |" in written
    assert "old" not in written
    assert "kept" in written
    assert "_Postgres 18_" in written
    assert "| pickup at idle, p50 / p99 | <= 1.5 / <= 3 ms | 1.4 / 2.9 ms |" in written
    assert json.loads(report.KEPT.read_text())["sections"]["pickup"]["values"]["at idle, p50"] == 1.4
    assert "a &lt;peer&gt;" in (report.IMAGES / "pickup.svg").read_text()


def test_a_part_without_a_place_in_the_document_is_an_error(document):
    with pytest.raises(LookupError, match="no place for trigger"):
        report.write("trigger", PICKUP, {})


def test_the_place_for_every_part_is_in_the_document():
    written = report.DOCUMENT.read_text()

    from benchmarks.run import SECTIONS  # noqa: PLC0415 - it imports every benchmark

    assert [name for name in SECTIONS if f"<!-- figures: {name} -->" not in written] == []


def test_medians_and_ratios_are_those_of_rounds():
    assert middle([3.0, 1.0, 2.0], ".1f", "s") == "2.0 s (1.0 to 3.0)"
    assert ratio([1.0, 2.0, 9.0], [2.0, 2.0, 3.0]) == 1.0


def test_a_figure_beyond_its_limit_is_named():
    figures = dict.fromkeys(LIMITS, 1.0) | {"crawl: pages lost": 0.0, "crawl: pages fetched twice": 0.0}
    figures["no-op row: transactions"] = 0.05

    assert beyond(figures) == []
    assert beyond(figures | {"no-op row: transactions": 1.02}) == ["no-op row: transactions"]
