"""/contacts : who can be reached; corrected, deleted and suppressed as the commands do it."""

from typing import Any

import click
import psycopg
from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.commands.correcting import correct, corrected, entries_of, remove
from app.web.contact_list import FIELDS, contact_statements
from app.web.filters import FilterError, read_filters
from app.web.gate import gate
from app.web.grids import is_uuid
from app.web.keyset import ROWS, Leaf, Place
from app.web.looking import COUNTED, look
from app.web.reader import reader
from db.people import suppressions
from db.people.actions import record_action
from db.people.contacts import CORRECTABLE
from db.people.leisure import at_leisure

contacts = Blueprint("contacts", __name__)

LONGEST_CHANGE = "60s"
LONGEST_VALUE = 300


@contacts.get("/contacts")
def show() -> str | Response:
    place, found, rows, mistake = Place(), Leaf([], None, None), 0, ""
    try:
        filters = read_filters(FIELDS, request.args)
        place = Place.read(request.args.get, is_uuid)
        found, rows = look(contact_statements(filters, place), place)
    except FilterError as error:
        mistake = str(error)
    if place.side == "newer" and found.newer is None and len(found.rows) < ROWS:
        return redirect(url_for(".show", **_given()))
    return render_template(
        "contacts.html",
        fields=FIELDS,
        given=_given(),
        mistake=mistake,
        found=found,
        newer=found.newer and url_for(".show", **{**_given(), "newer": found.newer}),
        older=found.older and url_for(".show", **{**_given(), "older": found.older}),
        rows=rows,
        counted=COUNTED,
    )


@contacts.get("/contacts/<pk>")
def edit(pk: str) -> str:
    return _form(_one(pk))


@contacts.post("/contacts/<pk>")
def change(pk: str) -> Response | tuple[str, int]:
    contact = _one(pk)
    typed = {name: " ".join(request.form.get(name, "").split())[:LONGEST_VALUE] for name in CORRECTABLE}
    differing = {name: value for name, value in typed.items() if value != (contact[name] or "")}
    try:
        values = {name: corrected(name, value, contact["region"]) for name, value in differing.items()}
        if values:
            _write(contact, values)
    except (ValueError, click.ClickException) as error:
        told = error.message if isinstance(error, click.ClickException) else str(error)
        return _form({**contact, **typed}, told), 400
    flash(f"Corrected: {', '.join(values)}." if values else "Nothing was changed.", "good")
    return redirect(url_for(".show"))


@contacts.post("/contacts/delete")
def delete() -> Response | str:
    """First who it would be, then the deed."""
    suppress = request.form.get("deed") == "suppress"
    found = _some([pk for pk in request.form.getlist("pk")[:ROWS] if is_uuid(pk)])
    if not found:
        flash("No contact is ticked, or those that were are gone. Nothing was deleted.", "bad")
        return redirect(url_for(".show"))
    if "confirmed" not in request.form:
        affected = _affected(found) if suppress else None
        return render_template("contacts_confirm.html", found=found, suppress=suppress, affected=affected)
    with reader().connection() as connection, at_leisure(connection, LONGEST_CHANGE):
        deleted, others = remove(connection, found, suppress=suppress)
        detail = {"ids": [row["pk"] for row in found], "suppressed": suppress}
        record_action(connection, "delete-contacts", operator=_operator(), rows=deleted + others, detail=detail)
    also = f", and {others:,} more with the same address or number" if others else ""
    flash(f"{deleted:,} deleted{also}{'; suppressed from now on' if suppress else ''}.", "good")
    return redirect(url_for(".show"))


def _affected(found: list[dict[str, Any]]) -> suppressions.Affected:
    """Others may have the same address or number."""
    with reader().connection() as connection, at_leisure(connection, LONGEST_CHANGE):
        return suppressions.affected_by(connection, entries_of(found))


def _write(contact: dict[str, Any], values: dict[str, str | None]) -> None:
    with reader().connection() as connection, at_leisure(connection, LONGEST_CHANGE):
        correct(connection, contact, values)
        # What is corrected may be forgotten one day, so the log says which, and not what.
        detail = {"id": contact["pk"], "fields": list(values)}
        record_action(connection, "correct-contact", operator=_operator(), rows=1, detail=detail)


def _one(pk: str) -> dict[str, Any]:
    found = _some([pk]) if is_uuid(pk) else []
    if not found:
        abort(404, f"There is no contact '{pk[:60]}'. It may have been deleted.")
    return found[0]


def _some(pks: list[str]) -> list[dict[str, Any]]:
    return reader().rows(contact_statements({}, Place())["some"], pks=pks)


def _form(contact: dict[str, Any], mistake: str = "") -> str:
    return render_template("contact.html", contact=contact, names=CORRECTABLE, mistake=mistake)


def _given() -> dict[str, Any]:
    return {field.name: request.args[field.name] for field in FIELDS if request.args.get(field.name, "").strip()}


def _operator() -> str:
    return gate().operator or "dashboard"


@contacts.errorhandler(psycopg.errors.LockNotAvailable)
def _locked(_: psycopg.Error) -> Response:
    flash("Somebody else is changing this contact. Nothing was changed; try again in a moment.", "bad")
    return redirect(url_for(".show"))
