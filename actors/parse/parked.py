"""Whether a page stands where a site could be: parked, for sale, expired, or as the server came out of its box."""

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from typing import NamedTuple

from actors.parse.domains import registrable_domain
from actors.parse.html import Document
from actors.parse.urls import Url, parse_url

# A page with more to say was written by somebody; parking pages say little beside their advertisements.
_FEW_CHARACTERS = 1_500
# The default page of a server explains itself at some length; a title that names it is worth more than a phrase.
_SOME_CHARACTERS = 6_000
# What an inline script must not have beside it: a page that shows something is a page.
_NEARLY_NOTHING = 200
_MOST_SOURCES = 1_000


class _Rules(NamedTuple):
    hosts: frozenset[str]
    sources: tuple[str, ...]
    scripts: tuple[str, ...]
    titles: dict[str, tuple[str, ...]]
    phrases: dict[str, tuple[str, ...]]


def parked_reason(document: Document, url: str, hops: Iterable[str]) -> str | None:
    """Why the page is no site, in a few words; None for a site, and in doubt."""
    return _by_address([*hops, url]) or _by_sources(document) or _by_words(document, url)


def _by_address(addresses: Iterable[str]) -> str | None:
    first, *further = (parse_url(address) for address in addresses)
    for url in further:
        # A broker's own site is a site.
        is_elsewhere = url is not None and first is not None and not _are_one_site(first, url)
        if url is not None and is_elsewhere and (host := _parking_host(url)):
            return f"parked: leads to {host}"
    return None


def _by_sources(document: Document) -> str | None:
    text = document.text
    if len(text) > _FEW_CHARACTERS:
        return None
    for node in document.select("script[src], iframe[src], frame[src]")[:_MOST_SOURCES]:
        source = (node.attributes.get("src") or "").lower()
        url = parse_url(source, "https://relative.invalid/")
        if (url is not None and _parking_host(url)) or any(part in source for part in _RULES.sources):
            return f"parked: shows {source[:80]}"
    if len(text) <= _NEARLY_NOTHING:
        for node in document.select("script:not([src])")[:_MOST_SOURCES]:
            script = node.text(deep=False)
            if any(part in script for part in _RULES.scripts):
                return "parked: nothing but the script of a parking page"
    return None


def _by_words(document: Document, url: str) -> str | None:
    text = document.text
    if len(text) > _SOME_CHARACTERS:
        return None
    names = _names(url)
    title = _plain(document.title or "")
    for reason, beginnings in _RULES.titles.items():
        if found := next((words for words in _about(beginnings, names) if title.startswith(words)), None):
            return f"{reason}: its title says {found!r}"
    body = _plain(text) if len(text) <= _FEW_CHARACTERS else ""
    for reason, phrases in _RULES.phrases.items():
        if found := next((words for words in _about(phrases, names) if words in body), None):
            return f"{reason}: it says {found!r}"
    return None


def _are_one_site(one: Url, other: Url) -> bool:
    return registrable_domain(one.host) == registrable_domain(other.host)


def _parking_host(url: Url) -> str | None:
    labels = url.host.split(".")
    parents = (".".join(labels[start:]) for start in range(len(labels) - 1))
    return next((parent for parent in parents if parent in _RULES.hosts), None)


def _names(url: str) -> tuple[str, ...]:
    parsed = parse_url(url)
    domain = registrable_domain(parsed.host) if parsed else None
    return (domain, f"www.{domain}") if domain else ()


def _about(texts: tuple[str, ...], names: tuple[str, ...]) -> Iterable[str]:
    for words in texts:
        if "{domain}" in words:
            yield from (words.replace("{domain}", name) for name in names)
        else:
            yield words


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("\u2019", "'").split())


def _load() -> _Rules:
    data = tomllib.loads((files("actors.parse") / "parked.toml").read_text(encoding="utf-8"))
    return _Rules(
        hosts=frozenset(data["hosts"].split()),
        sources=tuple(data["sources"].split()),
        scripts=tuple(data["scripts"]),
        titles={reason: tuple(texts) for reason, texts in data["titles"].items()},
        phrases={reason: tuple(texts) for reason, texts in data["phrases"].items()},
    )


_RULES = _load()
