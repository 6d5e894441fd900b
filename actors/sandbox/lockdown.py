"""What the fork server and its parser processes give up before they meet a byte from the web."""

import os
import resource
import signal
from contextlib import suppress
from pathlib import Path

from actors.sandbox import kernel
from actors.sandbox.limits import Limits

NOBODY = 65534
DOCUMENTS = 3
"""The one open file of a parser process beside /dev/null in the place of the standard ones."""

_STANDARD_FILES = 3


def lock_down_server() -> list[str]:
    """For good, and for all processes that it forks. Returns what could not be had."""
    with suppress(OSError):  # where memory is short, the kernel ends a parser process before anything else
        Path("/proc/self/oom_score_adj").write_bytes(b"1000")
    missing = [] if _become_nobody() else ["user"]
    if not kernel.no_new_privileges():
        missing.append("no_new_privs")
    kernel.not_to_be_looked_into()
    if not kernel.forbid_files():
        missing.append("landlock")
    _limit(resource.RLIMIT_CORE, 0)
    return missing


def lock_down_parser(documents: int, limits: Limits) -> list[str]:
    """For good. Returns what could not be had."""
    kernel.not_to_be_looked_into()
    for number in (signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    os.dup2(documents, DOCUMENTS, inheritable=False)
    for standard in range(1, _STANDARD_FILES):
        os.dup2(0, standard)
    os.closerange(DOCUMENTS + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    _limit(resource.RLIMIT_NOFILE, DOCUMENTS + 1)
    _limit(resource.RLIMIT_FSIZE, 0)
    # The kernel warns at the soft limit with SIGXCPU and kills at the hard one.
    _limit(resource.RLIMIT_CPU, limits.lifetime, limits.lifetime + 1)
    missing = [] if _limit(resource.RLIMIT_AS, limits.memory_bytes) else ["memory limit"]
    if not _limit(resource.RLIMIT_NPROC, 0):
        missing.append("process limit")
    if not kernel.forbid_system_calls():
        missing.append("seccomp")
    return missing


def _become_nobody() -> bool:
    """Root becomes a user who owns nothing; any other user stays what it is."""
    if os.geteuid() != 0:
        return True
    with suppress(OSError):
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)  # for good: of root, this changes the saved one as well
    return os.geteuid() != 0


def _limit(kind: int, soft: int, hard: int | None = None) -> bool:
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (soft, soft if hard is None else hard))
        return True
    return False
