"""For people who look at many rows at once: plans that may read a whole table, and a limit to how long they may."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from psycopg import Connection

from db.connections import Pool, transaction

# A command has one connection, a dashboard lends one of its pool.
Source = Connection[Any] | Pool

# The engine's connections are kept from reading whole tables; a filter of a person's own may have to.
PLAN_FREELY: Final = """
select set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
       set_config('enable_mergejoin', 'on', true), set_config('enable_material', 'on', true),
       set_config('lock_timeout', '5s', true), set_config('statement_timeout', %s, true)
"""


@contextmanager
def at_leisure(connection: Connection[Any], longest: str) -> Iterator[None]:
    """One transaction, each statement of it within the time that is given, such as 10s."""
    with connection.transaction():
        connection.execute(PLAN_FREELY, [longest])
        yield


@contextmanager
def lent(source: Source, longest: str) -> Iterator[Connection[Any]]:
    """One transaction: a command's own, or one at leisure on a connection that goes back to the pool at its end."""
    if isinstance(source, Connection):
        with source.transaction():
            yield source
    else:
        with transaction(source) as connection, at_leisure(connection, longest):
            yield connection
