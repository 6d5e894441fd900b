"""/workflows/<name> : what runs, what comes next, what failed and why, how it went; and the lists behind them."""

from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, abort, request, url_for

from actors._workflow import Workflow
from app.web.errands import errands
from app.web.labels import labels
from app.web.plots import SPANS, read_plots
from app.web.reader import Reader, reader
from app.web.rendering import page
from app.web.stages import read_pipeline
from db.people.steering import LIMITS, Failure, failures
from db.statements import statements

SQL = statements("dashboard/workflow.sql")

workflow = Blueprint("workflow", __name__)

SHORT_LIST = 10
LONG_LIST = 50
LOOKED_AT = 2000
MOST_SKIPPED = 10_000_000
FAILURES_SECONDS = 2.0
MOST_FAILURES = 25
EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
FIRST: dict[str, Any] = {"priority": -(2**31), "run_at": EARLIEST, "skip": 0}


@workflow.get("/workflows/<name>")
def show(name: str) -> str:
    asked, flow = reader(), reader().workflow(name)
    stage = next((stage for stage in read_pipeline(asked).stages if stage.name == name), None)
    span = SPANS.get(request.args.get("span", "hour"))
    if stage is None or span is None:
        abort(404, "The workflow is not in this database yet, or the span is none of hour, day and week.")
    groups = read_failures(asked, name)
    shown = groups[:MOST_FAILURES]
    running = asked.rows(SQL["running"], workflow=name, rows=SHORT_LIST)
    coming = asked.rows(SQL["waiting"], workflow=name, rows=SHORT_LIST, **FIRST)
    return page(
        "workflow",
        stage=stage,
        plots=read_plots(asked, name, span),
        spans=SPANS,
        running=running,
        coming=coming,
        labels=labels(
            asked, flow.source, [row["pk"] for row in [*running, *coming]] + [one.example_pk for one in shown]
        ),
        failures=shown,
        looked_at=sum(group.rows for group in groups),
        limits=read_limits(asked, name),
        errand=errands().of(name),
    )


@workflow.get("/workflows/<name>/waiting")
def waiting(name: str) -> str:
    asked, flow = reader(), reader().workflow(name)
    after = _after()
    rows = asked.rows(SQL["waiting"], workflow=name, rows=LONG_LIST + 1, **after)
    following = None
    if len(rows) > LONG_LIST:
        following = url_for(".waiting", name=name, **_behind(rows[:LONG_LIST], after))
    return _list("waiting", flow, rows[:LONG_LIST], following)


@workflow.get("/workflows/<name>/failed")
def failed(name: str) -> str:
    asked, flow = reader(), reader().workflow(name)
    error = request.args.get("error")
    size = LOOKED_AT if error else LONG_LIST + 1
    seen = asked.rows(SQL["failed"], workflow=name, rows=size, pk=request.args.get("pk", ""))
    fitting = [row for row in seen if error in {None, row["folded"]}]
    rows = fitting[:LONG_LIST]
    goes_on = len(fitting) > LONG_LIST or len(seen) == LOOKED_AT
    last = rows[-1] if len(fitting) > LONG_LIST else (seen[-1] if seen else None)
    following = url_for(".failed", name=name, error=error, pk=last["pk"]) if goes_on and last else None
    return _list("failed", flow, rows, following, error=error)


def read_failures(asked: Reader, name: str) -> list[Failure]:
    def ask() -> list[Failure]:
        with asked.connection() as connection:
            return failures(connection, name, newest=LOOKED_AT)

    return asked.kept(f"failures of {name}", FAILURES_SECONDS, ask)


def read_limits(asked: Reader, name: str) -> list[dict[str, Any]]:
    """What is declared, what an operator said instead, and the least that may be said."""
    found = asked.row(SQL["limits"], workflow=name) or {}
    return [
        {"name": limit, "declared": found.get(f"declared_{limit}"), "set": found.get(limit), "least": least}
        for limit, least in LIMITS.items()
        if limit != "max_downstream" or found.get("feeds")
    ]


def _after() -> dict[str, Any]:
    """Where the list goes on; what nobody can have been given begins anew."""
    given = request.args
    try:
        place = {"priority": int(given["priority"]), "skip": int(given["skip"])}
        run_at = datetime.fromisoformat(given["run_at"])
    except (KeyError, ValueError):
        return FIRST
    is_possible = run_at.tzinfo and abs(place["priority"]) <= -FIRST["priority"] and 0 <= place["skip"] <= MOST_SKIPPED
    return {**place, "run_at": run_at} if is_possible else FIRST


def _behind(rows: list[dict[str, Any]], after: dict[str, Any]) -> dict[str, Any]:
    """The place of the last row, and how many before it share that place."""
    place = {"priority": rows[-1]["priority"], "run_at": rows[-1]["run_at"]}
    skip = sum(all(row[name] == value for name, value in place.items()) for row in rows)
    if all(after[name] == value for name, value in place.items()):
        skip += after["skip"]
    return {**place, "run_at": place["run_at"].isoformat(), "skip": skip}


def _list(kind: str, flow: Workflow, rows: list[dict[str, Any]], following: str | None, **more: Any) -> str:
    names = labels(reader(), flow.source, [row["pk"] for row in rows])
    return page(f"workflow_{kind}", workflow=flow, rows=rows, labels=names, following=following, **more)
