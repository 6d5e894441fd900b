"""The suppression list. The database itself deletes contacts that come onto it, and takes in none that are on it."""

from collections.abc import Iterator, Sequence
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
# What the trigger of the insert will delete and clear, by the functions that it asks itself.
_AFFECTED: Final = """
with touched as materialized (select * from engine.suppressed_contacts(%(kinds)s, %(values)s)),
gathered as materialized (
    select array(select domain_id from touched union select engine.suppressed_sites(%(kinds)s, %(values)s)) as sites,
           array(select id from touched where goes) as gone),
affected as materialized (
    select id, case when goes then 'contacts' else 'numbers' end as what from touched
    union all
    select id, 'contexts'
    from gathered, engine.suppressed_contexts(%(kinds)s, %(values)s, gathered.sites, gathered.gone) as id
    union all select id, 'domains' from engine.suppressed_domains(%(kinds)s, %(values)s) as id
    union all select id, 'businesses' from engine.suppressed_businesses(%(kinds)s, %(values)s) as id)
"""
COUNTS: Final = f"{_AFFECTED} select what, count(*) from affected group by what"  # noqa: S608
ROWS: Final = (
    _AFFECTED
    + """
select affected.what, sites.domain as site,
       coalesce(contacts.email, contacts.phone_number, domains.domain, businesses.business_name, '') as name
from affected
left join contacts on contacts.id = affected.id and affected.what in ('contacts', 'numbers', 'contexts')
left join domains as sites on sites.id = contacts.domain_id
left join domains on domains.id = affected.id and affected.what = 'domains'
left join local_businesses as businesses on businesses.id = affected.id and affected.what = 'businesses'
order by array_position(array['contacts', 'numbers', 'contexts', 'domains', 'businesses'], affected.what), 2, 3
limit %(rows)s
"""
)
NEW: Final = """
select count(*) from unnest(%(kinds)s::text[], %(values)s::text[]) as given (kind, value)
where not exists (select 1 from suppressions as listed
                  where listed.kind = given.kind and listed.value = engine.one_spelling(given.kind, given.value))
"""


class Affected(NamedTuple):
    """How many rows entries of the list change."""

    contacts: int
    """Deleted."""

    numbers: int
    """Contacts that stay without a number."""

    contexts: int
    """Contacts that stay without the words around them."""

    domains: int
    businesses: int

    def __str__(self) -> str:
        parts = [f"{self.contacts:,} contact(s) deleted"]
        if self.numbers:
            parts.append(f"a number removed from {self.numbers:,} more")
        if self.contexts:
            parts.append(f"the words around {self.contexts:,} other contact(s) cleared")
        if self.domains:
            parts.append(f"addresses or numbers of {self.domains:,} domain(s) cleared")
        if self.businesses:
            parts.append(f"the telephone of {self.businesses:,} business(es) cleared")
        return ", ".join(parts)


class Added(NamedTuple):
    new: int
    affected: Affected


class Lost(NamedTuple):
    """One row that entries of the list change."""

    what: str
    """A field of Affected."""

    site: str | None
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.site})" if self.site else self.name

    @property
    def outcome(self) -> str:
        return OUTCOMES[self.what]


OUTCOMES: Final = {
    "contacts": "is deleted",
    "numbers": "loses a number",
    "contexts": "loses the words around it",
    "domains": "loses addresses or numbers",
    "businesses": "loses its telephone",
}


def affected_by(connection: Connection[Any], entries: Sequence[Entry]) -> Affected:
    counts = dict(connection.execute(COUNTS, _arrays(entries)).fetchall())
    return Affected(*(counts.get(what, 0) for what in Affected._fields))


def affected_rows(connection: Connection[Any], entries: Sequence[Entry], most: int | None) -> Iterator[Lost]:
    """What `affected_by` counts, row by row, contacts first; of many the first, None takes all of them."""
    with connection.cursor() as cursor:
        for row in cursor.stream(ROWS, {**_arrays(entries), "rows": most}):
            yield Lost(*row)


def expected(connection: Connection[Any], entries: Sequence[Entry]) -> Added:
    """What `add` would do; nothing is written, and no writer waits."""
    (new,) = connection.execute(NEW, _arrays(entries)).fetchone() or (0,)
    return Added(new, affected_by(connection, entries))


def add(connection: Connection[Any], entries: Sequence[Entry], reason: str | None) -> Added:
    """All at once; entries that are there keep their place, and get the reason if one is given.

    Raises LockNotAvailable with nothing changed when another transaction has its hands on what is affected.
    """
    with connection.transaction():
        affected = affected_by(connection, entries)
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
