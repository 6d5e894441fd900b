"""The country whose telephone numbers a page means when it writes none."""

import re
from typing import Final

from phonenumbers import SUPPORTED_REGIONS

from actors.parse.html import Document
from actors.parse.urls import parse_url

_LANGUAGE = re.compile(r"[A-Za-z]{2,3}[-_](?:[A-Za-z]{4}[-_])?([A-Za-z]{2})$")
_OTHER_NAMES: Final = {"UK": "GB", "EL": "GR"}
# Suffixes that are sold to everybody: they tell nothing of a country.
_SOLD_TO_ALL_NAMES: Final = "AC AI AM AS CC CD CO DJ FM GG GL IM IO LA LI LY ME MN MS NU PW SC SH SO ST TK TO TV VC WS"
_SOLD_TO_ALL: Final = frozenset(_SOLD_TO_ALL_NAMES.split())


def likely_region(document: Document, url: str) -> str | None:
    """From the address in its structured data, from its domain, or from its language: pt-BR."""
    return _from_address(document) or _from_domain(url) or _from_language(document.language or "")


def _from_address(document: Document) -> str | None:
    for item in document.json_ld:
        country = item.get("addressCountry")
        name = country.get("name") if isinstance(country, dict) else country
        if isinstance(name, str) and (region := _known(name)):
            return region
    return None


def _from_domain(url: str) -> str | None:
    parsed = parse_url(url)
    suffix = parsed.host.rpartition(".")[2].upper() if parsed else ""
    return None if suffix in _SOLD_TO_ALL else _known(suffix)


def _from_language(language: str) -> str | None:
    match = _LANGUAGE.match(language)
    return _known(match[1]) if match else None


def _known(name: str) -> str | None:
    region = name.strip().upper()
    region = _OTHER_NAMES.get(region, region)
    return region if region in SUPPORTED_REGIONS else None
