"""Curation by filter: many rows get a person's word at once, and the database queues those that became Selected."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from psycopg import Connection, sql
from psycopg.rows import DictRow, dict_row

from db.models.base import CURATION
from db.people.conditions import MISTAKES, ConditionError, check, explained, part, written
from db.statements import compose

WORDS: Final = CURATION
SAMPLE: Final = 10


class Curated(NamedTuple):
    """A table whose rows people decide about; `shown` are the columns by which they know a row."""

    table: str
    curation: str
    processing: str
    queued: str
    shown: tuple[str, ...]
    key: str = "uuid"

    @property
    def running(self) -> str:
        return "processing" if self.queued.islower() else "Processing"

    @property
    def error(self) -> str:
        return self.processing.removesuffix("status") + "error"

    @property
    def result(self) -> str:
        return self.processing.removesuffix("status") + "result"


CURATED: Final = {
    "places": Curated(
        "places_staging", "status", "deep_scan_status", "Queued", ("name", "formatted_address", "rating"), "integer"
    ),
    "businesses": Curated(
        "local_businesses", "status", "domain_extraction_status", "Queued", ("business_name", "city", "website_url")
    ),
    "domains": Curated("domains", "sitemap_curation_status", "sitemap_analysis_status", "queued", ("domain", "title")),
    "sitemaps": Curated(
        "sitemap_files", "deep_scrape_curation_status", "sitemap_import_status", "Queued", ("url", "sitemap_type")
    ),
    "pages": Curated("pages", "page_curation_status", "page_processing_status", "Queued", ("url", "page_type")),
}

# What each filter asks of a row, `item`; {value} is as typed, {part} finds it anywhere in a text, in any case.
FILTERS_OF_ALL: Final = {
    "ids": "item.id = any({value})",
    "word": "item.{curation} = {value}",
    "processing": "item.{processing} is not distinct from {value}",
    "change": "item.id = any(array(select pk::{key} from engine.curated_row where curation = {value}))",
}
FILTERS: Final = {
    "places": {
        "search": "item.search_job_id = {value}",
        "type": "item.business_type ilike {part}",
        "location": "(item.search_location ilike {part} or item.formatted_address ilike {part})",
        "name": "item.name ilike {part}",
        "min_rating": "item.rating >= {value}",
    },
    "businesses": {
        "name": "item.business_name ilike {part}",
        "city": "item.city ilike {part}",
        "category": "concat_ws(' ', item.main_category, array_to_string(item.extra_categories, ' ')) ilike {part}",
        "min_rating": "item.rating >= {value}",
        "has_website": "(coalesce(item.website_url, '') <> '') = {value}",
    },
    "domains": {
        "domain": "item.domain ilike {part}",
    },
    "sitemaps": {
        "domain": "item.domain_id in (select id from domains where domain = {value})",
        "type": "item.sitemap_type ilike {part}",
        "url": "item.url ilike {part}",
    },
    "pages": {
        "domain": "item.domain_id in (select id from domains where domain = {value})",
        "type": "item.page_type = {value}",
        "url": "item.url ilike {part}",
    },
}

# A row changes when it gets another word; one that is to run again, when it neither waits nor runs.
CHANGES: Final = """
(item.{curation} is distinct from %(word)s
 or %(again)s and coalesce(lower(item.{processing}), '') not in ('queued', 'processing'))
"""
COUNT: Final = """
select count(*), count(*) filter (where {changes}) from {table} as item where {condition}
"""
CHOSEN: Final = """
select item.id, item.{processing} as before, {shown} from {table} as item
where {condition} and {changes} order by item.created_at desc, item.id limit %(limit)s
"""
CHANGE: Final = """
with chosen as ({chosen} for update), changed as (
    update {table} as item
    set {curation} = %(word)s, updated_at = now(),
        {processing} = case when item.{curation} = %(word)s then {queued} else item.{processing} end
    from chosen where item.id = chosen.id
    returning chosen.before is distinct from {queued} and item.{processing} = {queued} as queued)
select count(*), count(*) filter (where queued) from changed
"""


class Matching(NamedTuple):
    rows: int
    to_change: int


class Changed(NamedTuple):
    updated: int
    queued: int


@dataclass(frozen=True)
class Selection:
    """The rows of a kind that pass all filters and the typed condition, and the word they shall get."""

    kind: str
    word: str
    filters: Mapping[str, Any]
    where: str | None = None
    limit: int | None = None
    again: bool = False

    def check(self, connection: Connection[Any]) -> None:
        """Raises ConditionError when Postgres does not understand the typed condition."""
        if self.where is not None:
            check(connection, self.where, sql.Identifier(CURATED[self.kind].table))

    def count(self, connection: Connection[Any]) -> Matching:
        with self._explained():
            return Matching(*(connection.execute(*self._statement(COUNT)).fetchone() or (0, 0)))

    def sample(self, connection: Connection[Any]) -> list[DictRow]:
        """The first rows that would change, newest first."""
        with self._explained(), connection.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(*self._statement(CHOSEN, min(SAMPLE, self.limit or SAMPLE))).fetchall()

    def change(self, connection: Connection[Any]) -> Changed:
        statement = CHANGE.replace("{chosen}", CHOSEN.replace(", {shown}", ""))
        with self._explained():
            return Changed(*(connection.execute(*self._statement(statement, self.limit)).fetchone() or (0, 0)))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """The check stopped at the first row that matches; what a later row has against the condition shows here."""
        try:
            yield
        except MISTAKES as error:
            if self.where is None:
                raise
            raise ConditionError(explained(error, self.where)) from None

    def _statement(self, text: str, limit: int | None = None) -> tuple[bytes, dict[str, Any]]:
        curated = CURATED[self.kind]
        statement = compose(
            text.replace("{changes}", CHANGES),
            table=sql.Identifier(curated.table),
            curation=sql.Identifier(curated.curation),
            processing=sql.Identifier(curated.processing),
            queued=sql.Literal(curated.queued),
            shown=sql.SQL(", ").join(
                sql.SQL("engine.masked({}::text) as {}").format(sql.Identifier("item", column), sql.Identifier(column))
                for column in curated.shown
            ),
            condition=condition_of(self.kind, self.filters, self.where),
        )
        return statement, {"word": self.word, "again": self.again, "limit": limit}


def condition_of(kind: str, filters: Mapping[str, Any], where: str | None = None) -> sql.Composable:
    """All filters and the typed condition, about `item`."""
    curated = CURATED[kind]
    names = {
        "curation": sql.Identifier(curated.curation),
        "processing": sql.Identifier(curated.processing),
        "key": sql.SQL(curated.key),
    }
    conditions: list[sql.Composable] = [sql.SQL("true")]
    for name, value in filters.items():
        given = {**names, "value": sql.Literal(value), "part": sql.Literal(part(str(value)))}
        conditions.append(sql.SQL({**FILTERS_OF_ALL, **FILTERS[kind]}[name]).format(**given))
    if where is not None:
        # A query of its own, so that a bracket in it can not undo the filters.
        table = sql.Identifier(curated.table)
        conditions.append(sql.SQL("item.id in (select id from {} where {})").format(table, written(where)))
    return sql.SQL(" and ").join(conditions)
