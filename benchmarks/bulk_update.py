"""What our trigger costs a user's UPDATE, by its size and by what the session did before.

    .venv/bin/python -m benchmarks.bulk_update --rows 100000

Each UPDATE queues rows of 1 kB with five indexes: in a session that did nothing before, in one that has queued a single
row several times, and with no trigger at all. Prints the median of some rounds in milliseconds, and the processor time
of the server, which is the figure to trust on a busy machine.
"""

import argparse
import statistics
import time
from typing import NamedTuple

import psycopg
from psycopg import Connection
from rich.console import Console
from rich.table import Table

from benchmarks.processes import session_seconds
from benchmarks.stage import pause, stage

SIZES = (1, 100, 10_000, 100_000)
SESSIONS = ("fresh", "warmed", "no trigger")
QUEUE = "update wide set status = 'Queued' where id in (select id from chosen)"
RESET = """
set session_replication_role = replica;
update wide set status = null where status is not null;
set session_replication_role = origin;
delete from engine.job
"""


class Cost(NamedTuple):
    milliseconds: float
    processor: float


def measure(url: str, user: Connection, rows: int, session: str, statement: str = QUEUE) -> Cost:
    user.execute(RESET)
    user.execute(f"alter table wide {'disable' if session == 'no trigger' else 'enable'} trigger all")
    user.execute("vacuum analyze wide, engine.job")
    with psycopg.connect(url, autocommit=True) as connection:
        if session == "warmed":
            warm(connection)
            user.execute("delete from engine.job")
        connection.execute("create temporary table chosen as select id from wide limit %s", [rows])
        connection.execute("analyze chosen")
        began, used = time.perf_counter(), session_seconds(connection)
        changed = connection.execute(statement).rowcount
        cost = Cost((time.perf_counter() - began) * 1000, (session_seconds(connection) - used) * 1000)
    if changed != rows:
        raise RuntimeError(f"{changed} rows were changed instead of {rows}")
    return cost


def warm(connection: Connection) -> None:
    """More often than a plan is made anew for its parameters."""
    one = "(select id from wide order by id limit 1)"
    for _ in range(7):
        connection.execute(f"update wide set status = 'Queued' where id = {one}")
        connection.execute(f"update wide set status = null where id = {one}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=SIZES[-1], help="rows of the table, and of the largest UPDATE")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    table = Table("rows", *SESSIONS, "warmed to fresh", title="one UPDATE: ms (ms of the server's processor)")
    with stage(arguments.rows) as (url, user):
        pause(user, paused=True)
        for rows in (size for size in SIZES if size <= arguments.rows):
            costs: dict[str, list[Cost]] = {session: [] for session in SESSIONS}
            for _ in range(arguments.rounds):
                for session in SESSIONS:
                    costs[session].append(measure(url, user, rows, session))
            middle = {session: Cost(*map(statistics.median, zip(*costs[session], strict=True))) for session in SESSIONS}
            cells = (f"{middle[one].milliseconds:,.1f} ({middle[one].processor:,.1f})" for one in SESSIONS)
            table.add_row(f"{rows:,}", *cells, f"{middle['warmed'].processor / middle['fresh'].processor:.2f} x")
    Console().print(table)


if __name__ == "__main__":
    main()
