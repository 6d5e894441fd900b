"""The statements of sql/, by file and name."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from psycopg import sql

SQL_DIRECTORY = Path(__file__).resolve().parent.parent / "sql"

Statements = dict[str, bytes]


@cache
def read(file: str) -> str:
    return (SQL_DIRECTORY / file).read_text(encoding="utf-8")


@cache
def _sections(file: str) -> dict[str, str]:
    """Split a file at its `-- name: …` lines; what stands before the first one is the file's own comment."""
    sections: dict[str, str] = {}
    for part in read(file).split("-- name: ")[1:]:
        name, _, text = part.partition("\n")
        lines = [line for line in text.splitlines() if not line.startswith("--")]
        sections[name.strip()] = "\n".join(lines).strip()
    return sections


def text_array(items: Iterable[str]) -> str:
    """A text array as Postgres reads it. The driver's own way is general and ten times slower, per row of a batch."""
    given = list(items)
    text = '","'.join(given)
    if "\\" in text or text.count('"') > 2 * max(0, len(given) - 1):
        text = '","'.join(item.replace("\\", "\\\\").replace('"', '\\"') for item in given)
    return '{"' + text + '"}' if given else "{}"


def statements(file: str, **names: sql.Composable) -> Statements:
    """Every statement of the file with its {names} filled in, ready to execute."""
    return {name: compose(text, **names) for name, text in _sections(file).items()}


def compose(text: str, **names: sql.Composable) -> bytes:
    """A statement with its {names} filled in; a percent sign in a name is no placeholder."""
    escaped = {name: sql.SQL(value.as_string(None).replace("%", "%%")) for name, value in names.items()}
    return sql.SQL(text).format(**escaped).as_bytes(None)
