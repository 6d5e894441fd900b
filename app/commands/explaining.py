"""One row, found by what a person typed, and what the database says about it."""

import difflib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, timedelta
from typing import Any, Final, NamedTuple

import click
from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from actors.parse.domains import website_domain
from actors.parse.page_keys import page_key
from actors.parse.urls import website_url
from app.commands.addresses import email_address
from app.commands.names import TABLE
from app.commands.session import connected
from app.commands.tables import cell
from db.people.finding import ENOUGH, Known, ids

MOVING: Final = {"running", "ready", "runs_again", "done"}
NEVER_ASKED: Final = {"never_queued"}

# As `scrapersky select` calls them.
CALLED: Final = {
    "places": "places_staging",
    "businesses": "local_businesses",
    "sitemaps": "sitemap_files",
    "searches": "place_searches",
}
LARGEST_NUMBER: Final = 2**31 - 1
SHORTEST_START: Final = 4
SHOWN: Final = 100

_NUMBER = re.compile(r"[0-9]{1,10}")
_HEXADECIMAL = re.compile(rf"[0-9a-f]{{{SHORTEST_START},32}}")


class Row(NamedTuple):
    connection: Connection[Any]
    table: str
    id: str


def run_why(table: str, text: str, *, as_json: bool) -> int:
    with _row(table, text, "why") as row:
        told = _rows(row, "select * from engine.explain(%s, %s)")
    if all(one["code"] == "no_such_row" for one in told):
        raise _unknown(row.table, text)
    if all(one["code"] == "no_such_table" for one in told):
        raise click.UsageError(f"{cell(told[0]['reason'])}. {told[0]['remedy']}")
    codes = {one["code"] for one in told}
    if as_json:
        explained = [{**one, "moves": one["code"] in MOVING} for one in told]
        click.echo(json.dumps({"table": row.table, "id": row.id, "workflows": explained}))
    else:
        for one in told:
            click.echo(f"{click.style(one['workflow'], bold=True)}: {cell(one['reason'])}.\n  {cell(one['remedy'])}")
    return 0 if (codes - NEVER_ASKED or codes) <= MOVING else 1


def run_history(table: str, text: str, *, as_json: bool) -> int:
    with _row(table, text, "history") as row:
        events = _rows(row, "select * from engine.history(%s, %s)")
    if not events:
        raise _unknown(row.table, text)
    if as_json:
        plain = [{**one, "at": one["at"].isoformat(), "took": _seconds(one["took"])} for one in events]
        click.echo(json.dumps({"table": row.table, "id": row.id, "events": plain}))
        return 0
    for one in events:
        click.echo(_line(one))
    return 0


def _unknown(table: str, text: str) -> click.UsageError:
    return click.UsageError(
        f"no row of {table} is known by '{cell(text[:SHOWN])}'; "
        "it may be an id or how that begins, a place id, a domain, a URL or an e-mail address"
    )


def _line(one: DictRow) -> str:
    """When, what and with which outcome; what an attempt ended with stands below it."""
    attempt = one["attempt"] and f"attempt {one['attempt']}"
    took = one["took"] and f"{one['took'].total_seconds():.1f} s"
    what = ", ".join(cell(part) for part in (one["what"], attempt, took, one["worker"]) if part)
    error = f"\n{'':21}{cell(one['error'])}" if one["error"] else ""
    return f"{one['at'].astimezone(UTC):%Y-%m-%d %H:%M:%S}  {what}{error}"


@contextmanager
def _row(table: str, text: str, command: str) -> Iterator[Row]:
    with connected(command) as connection:
        name = _table(table, sorted(TABLE.known))
        found = ids(connection, name, _known(text))
        if len(found) > 1:
            more = " or more" if len(found) == ENOUGH else ""
            several = f"'{cell(text[:SHOWN])}' identifies {len(found)}{more} rows of {name}"
            raise click.UsageError(f"{several}; give the id of one: {', '.join(found)}")
        yield Row(connection, name, found[0])


def _table(text: str, known: list[str]) -> str:
    name = text.strip().strip('"').removeprefix("public.").lower()
    name = CALLED.get(name, name)
    if name in known:
        return name
    guess = difflib.get_close_matches(name, [*known, *CALLED], n=1)
    hint = f", did you mean '{guess[0]}'?" if guess else f"; those with a workflow are {', '.join(known)}"
    raise click.UsageError(f"unknown table '{cell(text[:SHOWN])}'{hint}")


def _known(typed: str) -> Known:
    text = typed.strip()
    if not text or "\x00" in text:
        raise click.UsageError(f"expected an id, a place id, a domain, a URL or an e-mail address, got {typed!r}")
    url = website_url(text)
    return Known(
        text,
        number=int(text) if _NUMBER.fullmatch(text) and int(text) <= LARGEST_NUMBER else None,
        id_range=_id_range(text),
        domain=website_domain(text).domain,
        urls=[text] if url is None else sorted({text, url.href, url.href.partition("#")[0], page_key(url)}),
        email=_email(text),
    )


def _id_range(text: str) -> tuple[str, str] | None:
    digits = text.lower().replace("-", "")
    return (digits.ljust(32, "0"), digits.ljust(32, "f")) if _HEXADECIMAL.fullmatch(digits) else None


def _email(text: str) -> str | None:
    try:
        return email_address(text)
    except ValueError:
        return None


def _rows(row: Row, query: str) -> list[DictRow]:
    with row.connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode(), [row.table, row.id]).fetchall()


def _seconds(took: timedelta | None) -> float | None:
    return None if took is None else round(took.total_seconds(), 3)
