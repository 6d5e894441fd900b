"""The engine's own schema, in parts. Each is applied when its text changed: a changed function locks no table."""

import hashlib
from typing import Any, Literal

from psycopg import Connection, sql

from db.statements import read

Part = Literal["tables", "functions", "views", "triggers"]

# In the order in which a new database needs them.
PARTS: dict[Part, tuple[str, ...]] = {
    "tables": ("schema.sql", "undo.sql", "people.sql"),
    "functions": (
        *("functions.sql", "idna.sql", "suppressions.sql", "written_addresses.sql", "masking.sql"),
        "suppressed_rows.sql",
        *("validators.sql", "audit.sql", "folding.sql"),
        *("row_facts.sql", "why_waiting.sql", "why.sql", "history.sql"),
    ),
    "views": ("views.sql",),
    "triggers": ("standing_triggers.sql",),
}


def apply(connection: Connection[Any], *parts: Part) -> None:
    """Those of the parts whose text changed: to apply the others again would wait for locks."""
    applied = _applied(connection)
    changed = [part for part in parts if applied.get(part) != _hash(_text(part))]
    for part in changed:
        connection.execute(_text(part).encode())
    if changed:
        mark = _mark(applied | {part: _hash(_text(part)) for part in changed})
        connection.execute(sql.SQL("comment on schema engine is {}").format(sql.Literal(mark)))


def schema_text() -> str:
    return "\n".join(map(_text, PARTS))


def schema_mark() -> str:
    """Stands as a comment on the schema and says which text made it: all of it, and then each part."""
    return _mark({part: _hash(_text(part)) for part in PARTS})


def _mark(hashes: dict[str, str]) -> str:
    lines = "\n".join(f"{part} {hashes[part]}" for part in PARTS if part in hashes)
    return f"ScraperSky {_hash(lines)}\n{lines}"


def _applied(connection: Connection[Any]) -> dict[str, str]:
    row = connection.execute("select obj_description(to_regnamespace('engine'), 'pg_namespace')").fetchone()
    lines = str(row[0]).splitlines()[1:] if row else []
    return {part: mark for part, _, mark in (line.partition(" ") for line in lines)}


def _text(part: Part) -> str:
    return "\n".join(map(read, PARTS[part]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
