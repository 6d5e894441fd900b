"""/search : from an id, a place id, a domain, an address on the web or an e-mail address to the row."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from flask import Blueprint, redirect, request, url_for
from psycopg import sql
from werkzeug.wrappers import Response

from actors.parse.domains import registrable_domain
from app.web.labels import TABLES, name_of
from app.web.reader import Reader, reader
from app.web.rendering import page
from db.statements import statements

SQL = "dashboard/search.sql"

search = Blueprint("search", __name__)

LONGEST = 2048
MOST = 20
LARGEST_ID = 2**31 - 1


class Hit(NamedTuple):
    table: str
    pk: str
    name: str


@search.get("/search")
def find() -> str | Response:
    asked = " ".join(request.args.get("q", "").replace("\0", "").split())[:LONGEST]
    hits = list(dict.fromkeys(_hits(reader(), asked))) if asked else []
    if len(hits) == 1:
        return redirect(url_for("row.show", table=hits[0].table, pk=hits[0].pk))
    return page("search", asked=asked, hits=hits)


def _hits(asked: Reader, text: str) -> Iterator[Hit]:
    if is_uuid(text):
        for table in (name for name in TABLES if name != "places_staging"):
            yield from _by_key(asked, table, "id", UUID(text))
    elif text.isascii() and text.isdigit() and int(text) <= LARGEST_ID:
        yield from _by_key(asked, "places_staging", "id", int(text))
    elif "@" in text and "/" not in text:
        yield from _by_key(asked, "contacts", "email", text.lower())
    else:
        for table in ("places_staging", "local_businesses"):
            yield from _by_key(asked, table, "place_id", text)
        yield from _on_the_web(asked, text)


def _on_the_web(asked: Reader, text: str) -> Iterator[Hit]:
    if re.match("https?://", text, re.IGNORECASE):
        host = _host(text)
        domain = registrable_domain(host) if host else None
        for table in ("pages", "sitemap_files"):
            yield from _hits_of(table, _rows(asked, "by_url", table, domain=domain, url=text))
    else:
        domain = text.lower().strip("/.")
    if domain:
        yield from _by_key(asked, "domains", "domain", registrable_domain(domain) or domain)
        following = _rows(asked, "domains_from", "domains", start=domain, rows=MOST)
        yield from (hit for hit in _hits_of("domains", following) if hit.name.startswith(domain))


def _by_key(asked: Reader, table: str, column: str, value: object) -> Iterator[Hit]:
    return _hits_of(table, _rows(asked, "by_key", table, column, value=value, rows=MOST))


def _rows(asked: Reader, statement: str, table: str, column: str = "id", **parameters: Any) -> list[dict[str, Any]]:
    names = {
        "table": sql.Identifier(table),
        "column": sql.Identifier(column),
        "pk": sql.Identifier("id"),
        "name": name_of(table),
    }
    return asked.rows(statements(SQL, **names)[statement], **parameters)


def _hits_of(table: str, rows: list[dict[str, Any]]) -> Iterator[Hit]:
    return (Hit(table, row["pk"], row["name"] or row["pk"]) for row in rows)


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def is_uuid(text: str) -> bool:
    return bool(re.fullmatch("[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", text, re.IGNORECASE))
