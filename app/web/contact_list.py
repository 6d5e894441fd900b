"""How contacts are filtered, on the page and in what is taken out of it: the same words mean the same rows."""

from collections.abc import Mapping
from typing import Any, Final

from psycopg import sql

from app.web.filters import choice, domain, text
from app.web.keyset import ROWS, Place
from db.people.conditions import part
from db.statements import Statements, statements

FIELDS: Final = (
    domain("domain", "Domain"),
    text("email", "E-mail address"),
    text("name", "Name"),
    choice("type", "Type of address", ("SERVICE", "CORPORATE", "FREE", "UNKNOWN")),
)
# About columns that are called the same in the table and in the export.
CONDITIONS: Final = {
    "domain": "domain = {value}",
    "email": "email ilike {part}",
    "name": "name ilike {part}",
    "type": "email_type = {value}",
}


def condition_of(filters: Mapping[str, Any]) -> sql.Composable:
    conditions: list[sql.Composable] = [sql.SQL("true")]
    for name, value in filters.items():
        given = {"value": sql.Literal(value), "part": sql.Literal(part(str(value)))}
        conditions.append(sql.SQL(CONDITIONS[name]).format(**given))
    return sql.SQL(" and ").join(conditions)


def contact_statements(filters: Mapping[str, Any], place: Place) -> Statements:
    return statements(
        "dashboard/contacts.sql",
        condition=condition_of(filters),
        position=place.condition(sql.SQL("uuid")),
        direction=place.direction,
        rows=sql.Literal(ROWS + 1),
    )
