"""The bundled Postgres: made on first use, shared by every command that needs it, stopped by the last one.

home/postgres/data         the databases
home/postgres/log          what the server says
home/postgres/socket       the only way in, for the owner alone
home/postgres/users.lock   held, shared, by every command that uses the server
home/postgres/start.lock   held alone while the server is made, started or stopped
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from subprocess import CompletedProcess
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from db import embedded_directory, embedded_files
from db.embedded_account import Account, EmbeddedPostgresError
from db.embedded_files import MAJOR_VERSION, bin_directory
from db.embedded_lock import FileLock
from db.worker_role import WORKER

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError", "bin_directory"]

# Recovery after a crash replays up to a gigabyte of log: slow disks need minutes.
PATIENCE = timedelta(minutes=5)
PAUSE = timedelta(milliseconds=100)

UNFINISHED = "data.unfinished-"


class EmbeddedPostgres:
    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.directory = self.home / "postgres"
        self.data = self.directory / "data"
        self.log = self.directory / "log"
        self.sockets = embedded_files.socket_directory(self.home)

    @property
    def url(self) -> str:
        """For people and migrations: the owner of everything."""
        return self._url("scrapersky")

    @property
    def worker_url(self) -> str:
        """For processes that run by themselves: what migrate grants to their role, and no more."""
        return self._url(WORKER)

    def _url(self, role: str) -> str:
        # The port is named, or a PGPORT in the user's environment would send psql elsewhere.
        return f"postgresql://{role}@:{embedded_files.PORT}/scrapersky?host={quote(str(self.sockets), safe='')}"

    @contextmanager
    def use(self) -> Iterator[str]:
        """Have a running server for as long as the block lasts; the last user to leave stops it."""
        self._make_directories()
        with FileLock(self.directory / "users.lock") as users:
            users.share()
            try:
                self._start()
                yield self.url
            finally:
                if users.try_to_hold_alone():
                    self.stop()

    def start(self) -> None:
        """Make the data directory if there is none, and return when the server accepts connections."""
        self._make_directories()
        self._start()

    def stop(self) -> None:
        """End all sessions and shut down; nothing happens when the server is not running."""
        if not self.is_running():
            return
        with FileLock(self.directory / "start.lock") as lock:
            lock.hold_alone()
            if self.is_running():
                self.control("stop", "-m", "fast")

    def is_running(self) -> bool:
        """Whether a server process lives in our data directory, be it ready or not."""
        process = self.recorded_process()
        if process is None:
            return False
        if not Path("/proc/self/cwd").exists():
            return self._account.run("kill", "-0", process, directory=self.directory).returncode == 0
        # The number alone proves nothing: after a crash it may belong to a zombie or to a process that came later.
        lives_here = ("test", f"/proc/{process}/cwd", "-ef", "data")
        return self._account.run(*lives_here, directory=self.directory).returncode == 0

    def recorded_process(self) -> str | None:
        """The process id that the server wrote down when it started; it may have ended since."""
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return None
        except PermissionError:
            raise EmbeddedPostgresError(
                f"{self.directory} is closed to you: run scrapersky as the user it belongs to, or set SCRAPERSKY_HOME"
            ) from None
        # A server in single-user mode writes its number with a minus sign.
        return lines[0].strip().removeprefix("-") if lines else None

    def control(self, *arguments: str) -> CompletedProcess[str]:
        """Run pg_ctl on the data directory and wait for its effect."""
        # Relative paths, because pg_ctl hands them to a shell.
        where = ("-D", "data", "-l", "log/start.log", "-w", "-t", f"{PATIENCE.total_seconds():.0f}")
        done = self._account.run(bin_directory() / "pg_ctl", *arguments, *where, directory=self.directory)
        if done.returncode != 0:
            raise EmbeddedPostgresError(
                f"pg_ctl {' '.join(arguments)} failed for {self.data}: {done.stderr.strip() or done.stdout.strip()}\n"
                f"The log in {self.log} ends with:\n{embedded_files.last_lines(self.log)}"
            )
        return done

    @cached_property
    def _account(self) -> Account:
        return Account.of(self.home)

    def _make_directories(self) -> None:
        embedded_directory.make_home(self.home)
        embedded_directory.make_directories(self.home, self.sockets, self._account)

    def _start(self) -> None:
        with FileLock(self.directory / "start.lock") as lock:
            lock.hold_alone()
            self._remove_unfinished()
            if not self.data.exists():
                self._initialise()
            self._check_version()
            self._launch_and_wait()
            self._create_database()

    def _initialise(self) -> None:
        """Make the data directory beside its place and move it there when it is whole."""
        # A new name each time: the initdb of a killed command may still be writing into the old one.
        unfinished = f"{UNFINISHED}{secrets.token_hex(4)}"
        locale = ("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
        safety = ("--data-checksums", "--auth-local=peer", "--auth-host=reject")
        self._do(bin_directory() / "initdb", "--username=scrapersky", *locale, *safety, "-D", unfinished)
        self._do("mv", unfinished, "data")
        embedded_directory.sync_directory(self.directory)

    def _remove_unfinished(self) -> None:
        for leftover in self.directory.glob(f"{UNFINISHED}*"):
            self._account.run("rm", "-rf", leftover, directory=self.directory)

    def _check_version(self) -> None:
        try:
            found = (self.data / "PG_VERSION").read_text().strip()
        except FileNotFoundError:
            raise EmbeddedPostgresError(f"{self.data} is no Postgres data directory: move it away") from None
        if found != MAJOR_VERSION:
            raise EmbeddedPostgresError(
                f"{self.data} was made by PostgreSQL {found}, and this ScraperSky brings PostgreSQL {MAJOR_VERSION}: "
                "dump it with the ScraperSky that made it (pg_dump), move the directory away and restore the dump, "
                "or convert it with pg_upgrade"
            )

    def _launch_and_wait(self) -> None:
        deadline = time.monotonic() + PATIENCE.total_seconds()
        while not self._accepts_connections():
            if not self.is_running():
                self._launch(deadline)
            elif time.monotonic() > deadline:
                raise EmbeddedPostgresError(
                    f"the Postgres in {self.data} runs but accepted no connection within {PATIENCE}; "
                    f"the log in {self.log} ends with:\n{embedded_files.last_lines(self.log)}"
                )
            else:
                time.sleep(PAUSE.total_seconds())

    def _launch(self, deadline: float) -> None:
        self._configure()
        # Postgres itself takes the process named in these for a living server when it is a zombie or a newer process.
        self._do("rm", "-f", "data/postmaster.pid", self.sockets / f".s.PGSQL.{embedded_files.PORT}.lock")
        try:
            self.control("start")
        except EmbeddedPostgresError:
            # Sessions of a killed server go on until they notice; until then Postgres refuses to share their memory.
            if "is still in use" not in (self.log / "start.log").read_text() or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE.total_seconds())

    def _configure(self) -> None:
        """Written at every start, so that a new version of ScraperSky or a moved home takes effect."""
        self._do("find", "log", "-name", "*.log", "-mtime", "+5", "-exec", "rm", "{}", ";")
        self._do("tee", "log/start.log")
        self._do("tee", "data/pg_hba.conf", text=embedded_files.HOST_BASED_AUTHENTICATION)
        self._do("tee", "data/pg_ident.conf", text=embedded_files.identity_map(self._account.name))
        self._do("tee", "data/scrapersky.conf", text=embedded_files.settings(self.sockets))
        if embedded_files.INCLUDE not in (self.data / "postgresql.conf").read_text().splitlines():
            self._do("tee", "-a", "data/postgresql.conf", text=f"\n{embedded_files.INCLUDE}\n")

    def _create_database(self) -> None:
        with psycopg.connect(self.url, dbname="postgres", autocommit=True) as connection:
            if connection.execute("select from pg_database where datname = 'scrapersky'").fetchone() is None:
                connection.execute("create database scrapersky")
            found = connection.execute("select rolcanlogin from pg_roles where rolname = %s", [WORKER]).fetchone()
            if found != (True,):  # migrate makes one that can not log in
                verb = sql.SQL("alter" if found else "create")
                connection.execute(sql.SQL("{} role {} login").format(verb, sql.Identifier(WORKER)))

    def _accepts_connections(self) -> bool:
        address = make_conninfo(self.url, dbname="postgres", connect_timeout=5)
        return PGconn.ping(address.encode()) == Ping.OK

    def _do(self, *command: str | Path, text: str = "") -> None:
        self._account.do(*command, directory=self.directory, text=text)
