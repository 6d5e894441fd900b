"""The operating system user that the bundled Postgres runs as.

Started by root, everything below home/postgres is made and written by this user too, so that root never follows
a link which an ordinary user has laid there.
"""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self

SYSTEM_USER = "scrapersky"
NOBODY = 65_534


class EmbeddedPostgresError(RuntimeError):
    """The bundled Postgres can not be used; the message says why and what to do."""


@dataclass(frozen=True)
class Account:
    name: str
    uid: int
    gid: int

    @classmethod
    def of(cls, home: Path) -> Self:
        """Ourselves; or, because Postgres refuses to run as root, the owner of home or the system user."""
        if os.geteuid() != 0:
            return cls._by_uid(os.geteuid())
        owner = home.stat().st_uid if home.exists() else 0
        return cls._by_uid(owner) if owner != 0 else cls._system_user()

    @classmethod
    def of_workers(cls, home: Path) -> Self:
        """Who fetches when root started us: the same user; where none can be created, nobody."""
        try:
            return cls.of(home)
        except EmbeddedPostgresError:
            return cls("nobody", NOBODY, NOBODY)

    @classmethod
    def _by_uid(cls, uid: int) -> Self:
        try:
            entry = pwd.getpwuid(uid)
        except KeyError:
            raise EmbeddedPostgresError(
                f"user id {uid} has no name, and Postgres knows its users by name: "
                "add it to /etc/passwd, or set DATABASE_URL to a Postgres of your own"
            ) from None
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    @classmethod
    def _system_user(cls) -> Self:
        try:
            entry = pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            entry = _create_system_user()
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    def do(self, *command: str | Path, directory: Path, text: str = "") -> None:
        """Run a command that has to succeed."""
        done = self.run(*command, directory=directory, text=text)
        if done.returncode != 0:
            raise EmbeddedPostgresError(
                f"{' '.join(map(str, command))} failed as the user {self.name!r}: {done.stderr.strip()}"
            )

    def run(self, *command: str | Path, directory: Path, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command as this user, out of reach of the terminal's Ctrl-C and without our environment's secrets."""
        as_root = os.geteuid() == 0
        try:
            return subprocess.run(  # noqa: S603 - the commands are ours, and no foreign text passes through a shell
                command,
                cwd=directory,
                input=text,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                env={"PATH": os.defpath, "LC_ALL": "C"},
                start_new_session=True,
                umask=0o077,
                user=self.uid if as_root else None,
                group=self.gid if as_root else None,
                extra_groups=[] if as_root else None,
            )
        except OSError as error:
            raise EmbeddedPostgresError(f"could not run {command[0]} as the user {self.name!r}: {error}") from error

    def require_access(self, path: Path, remedy: str) -> None:
        """Refuse a path that this user can not enter or execute, and name the directory that is in the way."""
        if self.may_enter(path):
            return
        blocked = next((step for step in reversed(path.parents) if not self.may_enter(step)), path)
        raise EmbeddedPostgresError(
            f"{blocked} is closed to the user {self.name!r}, which runs Postgres because root may not: "
            f"{remedy}, or run scrapersky as an ordinary user"
        )

    def may_enter(self, path: Path) -> bool:
        """Whether this user may enter a directory, or execute a file."""
        return self.run("/bin/sh", "-c", 'test -x "$1"', "sh", path, directory=Path("/")).returncode == 0


def _create_system_user() -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path=f"{os.defpath}:/usr/sbin:/sbin")
    options = ("--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_USER)
    complaint = "there is no useradd on this machine"
    if useradd is not None:
        root = Account("root", 0, 0)
        complaint = root.run(useradd, *options, directory=Path("/")).stderr.strip()
    try:
        # Looked up even after a failure: another process may have created the user in the same moment.
        return pwd.getpwnam(SYSTEM_USER)
    except KeyError:
        raise EmbeddedPostgresError(
            f"Postgres refuses to run as root, and the user {SYSTEM_USER!r} could not be created: {complaint}; "
            f"create it by hand (useradd {' '.join(options)}), or run scrapersky as an ordinary user"
        ) from None
