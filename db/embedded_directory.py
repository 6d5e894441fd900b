"""The directories of the bundled Postgres: who owns them, and who may enter."""

import os
import stat
from pathlib import Path

from db.embedded_account import Account, EmbeddedPostgresError
from db.embedded_files import bin_directory


def make_home(home: Path) -> None:
    """Create the state directory; one that exists, and all above it, keep their modes."""
    try:
        existed = home.is_dir()
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise EmbeddedPostgresError(
            f"could not create {home}: {error.strerror}; set SCRAPERSKY_HOME to a directory that you can write to"
        ) from error
    if os.geteuid() == 0 and not existed:
        # Postgres runs as another user, which has to pass through; it can not list what is inside.
        home.chmod(0o711)


def make_directories(home: Path, sockets: Path, account: Account) -> None:
    """Create what is missing below home, as the user that Postgres runs as."""
    if os.geteuid() == 0:
        account.require_access(home, "set SCRAPERSKY_HOME to a directory that it can enter, like /var/lib/scrapersky")
        account.require_access(bin_directory() / "postgres", "install ScraperSky where every user can read it")
        _hand_over(home, account)
    directory = home / "postgres"
    for path in (directory, directory / "log", sockets):
        if not os.path.lexists(path):
            account.do("mkdir", "-p", path, directory=home)
        _require_owner(path, account)
    account.do("chmod", "0700", sockets, directory=directory)
    account.do("touch", "users.lock", "start.lock", directory=directory)


def _hand_over(home: Path, account: Account) -> None:
    """Give home/postgres to the server's user, which can not make it in a home that belongs to root."""
    if home.stat().st_uid != 0:
        return
    directory = home / "postgres"
    directory.mkdir(mode=0o700, exist_ok=True)
    if directory.lstat().st_uid == 0:
        os.chown(directory, account.uid, account.gid, follow_symlinks=False)


def _require_owner(directory: Path, account: Account) -> None:
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != account.uid:
        raise EmbeddedPostgresError(
            f"{directory} has to be a directory of the user {account.name!r}, which runs Postgres, but it is a link "
            f"or belongs to user id {status.st_uid}: run scrapersky as that user, or set another SCRAPERSKY_HOME"
        )


def sync_directory(directory: Path) -> None:
    """Make a rename inside the directory survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
