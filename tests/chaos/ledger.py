"""The ledger of a chaos run: what happened to each row, and what users and the harness did about it.

`install` it in a migrated database. Users say what they intend in the transaction that does it:
`select chaos.intend(id::text, 'queue')` beside the UPDATE (or `'cancel'`, `'delete'`; arrays of keys work too). Their
application_name does not begin with "scrapersky": that is how the engine's hands are told from theirs.
Whoever switches triggers off names the engine's own; `session_replication_role = replica` needs no care.
Effects may tell which process ran the row (`pid`) and since when (`began`): then a late result that took the place of
the right one is found too.

The harness writes down what it did to processes as `Note`s, at once or, with the database away, later:
kill, freeze (before SIGSTOP), thaw (after SIGCONT), failure (a user's statement that failed because of the engine),
refused (a result that came too late and was not written; the worker's log says `row.stale`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection, sql
from psycopg.types.json import Jsonb

SCHEMA = Path(__file__).with_name("ledger.sql")
ENTRIES_AT_ONCE = 5000


class Entry(NamedTuple):
    id: int
    at: datetime
    xid: int
    kind: str
    who: str
    pk: str | None = None
    generation: int | None = None
    token: UUID | None = None
    worker: UUID | None = None
    before: str | None = None
    after: str | None = None
    session: UUID | None = None
    detail: dict[str, Any] = {}  # noqa: RUF012 - nobody writes to it


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Note:
    """What the harness did: kill, freeze, thaw, failure or refused."""

    kind: str
    pid: int | None = None
    at: datetime = field(default_factory=_now)
    text: str | None = None


def install(connection: Connection[Any], *, table: str = "samples", effects: str = "effects") -> None:
    """Watch the engine's tables, the table of the workload and the table of its effects."""
    names = {"table": sql.Identifier(table), "effects": sql.Identifier(effects)}
    connection.execute(sql.SQL(SCHEMA.read_text()).format(**names))


def intend(connection: Connection[Any], pks: Sequence[str] | str, what: str) -> None:
    """In the transaction of the change itself."""
    listed = [pks] if isinstance(pks, str) else list(pks)
    connection.execute("select chaos.intend(%s::text[], %s)", [listed, what])


def write_notes(connection: Connection[Any], notes: Sequence[Note]) -> None:
    query = "insert into chaos.ledger (kind, at, detail) values (%s, %s, %s)"
    details = [{"pid": note.pid, "text": note.text} for note in notes]
    values = [(note.kind, note.at, Jsonb(detail)) for note, detail in zip(notes, details, strict=True)]
    with connection.cursor() as cursor:
        cursor.executemany(query, values)


def note_kill(connection: Connection[Any], pid: int, at: datetime | None = None) -> None:
    write_notes(connection, [Note("kill", pid, at or _now())])


READ = """
select *
from (
    select id, at, xid::text::bigint, kind, who, pk, generation, token, worker_id,
           status_before, status_after, session, detail
    from chaos.ledger
    union all
    select min(id), min(at), 0, 'session', who, null, null, null, worker_id, null, null, session, '{}'
    from chaos.ledger where kind = 'claimed' group by who, worker_id, session
) as told
order by pk nulls first, id
"""


def read(connection: Connection[Any]) -> Iterator[Entry]:
    """As the checker wants it: what belongs to no row first, then row by row, each in the order of its history.

    What belongs to no row includes an entry of kind session for each connection through which a worker claimed.
    """
    with connection.transaction(), connection.cursor(name="chaos_ledger") as cursor:
        cursor.itersize = ENTRIES_AT_ONCE
        for row in cursor.execute(READ):
            yield Entry(*row)
