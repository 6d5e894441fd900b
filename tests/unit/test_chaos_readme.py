"""The figures of a run in a document: between the marks, and nowhere else."""

import pytest

from tests.chaos import readme
from tests.chaos.verdict import VIOLATIONS

TOLD = {
    "date": "2026-01-02T03:04:05+00:00",
    "seed": 7,
    "minutes": 5.0,
    "rows": 123456,
    "requests": 130000,
    "kill -9": 555,
    "SIGSTOP": 125,
    "commits in doubt": 170,
    "interpreter held": 30,
    "frozen processes replaced": 80,
    "Postgres crashes": 24,
    "broker flushes": 130,
    **dict.fromkeys(VIOLATIONS, 0),
    "refused": 9,
    "false_deaths": 0,
    "recovery_p50": 0.2,
    "recovery_p99": 1.9,
}


def test_figures_replace_the_old_ones_and_leave_the_rest_alone(tmp_path):
    document = tmp_path / "README.md"
    document.write_text(f"before\n{readme.BEGIN}\nold figures\n{readme.END}\nafter\n")

    readme.write(TOLD, document)
    readme.write(TOLD, document)

    text = document.read_text()
    assert text.startswith(
        f"before\n{readme.BEGIN}\n| 2026-01-02, seed 7, 5 minutes | |\n|---|---|\n| rows | 123,456 |\n"
    )
    assert text.endswith(f"p50 0.20 s, p99 1.90 s |\n{readme.END}\nafter\n")
    assert "old figures" not in text
    assert "| **lost** | **0** |" in text


def test_a_document_without_a_place_for_figures_is_refused_and_left_alone(tmp_path):
    document = tmp_path / "README.md"
    document.write_text("nothing here\n")

    with pytest.raises(SystemExit, match="no place for the figures"):
        readme.write(TOLD, document)

    assert document.read_text() == "nothing here\n"
