"""/suppressions : who must not be contacted."""

import psycopg
from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.commands.values import Suppressible, suppressible
from app.web.gate import gate
from app.web.reader import reader
from db.people import suppressions
from db.people.actions import record_action
from db.people.leisure import at_leisure

suppressed = Blueprint("suppressed", __name__)

SHOWN = 200
MOST_AT_ONCE = 500
LONGEST_REASON = 300
FIRST = 100
LONGEST_CHANGE = "60s"
KINDS = ("email", "phone", "domain")


@suppressed.get("/suppressions")
def show() -> str:
    kind = request.args.get("kind")
    with reader().connection() as connection:
        rows = suppressions.entries(connection, kind if kind in KINDS else None, SHOWN + 1)
    return render_template("suppressions.html", rows=rows[:SHOWN], more=len(rows) > SHOWN, kinds=KINDS, kind=kind)


@suppressed.post("/suppressions")
def add() -> Response | str:
    """First how many contacts it would delete, then the deed."""
    typed = "\n".join(request.form.getlist("values"))
    reason = " ".join(request.form.get("reason", "").split())[:LONGEST_REASON] or None
    try:
        entries = _entries(typed)
    except ValueError as error:
        flash(f"{error}. Nothing was changed.", "bad")
        return redirect(url_for(".show"))
    if "confirmed" not in request.form:
        return _preview(entries, reason)
    with reader().connection() as connection, connection.transaction(), at_leisure(connection, LONGEST_CHANGE):
        added = suppressions.add(connection, entries, reason)
        detail = {"kinds": sorted({entry.kind for entry in entries}), **added.affected._asdict()}
        record_action(connection, "suppress", operator=_operator(), rows=added.new, detail=detail)
    flash(f"{added.new:,} added to the list; {added.affected}.", "good")
    return redirect(url_for(".show"))


def _preview(entries: list[Suppressible], reason: str | None) -> str:
    """Reads only: who lists holds up every writer of contacts."""
    with reader().connection() as connection, connection.transaction(), at_leisure(connection, LONGEST_CHANGE):
        first = list(suppressions.affected_rows(connection, entries, FIRST))
        expected = suppressions.expected(connection, entries)
    return render_template(
        "suppressions_confirm.html", entries=entries, added=expected, first=first, reason=reason or ""
    )


@suppressed.post("/suppressions/remove")
def remove() -> Response:
    entry = (request.form.get("kind", ""), request.form.get("value", ""))
    with reader().connection() as connection, connection.transaction():
        removed = suppressions.remove(connection, [entry])
        if removed:
            record_action(connection, "unsuppress", operator=_operator(), rows=removed, detail={"kinds": [entry[0]]})
    told = f"{entry[1]} is off the list. Contacts come back when their page is read again."
    flash(told if removed else "It was not on the list any more.", "good" if removed else "bad")
    return redirect(url_for(".show"))


def _entries(typed: str) -> list[Suppressible]:
    """One on each line. Raises ValueError with the first that is of no use."""
    values = [line.strip() for line in typed.replace("\0", "").splitlines() if line.strip()]
    if not values:
        raise ValueError("Write an e-mail address, a telephone number or a domain on each line")
    if len(values) > MOST_AT_ONCE:
        raise ValueError(
            f"At most {MOST_AT_ONCE} at once, and these are {len(values):,}; use scrapersky suppress import"
        )
    return [suppressible(value) for value in values]


@suppressed.errorhandler(psycopg.errors.LockNotAvailable)
def _locked(error: psycopg.Error) -> Response:
    """What another transaction holds; the database says which in words."""
    told = error.diag.message_primary or "another transaction is in the way"
    flash(f"{told[:1].upper()}{told[1:]}. Try again in a moment.", "bad")
    return redirect(url_for(".show"))


def _operator() -> str:
    return gate().operator or "dashboard"
