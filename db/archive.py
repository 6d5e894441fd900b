"""A whole database to a file and back, by the programs of the bundled PostgreSQL."""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Final

from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from db.embedded import bin_directory
from db.embedded_files import MAJOR_VERSION

CLIENT: Final = int(MAJOR_VERSION)
PIECE: Final = 1 << 18
# The first lines of a script are settings, and older servers do not know this one.
HEADER_LINES: Final = 100
NEW_SETTING: Final = b"SET transaction_timeout = 0;\n"
FIRST_TO_KNOW_IT: Final = 17

Tell = Callable[[str], None]


class ArchiveError(RuntimeError):
    """The message says what was the matter, and what to do."""


def server_major(connection: Connection[Any]) -> int:
    return connection.info.server_version // 10_000


def check_readable(server: int) -> None:
    if server > CLIENT:
        raise ArchiveError(
            f"the server is PostgreSQL {server} and the bundled pg_dump is {CLIENT}: it reads older servers, not newer "
            'ones; use the pg_dump of the server: pg_dump -Fc -f FILE "$(scrapersky database-url)"'
        )


def dump(url: str, path: Path, tell: Tell) -> None:
    """Everything, in one consistent snapshot; users and workers write on meanwhile."""
    command, environment = _client(url, "pg_dump", "--format=custom", "--verbose", "--no-password", f"--file={path}")
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
        said: list[str] = []
        try:
            for line in process.stderr or ():
                if found := re.search(r'dumping contents of table "(.+)"', line):
                    tell(found[1])
                elif "error:" in line or "detail:" in line:
                    said.append(line)
        except BaseException:
            process.kill()  # nobody waits for the rest
            raise
    if process.returncode:
        raise ArchiveError(f"pg_dump: {_told(said)}")


def dumped_from(path: Path) -> int:
    """The version of the server that the archive is of; one that is not of a ScraperSky is refused."""
    listing = subprocess.run(  # noqa: S603 - ours
        [_program("pg_restore"), "--list", path], capture_output=True, text=True, errors="replace", check=False
    )
    version = re.search(r"Dumped from database version: (\d+)", listing.stdout)
    if listing.returncode or version is None:
        raise ArchiveError(f"{path} is no backup (scrapersky backup, or pg_dump -Fc): {_told([listing.stderr])}")
    if not re.search(r" TABLE engine workflow ", listing.stdout):
        raise ArchiveError(f"{path} is a backup of another database: it has no table engine.workflow")
    return int(version[1])


def check_fits(path: Path, server: int) -> None:
    source = dumped_from(path)
    if source > server:
        raise ArchiveError(
            f"{path} is of a PostgreSQL {source} and this server is {server}: "
            "a backup goes into the same version or a newer one"
        )


def load(url: str, path: Path, *, server: int, clean: bool, tell: Tell) -> None:
    """The whole archive in one transaction, or nothing of it. Owners and grants are left out: migrate gives them."""
    cleaning = ["--clean", "--if-exists"] if clean else []
    script = [_program("pg_restore"), "--no-owner", "--no-privileges", *cleaning, "--file=-", str(path)]
    command, environment = _client(url, "psql", "--quiet", "--no-psqlrc", "--no-password", "--set=ON_ERROR_STOP=1")
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(script, stdout=subprocess.PIPE, stderr=complaints) as source,  # noqa: S603 - ours
        subprocess.Popen(  # noqa: S603 - ours
            [*command, "--file=-"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
        ) as target,
    ):
        if source.stdout is None or target.stdin is None:
            raise ArchiveError("the pipe between pg_restore and psql was not made")
        try:
            target.stdin.write(b"begin;\n")
            _pour(source.stdout, target.stdin, b"" if server >= FIRST_TO_KNOW_IT else NEW_SETTING, tell)
            # Only a script that came whole is committed.
            if source.wait() == 0:
                target.stdin.write(b"\ncommit;\n")
            target.stdin.close()
        except BrokenPipeError:
            source.kill()  # psql has stopped at an error, and says which
        code = target.wait() or source.wait()
        complaints.seek(0)
        if code:
            raise ArchiveError(f"nothing was restored: {_told([complaints.read().decode(errors='replace')])}")


def _pour(source: IO[bytes], target: IO[bytes], drop: bytes, tell: Tell) -> None:
    poured = 0
    for _ in range(HEADER_LINES):
        line = source.readline()
        if line != drop:
            target.write(line)
    while piece := source.read(PIECE):
        target.write(piece)
        poured += len(piece)
        tell(f"{poured / 1e6:,.1f} MB")


def _client(url: str, program: str, *arguments: str) -> tuple[Sequence[str], dict[str, str]]:
    """Everybody on the machine can read a command line: the password goes another way."""
    address = conninfo_to_dict(url, application_name=f"scrapersky {program}")
    password = address.pop("password", None)
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    return [_program(program), *arguments, f"--dbname={make_conninfo('', **address)}"], environment


def _program(name: str) -> str:
    return str(bin_directory() / name)


def _told(lines: Sequence[str]) -> str:
    """What a program had to say, in one line."""
    text = " ".join(" ".join(lines).split())
    return re.sub(r"\b(?:pg_dump|pg_restore|psql|psql:<stdin>:\d+): (?:error: )?", "", text) or "it did not say why"
