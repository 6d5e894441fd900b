"""Contacts one by one: looked up, corrected, deleted."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection, sql
from psycopg.rows import DictRow, dict_row

CORRECTABLE: Final = {"name": "name", "role": "role", "email": "email", "phone": "phone_number", "fax": "fax_number"}
"""What a person may correct, and the column it stands in."""

LIST: Final = """
select contacts.id, contacts.email, contacts.email_type, contacts.phone_number as phone, contacts.fax_number as fax,
       contacts.name, contacts.role, contacts.domain, contacts.source_url, contacts.method,
       contacts.created_at as found_at
from engine.reachable_contact as contacts
where (%(domain)s::text is null or contacts.domain = %(domain)s)
  and (%(email)s::text is null or contacts.email ilike %(email)s)
order by contacts.created_at desc, contacts.id limit %(limit)s
"""
# A range, so that the beginning of an id is found by the primary key.
BY_ID: Final = """
select contacts.id, contacts.email, contacts.phone_number as phone, contacts.domain, contacts.region
from engine.reachable_contact as contacts
where contacts.id between rpad(%(start)s, 32, '0')::uuid and rpad(%(start)s, 32, 'f')::uuid limit 20
"""
BY_EMAIL: Final = """
select contacts.id, contacts.email, contacts.phone_number as phone, contacts.domain, contacts.region
from engine.reachable_contact as contacts where contacts.email = %(email)s order by contacts.domain
"""


def newest(connection: Connection[Any], *, domain: str | None, email: str | None, limit: int) -> list[DictRow]:
    """`email` is a pattern of ILIKE."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(LIST, {"domain": domain, "email": email, "limit": limit}).fetchall()


def with_id(connection: Connection[Any], start: str) -> list[DictRow]:
    """Those whose id begins so; hexadecimal digits only."""
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(BY_ID, {"start": start}).fetchall()


def with_email(connection: Connection[Any], email: str) -> list[DictRow]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(BY_EMAIL, {"email": email}).fetchall()


def correct(connection: Connection[Any], contact: UUID, columns: Mapping[str, str | None]) -> int:
    sets = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(column), sql.Placeholder(column)) for column in columns
    )
    statement = sql.SQL("update contacts set {}, updated_at = now() where id = %(id)s").format(sets)
    return connection.execute(statement, {**columns, "id": contact}).rowcount


def delete(connection: Connection[Any], contacts: Sequence[UUID]) -> int:
    return connection.execute("delete from contacts where id = any(%s)", [list(contacts)]).rowcount
