"""Which domain a website belongs to, and when it belongs to no business in particular."""

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from publicsuffixlist import PublicSuffixList

from actors.parse.public_suffixes import public_suffixes
from actors.parse.urls import Url, parse_url, website_url

_LONGEST_QUOTE = 60
_BUILDERS_OWN_PAGE = "site builder's own page"

# The URL standard lets a browser try hosts that no registry sells, such as "a.com,b.com".
_DOMAIN = re.compile(r"(?=.{1,253}$)(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+(?!-)[a-z0-9-]{1,63}(?<!-)")
_NEVER_IN_A_HOST = re.compile(r"[\s/\\?#@:]")


class WebsiteDomain(NamedTuple):
    """The domain of a business's own website, or why there is none: exactly one of the two is set."""

    domain: str | None
    reason: str | None


class _Hosting(NamedTuple):
    """What shared_hosts.toml says: the kind of each shared host and path, and the suffixes of the builders."""

    kinds: dict[str, str]
    domains_with_shared_paths: frozenset[str]
    suffixes: PublicSuffixList


@lru_cache(maxsize=16_384)
def registrable_domain(host: str) -> str | None:
    """The part of a host that one owner holds, in punycode; None for addresses, suffixes and what is no host."""
    if _NEVER_IN_A_HOST.search(host):
        return None
    url = parse_url(f"https://{host}")
    return None if url is None or url.is_ip_address else _registrable(url.host)


def owner_of(url: str) -> str | None:
    """The registrable domain of a URL, or its host where that is an address."""
    parsed = parse_url(url)
    return None if parsed is None else registrable_domain(parsed.host) or parsed.host


def website_domain(website: str | None) -> WebsiteDomain:
    """The domain that stands for a business, from its website field."""
    if website is None or not website.strip():
        return _nothing("no website")
    url = website_url(website)
    if url is None:
        return _nothing(f"not a web address: {_quoted(website)}")
    if url.is_ip_address:
        return _nothing(f"{url.host}: an IP address, not a domain")
    found = _host_owner(url.host)
    return _path_owner(found, url) if found.domain in _HOSTING.domains_with_shared_paths else found


@lru_cache(maxsize=16_384)
def _host_owner(host: str) -> WebsiteDomain:
    name, domain = host.removesuffix("."), _registrable(host)
    for parent in _up_to(domain or name, name):
        if parent in _HOSTING.kinds:
            return _shared(parent)
    if domain is not None:
        return WebsiteDomain(domain, None)
    if _HOSTING.suffixes.is_public(name):
        return _nothing(f"{name}: a public suffix, under which others have their domains")
    return _nothing(f"not a domain name: {_quoted(name)}")


def _path_owner(found: WebsiteDomain, url: Url) -> WebsiteDomain:
    entry = f"{found.domain}/{url.path.split('/')[1]}"
    return _shared(entry) if entry in _HOSTING.kinds else found


def _registrable(host: str) -> str | None:
    domain: str | None = _HOSTING.suffixes.privatesuffix(host)
    return domain if domain and _DOMAIN.fullmatch(domain) else None


def _up_to(domain: str, host: str) -> Iterator[str]:
    """The host, its parent, and so on up to the domain: m.facebook.com, facebook.com."""
    labels = host.split(".")
    return (".".join(labels[start:]) for start in range(len(labels) - domain.count(".")))


def _shared(entry: str) -> WebsiteDomain:
    return _nothing(f"{entry} is shared by many businesses ({_HOSTING.kinds[entry]})")


def _nothing(reason: str) -> WebsiteDomain:
    return WebsiteDomain(None, reason)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…")


def _load() -> _Hosting:
    data = tomllib.loads((files("actors.parse") / "shared_hosts.toml").read_text(encoding="utf-8"))
    builders = list(_hosts(data["own_subdomain"]))
    kinds = {entry: kind for kind, text in data["shared"].items() for entry in _hosts(text)}
    for host in builders:
        kinds[f"www.{host}"] = kinds.setdefault(host, _BUILDERS_OWN_PAGE)
    return _Hosting(
        kinds=kinds,
        domains_with_shared_paths=frozenset(entry.partition("/")[0] for entry in kinds if "/" in entry),
        suffixes=public_suffixes(*builders),
    )


def _hosts(text: str) -> Iterator[str]:
    """Each host of a list, shop.{de,fr} being two."""
    for pattern in text.split():
        before, _, rest = pattern.partition("{")
        options, _, after = rest.partition("}")
        yield from (f"{before}{option}{after}" for option in options.split(","))


_HOSTING = _load()
