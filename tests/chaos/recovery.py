"""How long the rows of a killed worker wait to be given back: where nothing else was broken, and everywhere."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from psycopg import Connection

from tests.chaos.system import Member

# So long a killed supervisor is missed; so long before and after a kill nothing else may be broken.
REBIRTH = timedelta(seconds=3)
BEFORE, AFTER = timedelta(seconds=1), timedelta(seconds=2)

GIVEN_BACK = """
select extract(epoch from ended.at - killed.at)::float8
from unnest(%s::int[], %s::timestamptz[]) as killed (pid, at)
join chaos.ledger as registered
    on registered.kind = 'registered' and (registered.detail ->> 'pid')::int = killed.pid and registered.at < killed.at
join chaos.ledger as ended
    on ended.kind = 'ended' and ended.worker_id = registered.worker_id and ended.at > killed.at
where ended.who in ('scrapersky supervisor', 'scrapersky sweeper')
"""


class Kill(NamedTuple):
    at: datetime
    victim: Member


class Trouble(NamedTuple):
    """Postgres away, or a supervisor that can not look after its children."""

    began: datetime
    ended: datetime
    supervisor: int | None = None

    def touches(self, kill: Kill) -> bool:
        concerns = self.supervisor is None or self.supervisor == kill.victim.supervisor
        return concerns and self.began <= kill.at + AFTER and self.ended >= kill.at - BEFORE


def measure(connection: Connection[Any], kills: Sequence[Kill], troubles: Sequence[Trouble]) -> list[float]:
    """Seconds, for every row of every killed worker whose supervisor and database were there."""
    alone = [kill for kill in kills if not any(trouble.touches(kill) for trouble in troubles)]
    arguments = [[kill.victim.pid for kill in alone], [kill.at for kill in alone]]
    return [seconds for (seconds,) in connection.execute(GIVEN_BACK, arguments).fetchall()]
