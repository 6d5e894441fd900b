"""Whether the database lets this process in as well when it is root no longer.

libpq reads certificates, keys and passwords from files at each connection. One that only root can read works once,
before the process becomes an ordinary user, and fails in the middle of work.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo, PGconn, Ping

from app.config import ConfigurationError
from db.connections import KEEPALIVE

# Where libpq looks when nothing is named, below the home of the user.
FILES: Final[Mapping[str, str]] = {
    "passfile": ".pgpass",
    "sslkey": ".postgresql/postgresql.key",
    "sslcert": ".postgresql/postgresql.crt",
    "sslrootcert": ".postgresql/root.crt",
    "sslcrl": ".postgresql/root.crl",
}
ADDRESS: Final = ("host", "hostaddr", "port")
REFUSED: Final = re.compile(r"no password supplied|authentication failed|no pg_hba\.conf entry|client certificate")


class Door(NamedTuple):
    """A database as a setting names it, and the files for it that this process can read now."""

    setting: str
    url: str
    files: Mapping[str, Path]


def door(setting: str, url: str) -> Door:
    given = conninfo_to_dict(url)
    defaults = {option.keyword.decode(): option.val for option in Conninfo.get_defaults()}
    files = {
        keyword: Path(os.fsdecode(str(given.get(keyword) or "") or defaults.get(keyword) or Path.home() / usual))
        for keyword, usual in FILES.items()
    }
    return Door(setting, url, {keyword: path for keyword, path in files.items() if os.access(path, os.R_OK)})


def check(opened: Door, user: str) -> None:
    """Refuse what only root could open. A database that is away is not refused: it is waited for."""
    try:
        psycopg.connect(opened.url, application_name="scrapersky credentials", **KEEPALIVE).close()
    except psycopg.OperationalError as error:
        if not _answers(opened.url):
            return
        said = " ".join(str(error).split())
        lost = [f"{keyword} {path}" for keyword, path in opened.files.items() if not os.access(path, os.R_OK)]
        if not lost and not REFUSED.search(said):
            return
        what = f"{' and '.join(lost)}, which only root can read" if lost else said
        raise ConfigurationError(
            f"{opened.setting}: the database does not let in the user {user!r}, as which ScraperSky works when root "
            f"starts it: {what}; give that user what it needs to log in, or start ScraperSky as a user that has it"
        ) from error


def _answers(url: str) -> bool:
    """Whether a server is there, whatever it thinks of us."""
    address = {name: value for name, value in conninfo_to_dict(url).items() if name in ADDRESS}
    asked = make_conninfo("", **address, sslmode="disable", connect_timeout=KEEPALIVE["connect_timeout"])
    return PGconn.ping(asked.encode()) == Ping.OK
