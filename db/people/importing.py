"""Rows from somebody's file: in bulk, once each, and never over what is there already."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from db.statements import compose

DOMAINS: Final = "domains"


class Given(NamedTuple):
    """A line of the file: its number, its domain, and for a sitemap or a page the columns of its row."""

    line: int
    domain: str
    columns: dict[str, Any]

    @property
    def key(self) -> tuple[str, Any]:
        return self.domain, self.columns.get("url")


@dataclass
class Imported:
    new: int = 0
    existing: int = 0
    repeated: int = 0
    queued: int = 0
    suppressed: list[tuple[int, str]] = field(default_factory=list)
    """The lines whose domain must not be contacted, and that domain."""
    refused: list[tuple[int, str, str]] = field(default_factory=list)
    """The lines that the database would not take: number, value and its reason."""

    def add(self, other: "Imported") -> None:
        self.new += other.new
        self.existing += other.existing
        self.repeated += other.repeated
        self.queued += other.queued


class Target(NamedTuple):
    """A table that belongs to domains, and the word that queues a row about which nobody has decided."""

    table: str
    columns: tuple[str, ...]
    queues: str
    undecided: str


TARGETS: Final = {
    "sitemaps": Target(
        "sitemap_files",
        ("url", "discovery_method"),
        "deep_scrape_curation_status",
        "item.deep_scrape_curation_status = 'New' and item.sitemap_import_status is null",
    ),
    "pages": Target(
        "pages",
        ("url", "lead_source", "page_type", "honeybee_json", "priority_level", "path_depth"),
        "page_curation_status",
        "item.page_curation_status = 'New' and item.page_processing_status is null",
    ),
}

SUPPRESSED: Final = "select value from suppressions where kind = 'domain' and value = any(%(domains)s)"

# What this import itself has put there is a value that the file names twice, and no row of before.
DOMAINS_THERE: Final = """
select count(*), count(*) filter (where created_at >= %(since)s) from domains where domain = any(%(domains)s)
"""
QUEUE_DOMAINS: Final = """
update domains set status = 'pending', updated_at = now() where domain = any(%(domains)s) and status is null
"""
SET_REGION: Final = """
update domains set region = %(region)s, updated_at = now() where domain = any(%(domains)s) and region is null
"""
ADD_DOMAINS: Final = """
insert into domains (domain, region, status)
select domain, %(region)s, %(status)s from unnest(%(domains)s::text[]) as domain
on conflict (domain) do nothing
"""

THERE: Final = """
select count(*), count(*) filter (where item.created_at >= %(since)s)
from jsonb_to_recordset(%(rows)s) as given (domain text, url text)
join domains using (domain) join {table} as item on item.domain_id = domains.id and item.url = given.url
"""
QUEUE: Final = """
update {table} as item set {queues} = 'Selected', updated_at = now()
from jsonb_to_recordset(%(rows)s) as given (domain text, url text) join domains using (domain)
where item.domain_id = domains.id and item.url = given.url and {undecided}
"""
ADD: Final = """
insert into {table} (domain_id, {columns}, {queues})
select domains.id, {found}, %(curation)s
from jsonb_array_elements(%(rows)s) as given (row)
join domains on domains.domain = given.row ->> 'domain',
lateral jsonb_populate_record(null::{table}, given.row) as found
on conflict (domain_id, url) do nothing
"""


@dataclass(frozen=True)
class Import:
    """One file's way into the database, a batch of lines at a time, each batch its own transaction."""

    connection: Connection[Any]
    kind: str
    since: datetime
    queue: bool = False
    region: str | None = None

    def write(self, batch: Sequence[Given]) -> Imported:
        """All lines but those that the database refuses, which are found by halving."""
        try:
            with self.connection.transaction():
                return self._write(batch)
        except (psycopg.DataError, psycopg.IntegrityError) as error:
            if len(batch) == 1:
                value = batch[0].columns.get("url") or batch[0].domain
                reason = str(error).splitlines()[0]
                return Imported(refused=[(batch[0].line, value, reason)])
        middle = len(batch) // 2
        first, second = self.write(batch[:middle]), self.write(batch[middle:])
        first.add(second)
        first.suppressed += second.suppressed
        first.refused += second.refused
        return first

    def _write(self, batch: Sequence[Given]) -> Imported:
        names = sorted({given.domain for given in batch})
        forbidden = {value for (value,) in self.connection.execute(SUPPRESSED, {"domains": names})}
        allowed = {given.key: given for given in reversed(batch) if given.domain not in forbidden}
        imported = Imported(suppressed=[(given.line, given.domain) for given in batch if given.domain in forbidden])
        imported.repeated = len(batch) - len(imported.suppressed) - len(allowed)
        if self.kind == DOMAINS:
            self._domains([name for name in names if name not in forbidden], imported)
        else:
            self._urls(TARGETS[self.kind], [allowed[key] for key in sorted(allowed)], imported)
        return imported

    def _domains(self, names: list[str], imported: Imported) -> None:
        values = {"domains": names, "since": self.since, "status": "pending" if self.queue else None}
        self._count(compose(DOMAINS_THERE), values, imported)
        if self.queue:
            imported.queued += self.connection.execute(QUEUE_DOMAINS, values).rowcount
        imported.new = self._add_domains(values)
        imported.queued += imported.new if self.queue else 0

    def _urls(self, target: Target, batch: Sequence[Given], imported: Imported) -> None:
        names = _names(target)
        rows = Jsonb([{"domain": given.domain, **given.columns} for given in batch])
        values = {"rows": rows, "since": self.since, "curation": "Selected" if self.queue else "New"}
        self._add_domains({"domains": sorted({given.domain for given in batch}), "status": None})
        self._count(compose(THERE, **names), values, imported)
        if self.queue:
            imported.queued += self.connection.execute(compose(QUEUE, **names), values).rowcount
        imported.new = self.connection.execute(compose(ADD, **names), values).rowcount
        imported.queued += imported.new if self.queue else 0

    def _add_domains(self, values: dict[str, Any]) -> int:
        """What is missing goes in; a region is only given to those that have none."""
        values = {**values, "region": self.region}
        if self.region:
            self.connection.execute(SET_REGION, values)
        return self.connection.execute(ADD_DOMAINS, values).rowcount

    def _count(self, statement: bytes, values: dict[str, Any], imported: Imported) -> None:
        there, ours = self.connection.execute(statement, values).fetchone() or (0, 0)
        imported.existing += there - ours
        imported.repeated += ours


def time_of(connection: Connection[Any]) -> datetime:
    """The moment from which new rows are this import's own."""
    row = connection.execute("select now()").fetchone()
    return row[0] if row else datetime.now(UTC)


def _names(target: Target) -> dict[str, sql.Composable]:
    return {
        "table": sql.Identifier(target.table),
        "queues": sql.Identifier(target.queues),
        "undecided": sql.SQL(target.undecided),
        "columns": sql.SQL(", ").join(map(sql.Identifier, target.columns)),
        "found": sql.SQL(", ").join(sql.Identifier("found", column) for column in target.columns),
    }
