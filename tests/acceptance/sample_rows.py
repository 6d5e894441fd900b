"""The rows of the sample workflow as a user sees them."""

from typing import Any, NamedTuple

from psycopg import Connection
from psycopg.rows import namedtuple_row

from tests.process_support import wait_until


class Job(NamedTuple):
    attempt: int
    lost: int
    dead: bool
    claimed: bool


class SampleRows:
    def __init__(self, connection: Connection[Any]) -> None:
        self.connection = connection

    def add(self, name: str, action: str = "find", status: str | None = None) -> None:
        values = [name, action, status]
        self.connection.execute("insert into samples (name, action, status) values (%s, %s, %s)", values)

    def add_many(self, prefix: str, count: int, action: str = "find") -> list[str]:
        """`prefix-1`, `prefix-2`, …, not yet queued."""
        names = [f"{prefix}-{number + 1}" for number in range(count)]
        self.connection.execute("insert into samples (name, action) select unnest(%s::text[]), %s", [names, action])
        return names

    def queue(self, *names: str) -> None:
        """The whole API."""
        self.set("Queued", *names)

    def set(self, status: str, *names: str) -> None:
        self.connection.execute("update samples set status = %s where name = any(%s)", [status, list(names)])

    def row(self, name: str) -> Any:
        with self.connection.cursor(row_factory=namedtuple_row) as cursor:
            return cursor.execute("select * from samples where name = %s", [name]).fetchone()

    def status(self, name: str) -> str:
        return str(self.row(name).status)

    def count(self, status: str) -> int:
        found = self.connection.execute("select count(*) from samples where status = %s", [status]).fetchone()
        return int(found[0]) if found else 0

    def findings(self, name: str) -> int:
        found = self.connection.execute("select count(*) from findings where name = %s", [name]).fetchone()
        return int(found[0]) if found else 0

    def job(self, name: str) -> Job | None:
        query = """
            select attempt, lost, dead, token is not null from engine.job
            where workflow = 'sampling' and pk = (select id::text from samples where name = %s)
        """
        found = self.connection.execute(query, [name]).fetchone()
        return Job(*found) if found else None

    def wait_for(self, status: str, *names: str, timeout: float = 60) -> None:
        query = "select array_agg(name order by name) from samples where name = any(%s) and status is distinct from %s"

        def all_there() -> bool:
            left = self.connection.execute(query, [list(names), status]).fetchone()
            assert left is not None
            return left[0] is None

        wait_until(all_there, timeout)

    def pause(self, *, paused: bool) -> None:
        self.connection.execute("update engine.workflow set paused = %s where name = 'sampling'", [paused])
