"""The role that answers why a row does not move: what it owns and what it may see.

It can not log in. Whoever may call `engine.explain` sees through its eyes, and only what that function tells.
"""

from collections.abc import Sequence
from typing import Any

from psycopg import Connection, sql
from psycopg.errors import InsufficientPrivilege

from db.declaration import Declaration

READER = "scrapersky_reader"
TELLING = ("explain", "why", "history")

# To read the row, and to find out whether a claim could lock it: that needs the right to write one column.
MISSING = """
select format('grant usage on schema %%I to %%I', namespace.nspname, %(reader)s::text)
from pg_class join pg_namespace as namespace on namespace.oid = relnamespace
where pg_class.oid = %(table)s::regclass and not has_schema_privilege(%(reader)s, namespace.oid, 'usage')
union all
select format('grant select on %%s to %%I', %(table)s::regclass, %(reader)s::text)
where not has_table_privilege(%(reader)s, %(table)s::regclass, 'select')
union all
select format('grant update (%%I) on %%s to %%I', %(column)s::text, %(table)s::regclass, %(reader)s::text)
where not has_column_privilege(%(reader)s, %(table)s::regclass, %(column)s::text, 'update')
"""


def hand_over(connection: Connection[Any], declarations: Sequence[Declaration]) -> None:
    """Grant what is missing, and nothing twice: a grant that changes nothing still waits for a locked table."""
    for declaration in declarations:
        known = {"reader": READER, "table": declaration.quoted_table, "column": declaration.status}
        for (statement,) in connection.execute(MISSING, known).fetchall():
            connection.execute(statement)
    for name in TELLING:
        function = sql.Identifier("engine", name)
        owner = sql.Identifier(READER)
        connection.execute(sql.SQL("alter function {}(text, text) owner to {}").format(function, owner))
    _let_see_activity(connection)


def _let_see_activity(connection: Connection[Any]) -> None:
    """Who holds a lock, by name. Where we may not grant that, the number of the server process must do."""
    try:
        with connection.transaction():
            connection.execute(sql.SQL("grant pg_read_all_stats to {}").format(sql.Identifier(READER)))
    except InsufficientPrivilege:
        pass
