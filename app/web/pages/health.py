"""For whatever restarts processes and routes requests: /livez and /readyz."""

import psycopg
from flask import Blueprint

from app.web.reader import reader
from db.statements import statements

SQL = statements("dashboard/health.sql")
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}

health = Blueprint("health", __name__)

Answer = tuple[str, int, dict[str, str]]


@health.get("/livez")
def livez() -> Answer:
    """This process answers. A database that is away is no reason to restart it."""
    return "ok\n", 200, PLAIN


@health.get("/readyz")
def readyz() -> Answer:
    """The pages can be shown: the database answers, and it has our schema."""
    try:
        found = reader().row(SQL["is_migrated"])
    except psycopg.Error:
        return "the database does not answer\n", 503, PLAIN
    if not found or not found["is_migrated"]:
        return "this database has no engine yet; run: scrapersky migrate\n", 503, PLAIN
    return "ok\n", 200, PLAIN
