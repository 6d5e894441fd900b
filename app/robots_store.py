"""What robots.txt files said, kept in the database for all processes."""

import psycopg

from actors.fetch.robots import StoredRobots
from db.connections import Pool

LOAD = "select status, body, expires_at from robots_files where origin = %s"
SAVE = """
insert into robots_files (origin, status, body, expires_at) values (%s, %s, %s, %s)
on conflict (origin) do update set status = excluded.status, body = excluded.body, expires_at = excluded.expires_at
"""


class RobotsFiles:
    """A cache: while the database is away it is empty, and forgets what it is told."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def load(self, origin: str) -> StoredRobots | None:
        try:
            with self.pool.connection() as connection:
                row = connection.execute(LOAD, [origin]).fetchone()
        except psycopg.Error:
            return None
        return StoredRobots(*row) if row else None

    def save(self, origin: str, robots: StoredRobots) -> None:
        text = robots.body.replace("\x00", "")
        try:
            with self.pool.connection() as connection:
                connection.execute(SAVE, [origin, robots.status, text, robots.expires_at])
        except psycopg.Error:
            return
