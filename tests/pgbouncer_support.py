"""A real PgBouncer in front of the tests' Postgres."""

import os
from collections.abc import Sequence
from typing import ClassVar

import psycopg

from db.embedded import EmbeddedPostgres
from tests.server_support import Server, program


class PgBouncer(Server):
    """In transaction mode, five connections per database, and otherwise with its default settings."""

    pool_size: ClassVar[int] = 5

    def __init__(self, postgres: EmbeddedPostgres) -> None:
        self.program = program("pgbouncer", "pgbouncer")
        super().__init__()
        self.postgres = postgres
        self.owner = postgres.data.stat()  # the only user but root whom this Postgres lets in, and root is refused
        (self.directory / "users").write_text('"scrapersky" ""\n')
        (self.directory / "pgbouncer.ini").write_text(
            f"""
            [databases]
            * = host={postgres.sockets} port=5432 pool_size={self.pool_size}
            [pgbouncer]
            pool_mode = transaction
            listen_addr =
            listen_port = 6432
            unix_socket_dir = {self.directory}
            auth_type = trust
            auth_file = {self.directory}/users
            admin_users = scrapersky
            """.replace("  ", "")
        )
        for path in (self.directory, *self.directory.iterdir()):
            os.chown(path, self.owner.st_uid, self.owner.st_gid)

    def command(self) -> Sequence[str]:
        return (self.program, str(self.directory / "pgbouncer.ini"))

    def user(self) -> int | None:
        return self.owner.st_uid if os.geteuid() == 0 else None

    def url_of(self, database: str) -> str:
        return f"postgresql://scrapersky@:6432/{database}?host={self.directory}"

    def check(self) -> None:
        psycopg.connect(self.url_of("postgres"), connect_timeout=2).close()
