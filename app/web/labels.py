"""How a row is called: the columns by which people know it, and the link to its page."""

from collections.abc import Iterable, Mapping
from typing import Final

from psycopg import sql
from sqlalchemy import Table

from app.web.reader import Reader
from db.declaration import type_of
from db.models.base import Base
from db.statements import compose

# An expression over `item`; what is missing leaves the id.
NAMES: Final = {
    "place_searches": "concat_ws(' in ', item.business_type, item.location)",
    "places_staging": "coalesce(item.name, item.place_id)",
    "local_businesses": "coalesce(item.business_name, item.website_url)",
    "domains": "item.domain",
    "sitemap_files": "item.url",
    "pages": "item.url",
    "contacts": "coalesce(item.email, item.phone_number)",
}
LONGEST: Final = 300

TABLES: Final[Mapping[str, Table]] = {name: Base.metadata.tables[name] for name in NAMES}

ASK: Final = """
select item.{pk}::text as pk,
       left(engine.masked(left({name}, 2 * %(longest)s)), %(longest)s) as name from {table} as item
where item.{pk} = any(%(pks)s::text[]::{pk_type}[])
"""


def name_of(table: str) -> sql.SQL:
    return sql.SQL(NAMES.get(table, "null::text"))


def labels(reader: Reader, table: Table, pks: Iterable[str]) -> dict[str, str]:
    """The names of these rows; a row that is gone has none."""
    wanted = list(pks)
    if not wanted:
        return {}
    (key,) = table.primary_key.columns
    statement = compose(
        ASK,
        pk=sql.Identifier(key.name),
        pk_type=sql.SQL(type_of(key)),
        table=sql.Identifier(table.name),
        name=name_of(table.name),
    )
    return {row["pk"]: row["name"] or "" for row in reader.rows(statement, pks=wanted, longest=LONGEST)}
