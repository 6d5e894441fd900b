"""What processes cost, as Linux counts it in /proc: processor time and memory, children and their children included."""

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from psycopg import Connection

TICKS = os.sysconf("SC_CLK_TCK")


def family(pid: int) -> list[int]:
    """The process and all that descend from it."""
    children = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children[int(fields[1])].append(int(entry.name))
    found = [pid]
    for one in found:
        found += children[one]
    return found


def children(pid: int) -> list[int]:
    return [one for one in family(pid) if (fields := _stat(one)) and int(fields[1]) == pid]


def processor_seconds(pids: Iterable[int]) -> float:
    """Their own and that of children who have ended and were waited for; of a whole family this forgets nobody."""
    return sum(sum(map(int, fields[11:15])) for pid in pids if (fields := _stat(pid))) / TICKS


def session_seconds(connection: Connection[Any]) -> float:
    """What the server process of a session has used, finer than the ticks of whole processes."""
    return int(Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text().split()[0]) / 1e9


def megabytes(pids: Iterable[int]) -> float:
    """What they hold together; pages that several of them share are counted once."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            total += int(Path(f"/proc/{pid}/smaps_rollup").read_text().partition("\nPss:")[2].split()[0])
    return total / 1024


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/pid/stat after the name: state, parent and so on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
