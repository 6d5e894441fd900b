"""One look at the queue, and how fast it moves from one look to the next."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

import psycopg
from psycopg import Connection
from psycopg.rows import DictRow, dict_row

from app.commands.names import in_order
from db.connections import KEEPALIVE

OVERVIEW: Final = "select * from engine.overview"
WORKERS: Final = "select count(*) as workers, count(*) filter (where draining) as draining from engine.worker"
# What came in since the last look at the queue, by the keys of the log of submissions.
SUBMITTED: Final = """
select workflow, sum(rows)::bigint as rows from engine.submission where id > %s group by workflow
"""
# Of this minute and the one before, as workers have told with their beats.
RECENT: Final = """
select workflow, sum(completed + retried + failed + other)::float8
       / greatest(1, extract(epoch from clock_timestamp() - date_trunc('minute', clock_timestamp())) + 60) as per_second
from engine.rate
where minute >= date_trunc('minute', clock_timestamp()) - interval '1 minute'
group by workflow
"""
NEWEST: Final = "select coalesce(max(id), 0) as id from engine.submission"
ERRORS: Final = """
select workflow, error, outcome, clock_timestamp() - ended_at as age from engine.attempt
where ended_at > clock_timestamp() - interval '10 minutes' and outcome in ('failed', 'retried', 'unwritable')
order by id desc limit 3
"""
WINDOW_LOOKS: Final = 10


@dataclass(frozen=True)
class Reading:
    workflows: list[DictRow]
    workers: int
    draining: int
    errors: list[DictRow]
    submission: int
    submitted: dict[str, int]
    recent: dict[str, float]
    at: float = field(default_factory=time.monotonic)

    @property
    def backlog(self) -> dict[str, int]:
        return {row["workflow"]: row["ready"] + row["delayed"] + row["running"] for row in self.workflows}


def read(url: str, since: int | None = None) -> Reading:
    """All in one snapshot, so that the numbers fit together."""
    with psycopg.connect(
        url, row_factory=dict_row, prepare_threshold=None, application_name="scrapersky status", **KEEPALIVE
    ) as connection:
        connection.execute("set transaction isolation level repeatable read, read only")
        return _read(connection, since)


def _read(connection: Connection[DictRow], since: int | None) -> Reading:
    overview = connection.execute(OVERVIEW).fetchall()
    processes: Any = connection.execute(WORKERS).fetchone()
    newest: Any = connection.execute(NEWEST).fetchone()
    submitted = [] if since is None else connection.execute(SUBMITTED, [since]).fetchall()
    return Reading(
        workflows=sorted(overview, key=lambda row: in_order(row["workflow"])),
        workers=processes["workers"],
        draining=processes["draining"],
        errors=connection.execute(ERRORS).fetchall(),
        submission=newest["id"],
        submitted={row["workflow"]: row["rows"] for row in submitted},
        recent={row["workflow"]: row["per_second"] for row in connection.execute(RECENT).fetchall()},
    )


class Rates:
    """Rows ended per second: what came in, and by how much less there is of it, over the last few looks.

    Quicker than what workers tell with their beats, which has to do for the first look.
    """

    def __init__(self) -> None:
        self._looks: deque[Reading] = deque(maxlen=WINDOW_LOOKS)

    @property
    def since(self) -> int | None:
        return self._looks[0].submission if self._looks else None

    def of(self, reading: Reading) -> dict[str, float]:
        first = self._looks[0] if self._looks else None
        self._looks.append(reading)
        if first is None:
            return reading.recent
        seconds = max(0.001, reading.at - first.at)
        return {
            name: max(0.0, (first.backlog.get(name, 0) + reading.submitted.get(name, 0) - left) / seconds)
            for name, left in reading.backlog.items()
        }
