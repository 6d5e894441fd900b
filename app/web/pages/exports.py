"""/contacts/export : contacts as a file, the same bytes as from `scrapersky export contacts`.

Rows go from a cursor on the server into a temporary file, and the file goes to the browser when it is whole: memory
stays small, nobody gets half a file, and somebody who reads slowly holds no transaction open.
"""

import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
import psycopg
from flask import Blueprint, abort, current_app, flash, redirect, request, send_file, url_for
from flask.blueprints import BlueprintSetupState
from psycopg import Connection
from werkzeug.wrappers import Response

from app.commands.exporting import Order, moment, write_file
from app.commands.sheets import TooManyRowsError
from app.web.contact_list import FIELDS, condition_of
from app.web.filters import FilterError, read_filters
from app.web.gate import gate
from app.web.reader import reader
from app.web.visitors import is_by_another_site
from db.connections import KEEPALIVE, put_public_first
from db.people.actions import record_action
from db.people.exporting import Extract

exports = Blueprint("exports", __name__)

KIND: Final = "contacts"
AT_ONCE: Final = 2
TYPES: Final = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class Counted:
    """Rows that are counted as they pass."""

    def __init__(self, rows: Iterable[tuple[Any, ...]]) -> None:
        self.rows = 0
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for row in self._rows:
            self.rows += 1
            yield row


@exports.record_once
def _limit(state: BlueprintSetupState) -> None:
    state.app.extensions["exports"] = threading.BoundedSemaphore(AT_ONCE)


@exports.get("/contacts/export")
def export() -> Response:
    if is_by_another_site():
        abort(403, "Another site asked for this export. If you want the file, open Contacts here and export it there.")
    file_format = request.args.get("format", "csv")
    turn: threading.BoundedSemaphore = current_app.extensions["exports"]
    if file_format not in TYPES:
        return _refused(f"format: expected one of {', '.join(TYPES)}, got '{file_format[:20]}'")
    if not turn.acquire(blocking=False):
        return _refused(f"{AT_ONCE} exports are being written already; try again in a moment")
    try:
        return _file(_extract(), file_format)
    except FilterError as error:
        return _refused(str(error))
    except click.ClickException as error:
        return _refused(error.message)
    except TooManyRowsError:
        return _refused("There are more rows than a sheet holds; filter them, or take CSV")
    finally:
        turn.release()


def _extract() -> Extract:
    filters = read_filters(FIELDS, request.args)
    since = moment(request.args.get("since", "").strip() or None, datetime.now(UTC))
    return Extract(KIND, since=since, where=condition_of(filters).as_string(None) if filters else None)


def _file(extract: Extract, file_format: str) -> Response:
    order = Order(
        kind=KIND, file_format=file_format, path=None, columns=None, where=None, bom="bom" in request.args, force=False
    )
    with tempfile.TemporaryDirectory(prefix="scrapersky-export-") as directory:
        path = Path(directory) / f"contacts.{file_format}"
        with _connection() as connection:
            with extract.rows(connection) as (names, rows):
                counted = Counted(rows)
                write_file(order, names, counted, path)
            _record(connection, counted.rows, file_format)
        # It is open from here on, so the directory can go.
        name = f"contacts-{datetime.now(UTC):%Y-%m-%d}.{file_format}"
        return send_file(path, mimetype=TYPES[file_format], as_attachment=True, download_name=name, etag=False)


@contextmanager
def _connection() -> Iterator[Connection[Any]]:
    """One of its own: the pages' connections are for short questions, and are kept from reading whole tables."""
    url = reader().pool.conninfo
    with psycopg.connect(
        url if isinstance(url, str) else url(),
        autocommit=True,
        application_name="scrapersky dashboard export",
        **KEEPALIVE,
    ) as connection:
        put_public_first(connection)
        connection.prepare_threshold = None
        yield connection


def _record(connection: Connection[Any], rows: int, file_format: str) -> None:
    """Who took people's addresses out. Where nobody signs in there is no name to write down."""
    if operator := gate().operator:
        detail = {"kind": KIND, "format": file_format, "filters": [name for name in request.args if request.args[name]]}
        record_action(connection, "export", operator=operator, rows=rows, detail=detail)


def _refused(why: str) -> Response:
    flash(f"{why}. No file was written.", "bad")
    return redirect(url_for("contacts.show"))
