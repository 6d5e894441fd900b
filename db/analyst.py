"""What analysts may do with business tables: read all of them, and write the columns by which work is started.

Those columns are declared by the workflows, and follow from nothing else: a column may be called a status and be the
engine's own account of a row.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from psycopg import Connection, sql

from db.declaration import Declaration
from db.models.base import Base

MISSING = """
select name from unnest(%(names)s::text[]) as name
where not has_column_privilege(%(analyst)s, %(table)s, name, 'update')
"""
# Of earlier versions, which went by the name of a column. What an administrator granted besides stays.
TOO_WIDE = """
select attname from pg_attribute cross join aclexplode(attacl) as granted
where attrelid = %(table)s::regclass and granted.grantee = %(analyst)s::regrole and granted.privilege_type = 'UPDATE'
  and attname like '%%status' and attname <> all(%(names)s::text[])
"""


def let_analysts_write(connection: Connection[Any], analyst: str, declarations: Sequence[Declaration]) -> None:
    """Grant what is missing, revoke what is too much: a grant that changes nothing still waits for a locked table."""
    declared: dict[str, set[str]] = defaultdict(set)
    for declaration in declarations:
        if declaration.source is not Base.metadata.tables.get(declaration.source.key):
            continue  # a table of another schema, which may have the name of one of ours
        declared[declaration.source.name] |= {declaration.status, *filter(None, [declaration.curation])}
    for table in Base.metadata.sorted_tables:
        names = {"table": sql.Identifier(table.name), "analyst": sql.Identifier(analyst)}
        known = {"analyst": analyst, "table": names["table"].as_string(None), "names": sorted(declared[table.name])}
        closed = "select 1 where not has_table_privilege(%(analyst)s, %(table)s, 'select')"
        if connection.execute(closed, known).fetchone():
            connection.execute(sql.SQL("grant select on {table} to {analyst}").format(**names))
        if missing := connection.execute(MISSING, known).fetchall():
            statement = sql.SQL("grant update ({columns}) on {table} to {analyst}")
            connection.execute(statement.format(columns=_columns(missing), **names))
        if too_wide := connection.execute(TOO_WIDE, known).fetchall():
            statement = sql.SQL("revoke update ({columns}) on {table} from {analyst}")
            connection.execute(statement.format(columns=_columns(too_wide), **names))


def _columns(rows: Iterable[tuple[str]]) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(name) for (name,) in rows)
