"""/curate/<kind> : rows for people to decide about, one by one, by ticks or by filter, with a way back."""

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

import psycopg
from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.web.errands import Tell, errands
from app.web.filters import FilterError, read_filters
from app.web.gate import gate
from app.web.grids import GRIDS, Grid, grid_statements
from app.web.keyset import ROWS, Leaf, Place
from app.web.looking import COUNTED, look
from app.web.reader import reader
from app.web.telling import counted, told_changed, told_undone
from db.models.base import CURATION
from db.people.curating import BATCH, MOST, Changed, Curation, NothingToUndoError, last_change, tally, undo

curate = Blueprint("curate", __name__)

TALLY_SECONDS = 1.0


@curate.get("/curate", defaults={"kind": "places"})
@curate.get("/curate/<kind>")
def show(kind: str) -> str | Response:
    grid, place, found, rows, mistake = _grid(kind), Place(), Leaf([], None, None), 0, ""
    try:
        filters = read_filters([*grid.fields, *grid.hidden_fields], request.args)
        place = Place.read(request.args.get, grid.is_key)
        found, rows = look(grid_statements(grid, filters, place), place)
    except FilterError as error:
        mistake = str(error)
    if place.side == "newer" and found.newer is None and len(found.rows) < ROWS:
        return redirect(_address(grid, _given(grid)))
    return render_template(
        "curate.html",
        grid=grid,
        grids=GRIDS,
        flow=_flow(grid),
        words=CURATION,
        given=_given(grid),
        mistake=mistake,
        found=found,
        newer=found.newer and _address(grid, {**_given(grid), "newer": found.newer}),
        older=found.older and _address(grid, {**_given(grid), "older": found.older}),
        rows=rows,
        counted=COUNTED,
        back=request.query_string.decode(errors="replace"),
        **_last(grid),
    )


@curate.get("/curate/<kind>/now")
def now(kind: str) -> str:
    """The rows that are on somebody's screen, as they are now."""
    grid = _grid(kind)
    pks = [pk for pk in request.args.getlist("pk")[:ROWS] if grid.is_key(pk)]
    rows = reader().rows(grid_statements(grid, {}, Place())["some"], pks=pks)
    return render_template("curate_now.html", grid=grid, flow=_flow(grid), rows=rows, **_last(grid))


@curate.post("/curate/<kind>/ticked")
def change_ticked(kind: str) -> Response:
    grid = _grid(kind)
    ticked = [pk for pk in request.form.getlist("pk") if grid.is_key(pk)]
    if not ticked:
        flash("No row is ticked, so nothing was changed.", "bad")
        return redirect(_back(grid))
    keys = [UUID(pk) if grid.curated.key == "uuid" else int(pk) for pk in ticked]
    return _change(grid, {"ids": keys})


@curate.post("/curate/<kind>/all")
def change_all(kind: str) -> Response | str:
    """First the count, then the deed."""
    grid = _grid(kind)
    try:
        filters = read_filters([*grid.fields, *grid.hidden_fields], request.form)
    except FilterError as error:
        flash(f"{error}. Nothing was changed.", "bad")
        return redirect(_back(grid))
    if "confirmed" in request.form:
        return _change(grid, filters)
    curation, word = Curation(kind, filters), _word()
    with reader().connection() as connection:
        matching, sample = curation.count(connection, word, MOST + 1), curation.sample(connection, word)
    fields = {name: value for name, value in request.form.items() if name != "form_token"}
    return render_template(
        "curate_confirm.html",
        grid=grid,
        flow=_flow(grid),
        word=word,
        matching=matching,
        counted=counted(min(matching.to_change, MOST), kind),
        most=MOST,
        sample=sample,
        fields=fields,
        given=_given(grid),
        back=_back(grid),
    )


