"""The suppression list. The database itself deletes contacts that come onto it, and takes in none that are on it."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from psycopg import Connection
from psycopg.rows import DictRow, dict_row

Entry = tuple[str, str]
"""Kind and value."""

ADD: Final = """
insert into suppressions (kind, value, reason)
select kind, value, %(reason)s from unnest(%(kinds)s::text[], %(values)s::text[]) as given (kind, value)
on conflict (kind, value) do update set reason = excluded.reason, updated_at = now()
    where excluded.reason is not null and suppressions.reason is distinct from excluded.reason
returning (xmax = 0)
"""
REMOVE: Final = """
delete from suppressions using unnest(%(kinds)s::text[], %(values)s::text[]) as given (kind, value)
where suppressions.kind = given.kind and suppressions.value = given.value
"""
LIST: Final = """
select kind, value, reason, created_at from suppressions
where %(kind)s::text is null or kind = %(kind)s order by created_at desc, kind, value limit %(limit)s
"""
# Those whom the trigger of the insert will delete.
CONTACTS: Final = """
select count(*) from contacts
where email = any(%(emails)s) or (email is null and phone_number = any(%(phones)s))
   or domain_id in (select id from domains where domain = any(%(domains)s))
   or (cardinality(%(domains)s::text[]) > 0
       and engine.host_and_parents(split_part(email, '@', 2)) && %(domains)s::text[])
"""


class Added(NamedTuple):
    new: int
    contacts_deleted: int


def contacts_of(connection: Connection[Any], entries: Sequence[Entry]) -> int:
    """How many contacts these entries delete."""
    (affected,) = connection.execute(CONTACTS, _by_kind(entries)).fetchone() or (0,)
    return int(affected)


def add(connection: Connection[Any], entries: Sequence[Entry], reason: str | None) -> Added:
    """All at once; entries that are there keep their place, and get the reason if one is given."""
    with connection.transaction():
        affected = contacts_of(connection, entries)
        written = connection.execute(ADD, {**_arrays(entries), "reason": reason}).fetchall()
        return Added(sum(1 for (new,) in written if new), affected)


def remove(connection: Connection[Any], entries: Sequence[Entry]) -> int:
    return connection.execute(REMOVE, _arrays(entries)).rowcount


def entries(connection: Connection[Any], kind: str | None, limit: int) -> list[DictRow]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(LIST, {"kind": kind, "limit": limit}).fetchall()


def _arrays(entries: Sequence[Entry]) -> dict[str, list[str]]:
    distinct = sorted(set(entries))
    return {"kinds": [kind for kind, _ in distinct], "values": [value for _, value in distinct]}


def _by_kind(entries: Sequence[Entry]) -> dict[str, list[str]]:
    kinds = {"email": "emails", "phone": "phones", "domain": "domains"}
    return {plural: [value for kind, value in entries if kind == singular] for singular, plural in kinds.items()}
