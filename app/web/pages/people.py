"""/workers, /submissions and /actions : who works, who queued what, and who did what."""

from flask import Blueprint, request, url_for

from app.web.reader import reader
from app.web.rendering import page
from db.statements import statements

SQL = statements("dashboard/people.sql")

people = Blueprint("people", __name__)

ROWS = 50
MOST_WORKERS = 500
NEWEST = 2**63 - 1


@people.get("/workers")
def workers() -> str:
    return page("workers", workers=reader().rows(SQL["workers"], rows=MOST_WORKERS))


@people.get("/submissions")
def submissions() -> str:
    return _list("submissions")


@people.get("/actions")
def actions() -> str:
    return _list("actions")


def _list(kind: str) -> str:
    """The newest, or those before the number that the link of the page before names."""
    before = request.args.get("before", NEWEST, type=int)
    rows = reader().rows(SQL[kind], before=min(before, NEWEST), rows=ROWS + 1)
    more = len(rows) > ROWS
    following = url_for(f".{kind}", before=rows[ROWS - 1]["id"]) if more else None
    return page(kind, rows=rows[:ROWS], following=following, newest=before == NEWEST)