@curate.post("/curate/<kind>/undo")
def take_back(kind: str) -> Response:
    grid = _grid(kind)
    change = request.form.get("change", 0, type=int)
    try:
        with reader().connection() as connection:
            undone = undo(connection, kind, change, operator=_operator(), workflow=_flow(grid).name)
    except NothingToUndoError as error:
        flash(str(error), "bad")
    except psycopg.errors.LockNotAvailable:
        _tell_locked()
    else:
        reader().forget()
        flash(told_undone(undone, kind), "good")
    return redirect(_back(grid))


def _change(grid: Grid, filters: dict[str, Any]) -> Response:
    """A batch at once; more than that goes on behind the page, and is watched on the page of the workflow."""
    word, pool, curation = _word(), reader().pool, Curation(grid.kind, filters)
    pks = curation.choose(pool, word)
    change = partial(curation.change, pool, word, pks, operator=_operator(), workflow=_flow(grid).name)
    if len(pks) > BATCH:
        _set_out(grid, word, change)
        return redirect(_back(grid))
    try:
        changed = change()
    except psycopg.errors.LockNotAvailable:
        _tell_locked()
    else:
        reader().forget()
        flash(told_changed(changed, grid.kind, word), "good" if changed.rows else "bad")
    return redirect(_back(grid))


def _set_out(grid: Grid, word: str, change: Callable[..., Changed]) -> None:
    def work(tell: Tell) -> int:
        try:
            return change(tell=tell).rows
        except psycopg.errors.LockNotAvailable:
            raise ValueError("Somebody else is changing some of these rows; do it again for the rest.") from None

    errand = errands().start(_flow(grid).name, f"{word} for {grid.kind}", _operator(), work)
    reader().forget()
    if errand is None:
        flash("Something else is still going on; wait until it has ended. Nothing was changed.", "bad")
    elif errand.mistake:
        flash(errand.mistake, "bad")
    elif errand.changed is None:
        flash(f"{errand.so_far} The page of {_flow(grid).name} says how far it is.", "good")
    else:
        flash(f"{counted(errand.changed, grid.kind)} set to {word}.", "good")


def _tell_locked() -> None:
    flash("Somebody else is changing some of these rows. Nothing was changed; try again in a moment.", "bad")


def _last(grid: Grid) -> dict[str, Any]:
    """The change that this person can take back, and what became of its rows."""
    if not gate().operator:
        return {"last": None}
    asked = reader()
    with asked.connection() as connection:
        last = last_change(connection, grid.kind, _operator())
    if last is None:
        return {"last": None}

    def ask() -> list[tuple[str | None, int]]:
        with asked.connection() as connection:
            return tally(connection, grid.kind, last["id"])

    told = f"You set {counted(last['rows'], grid.kind)} to {last['word']}"
    return {"last": last, "told": told, "tally": asked.kept(f"tally of {grid.kind} {_operator()}", TALLY_SECONDS, ask)}


def _grid(kind: str) -> Grid:
    if kind not in GRIDS:
        abort(404, f"There is nothing to curate called '{kind}'; there are {', '.join(GRIDS)}.")
    return GRIDS[kind]


def _flow(grid: Grid) -> Any:
    flows = reader().workflows.values()
    curated = grid.curated
    return next(flow for flow in flows if (flow.source.name, flow.status) == (curated.table, curated.processing))


def _given(grid: Grid) -> dict[str, str]:
    """The filters as they were typed."""
    names = [field.name for field in (*grid.fields, *grid.hidden_fields)]
    return {name: request.values[name] for name in names if request.values.get(name, "").strip()}


def _word() -> str:
    word = request.form.get("word_to_set", "")
    if word not in CURATION:
        abort(400, f"Unknown word '{word[:40]}'; known are {', '.join(CURATION)}.")
    return word


def _back(grid: Grid) -> str:
    """To the page of the list that the form was on."""
    known = {*(field.name for field in (*grid.fields, *grid.hidden_fields)), "older", "newer"}
    wanted = parse_qsl(request.form.get("back", "")[:4000])
    return _address(grid, {name: value for name, value in wanted if name in known})


def _address(grid: Grid, given: dict[str, Any]) -> str:
    return url_for("curate.show", **{**given, "kind": grid.kind})


def _operator() -> str:
    return gate().operator or "dashboard"
