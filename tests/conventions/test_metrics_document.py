"""docs/metrics.md lists every metric and every label value as the code declares them, and nothing else."""

import re
from collections.abc import Iterator
from pathlib import Path

from prometheus_client.metrics import MetricWrapperBase

from actors.parse.readers import NAMES
from app import metrics
from app.exposition import CONSTANTS
from app.figures import GAUGES, STATES, UNOWNED

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"
HEAD = "| metric | type | labels | meaning |\n|---|---|---|---|\n"

# What the code counts with; the words of `workflow` are the registry's, those of `version` and the schemas are open.
VALUES = {
    "outcome": metrics.VERDICTS,
    "state": (*STATES, "alive", "draining"),
    "kind": (*UNOWNED, *metrics.REPAIRS, *metrics.QUESTIONS),
    "reason": (*metrics.BLOCKS, "time_limit", "thread"),
    "result": ("rows", "empty", "sent", "failed", *metrics.FETCHED, *metrics.ANSWERS),
    "by": ("supervisor", "sweeper"),
    "table": metrics.CLEARED,
    "document": metrics.DOCUMENTS,
    "limit": metrics.LIMITS,
}


def test_the_table_is_what_the_code_declares():
    table = HEAD + "".join(f"{row}\n" for row in sorted(rows()))

    assert table in DOCUMENT.read_text(encoding="utf-8"), f"paste into docs/metrics.md:\n{table}"


def test_every_label_value_is_listed_where_its_label_is_explained():
    listed = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE))

    missing = {
        label: sorted(word for word in values if f"`{word}`" not in listed.get(label, ""))
        for label, values in VALUES.items()
    }

    assert not any(missing.values()), f"docs/metrics.md does not list {missing}"


def test_every_question_of_the_parsers_is_a_label():
    assert set(metrics.DOCUMENTS) == set(NAMES.values())


def test_names_follow_the_conventions_of_prometheus():
    for name, kind, labels, _ in declared():
        assert re.fullmatch(r"scrapersky_[a-z_]+", name)
        assert name.endswith("_total") == (kind == "counter")
        assert not re.search(r"_(?:ms|milliseconds|minutes|percent)\b", name)
        assert set(labels) <= {*VALUES, "workflow", "version", "engine", "tables"}


def rows() -> Iterator[str]:
    for name, kind, labels, meaning in declared():
        yield f"| `{name}` | {kind} | {', '.join(labels)} | {meaning} |"


def declared() -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    for metric in vars(metrics).values():
        if isinstance(metric, MetricWrapperBase):
            (described,) = metric.describe()
            ending = "_total" if described.type == "counter" else ""
            yield described.name + ending, described.type, metric._labelnames, described.documentation  # noqa: SLF001 - its only place
    for name, described in {**CONSTANTS, **GAUGES}.items():
        yield name, "gauge", described.labels, described.meaning
