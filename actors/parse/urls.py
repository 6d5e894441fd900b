"""One URL, read as browsers read it: by ada, never by hand.

parse_url     any reference, as found in a page, a sitemap or a header
website_url   what a person or Google wrote into a website field
"""

import re
import string
from typing import NamedTuple

import ada_url

# Longer than any browser's address bar has ever promised to take; nothing longer is stored or fetched.
LONGEST_URL = 2083

# What copying from a document or a map leaves around an address: blanks, byte order and writing direction marks.
_AROUND = string.whitespace + "\u00a0\u3000\u200b\u200e\u200f\u202a\u202b\u202c\u2060\ufeff"
_BLANK_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")
_WEB = ("https://", "http://")
_WEB_SCHEME = re.compile(r"https?:", re.IGNORECASE)


class Url(NamedTuple):
    """The parts of a URL; host is lower-case punycode, port is None where it is the scheme's own."""

    href: str
    scheme: str
    host: str
    port: int | None
    path: str
    query: str
    is_ip_address: bool


def parse_url(text: str, base: str | None = None) -> Url | None:
    """Resolve a reference against its base by the WHATWG standard; None where a browser gives up."""
    try:
        href = ada_url.normalize_url(text) if base is None else ada_url.join_url(base, text)
    except ValueError:
        return None
    if href.startswith(_WEB):
        return _web_url(href)
    parsed = _parse(text, base)
    return None if parsed is None else _url(parsed)


def website_url(text: str) -> Url | None:
    """The http(s) address meant by a website field; None when it is no address that a browser could visit."""
    address = text.strip(_AROUND)
    if _BLANK_OR_CONTROL.search(address):
        return None
    names_its_scheme = _WEB_SCHEME.match(address) is not None
    # An address that begins with // needs no care: browsers skip surplus slashes after https:.
    parsed = _parse(address if names_its_scheme else f"https://{address}", None)
    # Without a scheme, a user name gives away a mail address, a mailto: link or, left empty, somebody's @handle.
    if parsed is None or (not names_its_scheme and "@" in address and (parsed.username or address[0] == "@")):
        return None
    url = _url(parsed)
    return url if _is_public_name(url) and len(url.href) <= LONGEST_URL else None


def _parse(text: str, base: str | None) -> ada_url.URL | None:
    try:
        return ada_url.URL(text, base)
    except ValueError:
        return None


def _web_url(href: str) -> Url:
    """The parts of an http(s) address as ada writes it, cut out here: each that is asked for is a call into C.

    Such an address always has a host and a path, and every sign that divides its parts is escaped within them.
    """
    scheme, _, rest = href.partition("://")
    authority, _, _ = rest.partition("/")
    path, _, query = rest[len(authority) :].partition("#")[0].partition("?")
    host = authority.rpartition("@")[2]
    port = ""
    if ":" in host and not host.endswith("]"):
        host, _, port = host.rpartition(":")
    # A host whose last label is a number is an address, or the whole is no URL.
    is_ip_address = host.startswith("[") or host.rpartition(".")[2].isdigit()
    return Url(href, scheme, host, int(port) if port else None, path, query, is_ip_address)


def _url(parsed: ada_url.URL) -> Url:
    # Each part read is a call into C, so what the href shows to be absent is not asked for: a third of the time.
    href = parsed.href
    port = parsed.port if href.count(":") > 1 else ""
    return Url(
        href=href,
        scheme=href.partition(":")[0],
        host=parsed.hostname,
        port=int(port) if port else None,
        path=parsed.pathname,
        query=parsed.search[1:] if "?" in href else "",
        is_ip_address=parsed.host_type != ada_url.HostType.DEFAULT,
    )


def _is_public_name(url: Url) -> bool:
    """Whether the host can be reached from outside: a name with a dot inside, or an address."""
    return url.is_ip_address or "." in url.host.strip(".")
