"""Started by root, what fetches, parses or answers visitors becomes an ordinary user, for good.

Not before its imports: the interpreter may be in a directory that is closed to that user, and settings may name secrets
that only root can read. The supervisor stays root: it must be able to start an interpreter from there again.
"""

import ctypes
import importlib
import logging
import os
import pkgutil
import sys
import sysconfig
from pathlib import Path

from app import credentials
from app.config import Settings
from app.counting import hand_over
from app.logs import event
from db.embedded_account import Account, EmbeddedPostgresError

log = logging.getLogger(__name__)

NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS
# In root's home, which is closed now, libpq would look for certificates, and fail; where there is none it goes on.
NOWHERE = "/nonexistent"
SKIPPED = ("test", "tests", "__main__", "idlelib", "mbcs", "oem", "cp65001")


def forbid_new_privileges() -> None:
    """No program that is started from here gains rights, whatever its mode bits say. For this thread and its heirs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def drop_privileges(settings: Settings, *, counts_alone: bool = False) -> None:
    """Become the user that the bundled Postgres runs as, all threads at once; nothing happens unless root runs us.

    Raises ConfigurationError when the database lets in root and not that user.

    A process without a supervisor counts alone, and keeps its directory of counters. The others share the directory
    of their supervisor, which stays root and must not work in a directory of another user.
    """
    if os.geteuid() != 0:
        return
    account = Account.of_workers(settings.home)
    check_access(settings.home)
    doors = [credentials.door(setting, url) for setting, url in _databases(settings).items()]
    if not account.may_enter(Path(os.__file__).parent):
        _import_the_rest()
    if counts_alone:
        hand_over(account.uid, account.gid)
    forbid_new_privileges()
    os.setgroups([])
    os.setresgid(account.gid, account.gid, account.gid)
    os.setresuid(account.uid, account.uid, account.uid)
    os.environ["HOME"] = NOWHERE
    event(log, logging.INFO, "privileges.dropped", user=account.name)
    for door in doors:
        credentials.check(door, account.name)


def _databases(settings: Settings) -> dict[str, str]:
    urls = {"DATABASE_URL": settings.database_url, "LISTEN_DATABASE_URL": settings.listen_database_url}
    return {setting: url for setting, url in urls.items() if url}


def check_access(home: Path) -> None:
    """Refuse an installation that the user could not read; for the supervisor too, before it starts anything."""
    account = Account.of_workers(home)
    ours = Path(__file__).resolve().parent
    if os.geteuid() == 0 and not account.may_enter(ours):
        raise EmbeddedPostgresError(
            f"{ours} is closed to the user {account.name!r}, as which ScraperSky fetches when root starts it: "
            "install ScraperSky where every user can read it, or run it as an ordinary user"
        )


def _import_the_rest() -> None:
    """The standard library is closed to the user: what parts of it are imported in the middle of work comes now."""
    library = sysconfig.get_paths()["stdlib"]
    for name, module in list(sys.modules.items()):
        places = [place for place in getattr(module, "__path__", ()) if _is_standard(place, library)]
        for found in pkgutil.walk_packages(places, f"{name}.") if places else ():
            if not set(found.name.split(".")) & set(SKIPPED):
                _try_to_import(found.name)


def _is_standard(place: str, library: str) -> bool:
    return place.startswith(library) and "-packages" not in place


def _try_to_import(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception as error:  # noqa: BLE001 - of another platform, or without its library: nobody works with it here
        log.debug("module.not_imported", extra={"fields": {"module": name, "error": str(error)}})
