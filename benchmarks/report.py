"""The report: all values in a JSON file, and tables and plots between the markers of docs/benchmarks.md."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.goals import judged
from benchmarks.plot import svg
from benchmarks.section import Plot, Section

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCUMENT = ROOT / "docs" / "benchmarks.md"
KEPT = ROOT / "docs" / "benchmarks.json"
SHORT = ("ScraperSky", "PgQueuer", "awa", "pgbench")
CRAWL = ("pages/s", "CPU ms/page, all but origin", "transactions/page")
IMAGES = ROOT / "docs" / "images" / "benchmarks"


def write(name: str, section: Section, machine: dict[str, str]) -> None:
    """Put one section in the place of its last figures; the others stay."""
    kept = read()
    kept["sections"][name] = {**json.loads(json.dumps(asdict(section))), "machine": machine}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    text = _filled(DOCUMENT.read_text(), name, _markdown(section, machine))
    text = _filled(text, "goals", _table(["", "to reach", "reached"], judged(_values(kept))))
    DOCUMENT.write_text(text)
    if {"rows", "pickup", "trigger", "crawl"} <= kept["sections"].keys():
        README.write_text(_filled(README.read_text(), "summary", summary(kept["sections"])))
    IMAGES.mkdir(parents=True, exist_ok=True)
    for plot in section.plots:
        _image(plot).write_text(svg(plot))


def read() -> dict[str, Any]:
    return json.loads(KEPT.read_text()) if KEPT.exists() else {"sections": {}}


def summary(sections: dict[str, Any]) -> str:
    """What the README tells: rows and pages a second beside the nearest peers, and what users notice."""
    crawl, pickup, trigger = sections["crawl"], sections["pickup"]["values"], sections["trigger"]["values"]
    rows = [row[:3] for row in sections["rows"]["rows"] if row[0].partition(",")[0] in SHORT]
    half, most = pickup["at idle, p50"], pickup["at idle, p99"]
    sentence = (
        f"Pickup at idle, from commit to start: p50 {half:.1f} ms, p99 {most:.1f} ms."
        f" With our trigger 16 clients who queue single rows make {trigger['single, 16']:.2f} of the commits that they "
        f"make without it, and one UPDATE that queues 100,000 rows takes {trigger['bulk']:.2f} times as long."
    )
    return "\n\n".join(
        [
            _table(["rows/s", *sections["rows"]["head"][1:3]], rows),
            _table(["crawl", *crawl["head"][1:]], [row for row in crawl["rows"] if row[0] in CRAWL]),
            sentence,
        ]
    )


def _values(kept: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {name: section["values"] for name, section in kept["sections"].items()}


def _markdown(section: Section, machine: dict[str, str]) -> str:
    plots = [f"![{plot.title}](images/benchmarks/{_image(plot).name})" for plot in section.plots]
    where = "; ".join(f"{name} {value}" for name, value in machine.items())
    return "\n\n".join(
        [f"**{section.title}**", _table(section.head, section.rows), *section.notes, *plots, f"_{where}_"]
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _filled(text: str, name: str, content: str) -> str:
    marks = re.compile(rf"(<!-- figures: {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not marks.search(text):
        raise LookupError(f"{DOCUMENT.name} has no place for {name}: <!-- figures: {name} -->")
    return marks.sub(lambda found: f"{found[1]}{content}\n{found[2]}", text)


def _image(plot: Plot) -> Path:
    return IMAGES / f"{plot.name}.svg"
