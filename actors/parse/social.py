"""The organisation's own profiles at social networks: no share buttons, no single posts."""

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, NamedTuple

from actors.parse.domains import registrable_domain
from actors.parse.html import Document
from actors.parse.urls import Url, parse_url

_LONGEST_PROFILE = 300
_MOST_LINKS = 5_000
# A template that nobody filled in: {{handle}}, $name, [profile].
_UNFILLED = re.compile(r"%7b|[{}$\[\]<>]|%3c")
_SAME_SITE_ELSEWHERE = {"www", "m", "mobile", "touch", "web", "mbasic"}


class _Network(NamedTuple):
    name: str
    shapes: tuple[tuple[str, ...], ...]
    never: frozenset[str]
    tabs: frozenset[str]


def social_profiles(document: Document, url: str) -> dict[str, str]:
    """One profile for each network: the one that the organisation's own data names, else the first one linked."""
    profiles: dict[str, str] = {}
    for address in _addresses(document, url):
        found = _profile(address)
        if found is not None:
            profiles.setdefault(*found)
    return profiles


def profile(address: str) -> tuple[str, str] | None:
    """The network and the address of the profile; None for what is nobody's profile."""
    url = parse_url(address)
    return _profile(url) if url is not None else None


def _profile(url: Url) -> tuple[str, str] | None:
    if url.scheme not in {"http", "https"} or url.is_ip_address:
        return None
    network = _NETWORKS.get(registrable_domain(url.host) or "")
    if network is None or not _is_front_door(url.host):
        return None
    path = _profile_path(network, url)
    found = f"https://{_host(url.host)}/{path}"
    return None if path is None or len(found) > _LONGEST_PROFILE else (network.name, found)


def _addresses(document: Document, url: str) -> Iterator[Url]:
    for thing in document.json_ld:
        if "Person" not in str(thing.get("@type")):
            same = thing.get("sameAs")
            stated = (item for item in (same if isinstance(same, list) else [same]) if isinstance(item, str))
            yield from filter(None, map(parse_url, stated))
    for link in document.links(url)[:_MOST_LINKS]:
        yield link.target


def _is_front_door(host: str) -> bool:
    """www.facebook.com, m.facebook.com and de-de.facebook.com, but not developers.facebook.com."""
    first, _, rest = host.partition(".")
    language, _, country = first.partition("-")
    return (
        registrable_domain(host) == host
        or (registrable_domain(rest) == rest and first in _SAME_SITE_ELSEWHERE)
        or (registrable_domain(rest) == rest and len(language) == 2 and len(country) in {0, 2})  # noqa: PLR2004 - ISO codes
    )


def _host(host: str) -> str:
    first, _, rest = host.partition(".")
    return rest if first in _SAME_SITE_ELSEWHERE - {"www"} else host


def _profile_path(network: _Network, url: Url) -> str | None:
    steps = [step for step in url.path.split("/") if step]
    for shape in network.shapes:
        if shape[0].endswith("?id="):
            if [f"{step}?id=" for step in steps] == list(shape) and (number := _number(url.query)):
                return f"{steps[0]}?id={number}"
        elif _fits(network, shape, steps):
            return "/".join(steps[: len(shape)])
    return None


def _fits(network: _Network, shape: tuple[str, ...], steps: list[str]) -> bool:
    more = steps[len(shape) :]
    return (
        len(steps) >= len(shape)
        and all(_matches(network, pattern, step) for pattern, step in zip(shape, steps, strict=False))
        and (not more or (len(more) == 1 and more[0].lower() in network.tabs))
    )


def _matches(network: _Network, pattern: str, step: str) -> bool:
    name = step.lower()
    if pattern not in {"*", "@*"}:
        return name == pattern
    handle = name.removeprefix("@")
    is_name = bool(handle) and handle not in _PLACEHOLDERS and name not in network.never and not _UNFILLED.search(name)
    return is_name and (pattern == "*" or name.startswith("@"))


def _number(query: str) -> str | None:
    value = next((part[3:] for part in query.split("&") if part.startswith("id=")), "")
    return value if value.isascii() and value.isdigit() else None


def _load() -> tuple[frozenset[str], dict[str, _Network]]:
    data = tomllib.loads((files("actors.parse") / "social.toml").read_text(encoding="utf-8"))
    placeholders = frozenset(data.pop("placeholders").split())
    return placeholders, {host: _network(name, entry) for name, entry in data.items() for host in _hosts(entry)}


def _network(name: str, entry: dict[str, Any]) -> _Network:
    return _Network(
        name=name,
        shapes=tuple(tuple(shape.split("/")) for shape in entry["shapes"]),
        never=frozenset(entry["never"].split()),
        tabs=frozenset(entry["tabs"].split()),
    )


def _hosts(entry: dict[str, Any]) -> Iterator[str]:
    for pattern in entry["hosts"].split():
        before, _, rest = pattern.partition("{")
        yield from (before + ending for ending in rest.rstrip("}").split(","))


_PLACEHOLDERS, _NETWORKS = _load()
