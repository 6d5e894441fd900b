"""A workflow as a stage of the pipeline: its figures, its state in one word, and the reason when it stands still."""

from dataclasses import dataclass
from typing import Any

from actors._workflow import Workflow
from app.web.charts import Bar, only, peak, stacked, steps
from app.web.counts import CONTACTS, Count
from app.web.labels import labels
from app.web.reader import Reader
from db.statements import statements

SQL = statements("dashboard/pipeline.sql")

SPARK_MINUTES = 60
SPARK_WIDTH, SPARK_HEIGHT = 240, 36
KEPT_SECONDS = 1.0
TROUBLES = 8

# What a stage makes of what; the words are those that people use.
PASSAGES = {
    "place_search": ("searches", "places"),
    "deep_scan": ("places", "businesses"),
    "domain_extraction": ("businesses", "domains"),
    "domain_metadata": ("domains", "metadata"),
    "sitemap_discovery": ("domains", "sitemaps"),
    "sitemap_import": ("sitemaps", "pages"),
    "page_curation": ("pages", "contacts"),
}


@dataclass(frozen=True)
class State:
    word: str
    kind: str
    """working, idle, waiting, limited, paused or stuck: the class that gives it colour and shape."""

    reason: str | None = None


@dataclass(frozen=True)
class Spark:
    bars: list[Bar]
    peak: float
    last: float
    completed: float
    troubled: float


@dataclass(frozen=True)
class Stage:
    number: int
    workflow: Workflow
    figures: dict[str, Any]
    done: Count | None
    state: State
    spark: Spark

    @property
    def name(self) -> str:
        return self.workflow.name

    @property
    def passage(self) -> tuple[str, str]:
        return PASSAGES.get(self.name, (self.workflow.source.name, ""))

    @property
    def done_rows(self) -> int | None:
        return self.done.words.get(self.workflow.words.done, 0) if self.done else None


@dataclass(frozen=True)
class Pipeline:
    stages: list[Stage]
    contacts: Count | None
    workers: dict[str, int]
    troubles: list[dict[str, Any]]

    @property
    def is_empty(self) -> bool:
        """Known to have no row in any table."""
        counts = [*(stage.done for stage in self.stages), self.contacts]
        return all(count is not None and count.rows == 0 for count in counts)


def read_pipeline(reader: Reader) -> Pipeline:
    return reader.kept("pipeline", KEPT_SECONDS, lambda: _read(reader))


def _read(reader: Reader) -> Pipeline:
    overview = {row["workflow"]: row for row in reader.rows(SQL["overview"])}
    rates = reader.rows(SQL["rates"], workflows=list(reader.workflows))
    workers = reader.row(SQL["workers"]) or {"alive": 0, "draining": 0}
    counts = reader.counts.get()
    known = [workflow for workflow in reader.workflows.values() if workflow.name in overview]
    stages = []
    for number, workflow in enumerate(known, start=1):
        figures = overview[workflow.name]
        spark = _spark([row for row in rates if row["workflow"] == workflow.name])
        state = state_of(figures, alive=workers["alive"], busy=spark.last > 0)
        stages.append(Stage(number, workflow, figures, counts.get(workflow.name), state, spark))
    return Pipeline(stages, counts.get(CONTACTS), workers, _troubles(reader))


def _troubles(reader: Reader) -> list[dict[str, Any]]:
    """With the name of each row, as people know it."""
    rows = [row for row in reader.rows(SQL["troubles"], rows=TROUBLES) if row["workflow"] in reader.workflows]
    for workflow in {row["workflow"] for row in rows}:
        mine = [row for row in rows if row["workflow"] == workflow]
        names = labels(reader, reader.workflows[workflow].source, [row["pk"] for row in mine])
        for row in mine:
            row["name"] = names.get(row["pk"])
    return rows


def state_of(figures: dict[str, Any], *, alive: int, busy: bool) -> State:
    """One word, the most important first."""
    if figures["paused_by_hand"]:
        return State("paused", "paused", figures["paused_reason"] or "no reason was given")
    if figures["paused"]:
        return State("stopped itself", "paused", figures["paused_reason"])
    if figures["ready"] and not alive:
        return State("no worker", "stuck", "rows are due and no worker process is alive; start one: scrapersky work")
    if limit := _limit(figures):
        return State("at its limit", "limited", limit)
    if figures["running"] or (busy and figures["ready"]):
        return State("working", "working")
    return State("waiting", "waiting") if figures["ready"] or figures["delayed"] else State("idle", "idle")


def _limit(figures: dict[str, Any]) -> str | None:
    """The limit that keeps due rows from being started, if one does."""
    at_once, daily = figures["max_in_flight"], figures["per_day"]
    if at_once == 0:
        return "max_in_flight is 0: nothing is started"
    if daily is not None and (figures["used_today"] or 0) >= daily:
        return f"the day's budget of {daily:,} is used up"
    if at_once is not None and figures["ready"] and figures["running"] >= at_once:
        return f"{at_once:,} at once, and {figures['ready']:,} more are due"
    if figures["held_back"] and figures["ready"]:
        return f"{figures['max_downstream']:,} or more wait for {figures['feeds']}"
    return None


def _spark(rows: list[dict[str, Any]]) -> Spark:
    columns = only(steps(rows, SPARK_MINUTES, "minutes_ago"), ("completed", "troubled"))
    last = columns[-1] if any(columns[-1].values()) else columns[-2]  # the minute has only just begun
    return Spark(
        stacked(columns, SPARK_WIDTH, SPARK_HEIGHT),
        peak(columns) if any(sum(column.values()) for column in columns) else 0,
        sum(last.values()),
        sum(column["completed"] for column in columns),
        sum(column["troubled"] for column in columns),
    )
