"""A value from somebody's file -> what may become a row, or why not. The one normaliser decides."""

from collections.abc import Callable
from typing import Final, NamedTuple

from actors.parse.domains import website_domain
from actors.parse.page_keys import page_key
from actors.parse.urls import Url, website_url

LONGEST_URL_IN_BYTES: Final = 2048  # what an index entry holds; the tables check it too

NAMES: Final = {
    "domains": (
        *("domain", "domains", "domain name", "website", "website url", "web site", "homepage", "home page"),
        *("webseite", "site", "url", "urls", "web", "web address", "link", "host", "hostname"),
    ),
    "sitemaps": ("sitemap", "sitemaps", "sitemap url", "sitemap file", "url", "urls", "loc", "link", "address"),
    "pages": ("page", "pages", "page url", "url", "urls", "loc", "link", "address", "website", "webseite"),
}


class Candidate(NamedTuple):
    line: int
    domain: str
    url: str


class Refused(NamedTuple):
    line: int
    value: str
    reason: str


def domain_candidate(line: int, text: str) -> Candidate | Refused:
    if "\x00" in text:
        return Refused(line, text, "not a web address")
    website = website_domain(text)
    if website.domain is None:
        known = website.reason if website_url(text) else None  # the other reasons quote the text, as our caller does
        return Refused(line, text, known or "not a web address")
    return Candidate(line, website.domain, "")


def sitemap_candidate(line: int, text: str) -> Candidate | Refused:
    return _with_url(line, text, lambda url: url.href.partition("#")[0])


def page_candidate(line: int, text: str) -> Candidate | Refused:
    return _with_url(line, text, page_key)


def _with_url(line: int, text: str, key: Callable[[Url], str]) -> Candidate | Refused:
    owner = domain_candidate(line, text)
    url = website_url(text)
    if isinstance(owner, Refused) or url is None:
        return owner if isinstance(owner, Refused) else Refused(line, text, "not a web address")
    address = key(url)
    if "@" in address.split("/")[2]:
        return Refused(line, text, "a user name or password in the address; write it without")
    if len(address.encode()) > LONGEST_URL_IN_BYTES:
        return Refused(line, text, f"longer than {LONGEST_URL_IN_BYTES} bytes")
    return Candidate(line, owner.domain, address)


CANDIDATES: Final = {"domains": domain_candidate, "sitemaps": sitemap_candidate, "pages": page_candidate}
