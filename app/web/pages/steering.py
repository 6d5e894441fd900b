"""What operators do: pause, resume, limits, and for failed or waiting rows first a count, then the deed."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from psycopg import Connection
from werkzeug.wrappers import Response

from actors._workflow import Workflow
from app.web.errands import Errand, Tell, errands
from app.web.gate import gate
from app.web.reader import reader
from db.people.steering import LIMITS, Chosen, SteeringError, cancel, pause, requeue, resume, run_now, set_limits

steering = Blueprint("steering", __name__)

ROWS_A_SECOND = 500
MOST_ROWS_A_SECOND = 10_000
LONGEST_REASON = 300


@steering.post("/workflows/<name>/pause")
def pause_workflow(name: str) -> Response:
    reason = request.form.get("reason", "").strip()[:LONGEST_REASON] or None
    return _control(name, "paused", lambda connection: pause(connection, name, reason, operator=_operator()))


@steering.post("/workflows/<name>/resume")
def resume_workflow(name: str) -> Response:
    return _control(name, "resumed", lambda connection: resume(connection, name, operator=_operator()))


@steering.post("/workflows/<name>/limits")
def change_limits(name: str) -> Response:
    try:
        limits = {limit: _whole_number(limit) for limit in LIMITS if limit in request.form}
    except SteeringError as error:
        return _back(name, str(error), "bad")
    return _control(
        name, "has new limits", lambda connection: set_limits(connection, name, limits, operator=_operator())
    )


@steering.post("/workflows/<name>/requeue")
def requeue_rows(name: str) -> Response | str:
    """Queue failed rows again: all, those of one error, or those in whose error a text occurs."""
    return _for_many(name, "requeue")


@steering.post("/workflows/<name>/cancel")
def cancel_rows(name: str) -> Response | str:
    return _for_many(name, "cancel")


@steering.post("/workflows/<name>/run-now")
def run_rows_now(name: str) -> Response:
    flow, pk = reader().workflow(name), request.form.get("pk", "")
    with reader().patient() as connection:
        rows = run_now(connection, flow, [pk], operator=_operator())
    told = "The row is due now." if rows else "The row runs or is due already, or it is gone."
    flash(told, "good" if rows else "bad")
    return redirect(url_for("row.show", table=flow.source.name, pk=pk))


def _for_many(name: str, action: str) -> Response | str:
    flow = reader().workflow(name)
    try:
        chosen = _chosen()
        if "confirmed" not in request.form:
            return _ask_first(flow, action, chosen)
        errand = _set_out(flow, action, chosen)
    except ValueError as error:
        return _back(name, str(error), "bad")
    if errand is None:
        return _back(name, "Something else is still going on; wait until it has ended.", "bad")
    reader().forget()
    kind = "bad" if errand.mistake else "good"
    if chosen.pks:
        flash(_told(errand, action), kind)
        return redirect(url_for("row.show", table=flow.source.name, pk=chosen.pks[0]))
    return _back(name, _told(errand, action), kind)


def _ask_first(flow: Workflow, action: str, chosen: Chosen) -> str:
    """The dry run: how many rows it would be, and everything that the deed needs to know again."""
    do = requeue if action == "requeue" else cancel
    rows = do(reader().pool, flow, chosen, operator=_operator(), dry_run=True)
    return render_template(
        "confirm.html", workflow=flow, action=action, fields=_fields(chosen), rows=rows, rate=ROWS_A_SECOND
    )


def _set_out(flow: Workflow, action: str, chosen: Chosen) -> Errand | None:
    pool, operator, rate = reader().pool, _operator(), min(MOST_ROWS_A_SECOND, _whole_number("rate") or ROWS_A_SECOND)

    def work(tell: Tell) -> int:
        if action == "requeue":
            return requeue(pool, flow, chosen, operator=operator, dry_run=False, rate=rate, tell=tell)
        return cancel(pool, flow, chosen, operator=operator, dry_run=False, tell=tell)

    return errands().start(flow.name, action, operator, work)


def _told(errand: Errand, action: str) -> str:
    if errand.mistake:
        return errand.mistake
    if not errand.ended.is_set():
        return errand.so_far
    rows = f"{errand.changed:,} {'row' if errand.changed == 1 else 'rows'}"
    return f"{rows} queued again." if action == "requeue" else f"{rows} cancelled."


def _chosen() -> Chosen:
    form = request.form
    pk = form.get("pk")
    return Chosen(
        error=form.get("error") or None,
        part=form.get("part", "").strip() or None,
        pks=[pk] if pk else None,
        limit=_whole_number("limit"),
        by_job=True,
    )


def _whole_number(field: str) -> int | None:
    text = request.form.get(field, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 10:  # noqa: PLR2004 - more than any limit has
        raise SteeringError(f"{field}: expected a whole number or nothing, got '{text[:40]}'")
    return int(text)


def _control(name: str, done: str, change: Callable[[Connection[Any]], None]) -> Response:
    reader().workflow(name)
    try:
        with reader().patient() as connection:
            change(connection)
    except SteeringError as error:
        return _back(name, str(error), "bad")
    reader().forget()
    return _back(name, f"{name} {done}.", "good")


def _operator() -> str:
    return gate().operator or "dashboard"


def _back(name: str, told: str, kind: str) -> Response:
    flash(told, kind)
    return redirect(url_for("workflow.show", name=name))


def _fields(chosen: Chosen) -> dict[str, Any]:
    """The fields that ask for the same rows again."""
    given = chosen.given()
    if "pks" in given:
        given["pk"] = given.pop("pks")[0]
    return given
