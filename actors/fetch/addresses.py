"""Which addresses and names lead outside, and why the others do not."""

import tomllib
from functools import cache
from importlib.resources import files
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address


class _Rules(NamedTuple):
    networks: tuple[tuple[Network, str], ...]
    local_names: frozenset[str]


@cache
def _rules() -> _Rules:
    data = tomllib.loads(files("actors.fetch").joinpath("addresses.toml").read_text(encoding="utf-8"))
    networks = tuple((ip_network(network), reason) for network, reason in data["networks"].items())
    return _Rules(networks, frozenset(data["names"]["local"]))


def why_not_public(address: Address) -> str | None:
    """Why an address is not fetched; None for one of the public internet."""
    for network, reason in _rules().networks:
        if address.version == network.version and address in network:
            return reason
    # What IANA reserves after this table was written, Python may know; and nothing outside 2000::/3 is given out.
    if not address.is_global or (isinstance(address, IPv6Address) and address not in IPv6Network("2000::/3")):
        return "reserved"
    return None


def is_local_name(host: str) -> bool:
    """Whether a host name can only mean something inside this network."""
    labels = host.strip(".").lower().split(".")
    return len(labels) == 1 or labels[-1] in _rules().local_names


def address_of(host: str) -> Address | None:
    """The address that a host of a parsed URL spells, if it is one."""
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None
