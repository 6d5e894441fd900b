"""The names by which we are called.

A page elsewhere can point its name at this machine (DNS rebinding), and can not change the name that its browser sends.
"""

import ipaddress
import socket
from collections.abc import Iterable


def name_in(header: str) -> str:
    """Of a Host header: without the port and the brackets around an IPv6 address."""
    name = header.rpartition("]")[0] if header.startswith("[") else header.partition(":")[0]
    return name.strip("[").lower().rstrip(".")


def is_ours(name: str, bound: str, names: Iterable[str]) -> bool:
    ours = {"localhost", bound.lower(), socket.gethostname().lower(), *names}
    return name in ours or name.endswith(".localhost") or is_address(name)


def is_address(name: str) -> bool:
    """Nobody can point an address elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
