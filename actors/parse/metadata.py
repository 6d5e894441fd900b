"""What a home page says of itself and of its organisation."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from actors.parse.html import Document
from actors.parse.icons import favicon, logo

_LONGEST_TITLE = 500
_LONGEST_DESCRIPTION = 2_000
_LONGEST_VALUE = 500
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:[-_]([a-z]{2}|[a-z]{4}|[0-9]{3}))?(?![a-z])", re.IGNORECASE)
_OPEN_GRAPH = ("title", "type", "site_name", "image", "locale", "url")
_ADDRESS = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")
_ORGANISATION = ("name", "legalName", "description", "foundingDate", "vatID", "priceRange")
# What schema.org calls an organisation has some two hundred names; these are the ones that are none.
_SOMETHING_ELSE = """
AggregateRating Answer Article BlogPosting Brand BreadcrumbList CollectionPage ContactPage ContactPoint Country Event
FAQPage GeoCoordinates ImageObject ItemList ListItem Offer OpeningHoursSpecification Person Place PostalAddress Product
Question Rating ReadAction Review SearchAction Service SiteNavigationElement VideoObject WebPage WebSite
"""
_SIGNS_OF_AN_ORGANISATION = ("address", "telephone", "email", "logo", "sameAs", "contactPoint", "openingHours")


class Metadata(NamedTuple):
    title: str | None
    description: str | None
    language: str | None
    favicon_url: str | None
    logo_url: str | None
    open_graph: dict[str, str]
    organisation: dict[str, Any]


def read_metadata(document: Document, url: str, *, content_language: str | None = None) -> Metadata:
    """`content_language` is the header of that name, for pages that name no language themselves."""
    return Metadata(
        title=_shortened(document.title or document.meta("og:title"), _LONGEST_TITLE),
        description=_shortened(document.description, _LONGEST_DESCRIPTION),
        language=_language(document.language) or _language(content_language),
        favicon_url=favicon(document, url),
        logo_url=logo(document, url),
        open_graph=dict(_open_graph(document)),
        organisation=_organisation(document),
    )


def _open_graph(document: Document) -> Iterator[tuple[str, str]]:
    for name in _OPEN_GRAPH:
        value = _shortened(document.meta(f"og:{name}"), _LONGEST_VALUE)
        if value:
            yield name, value


def _language(text: str | None) -> str | None:
    """de, de-AT, zh-Hant: the first one named, written as the standard has it."""
    match = _LANGUAGE.match((text or "").strip()[:40])
    if match is None:
        return None
    language, region = match.group(1).lower(), match.group(2)
    if region is None:
        return language
    return f"{language}-{region.title() if len(region) == 4 else region.upper()}"  # noqa: PLR2004 - a script has four letters


def _organisation(document: Document) -> dict[str, Any]:
    """The first organisation in the page's structured data that says the most."""
    things = [thing for thing in document.json_ld if _is_organisation(thing)]
    best = max(things, key=lambda thing: sum(sign in thing for sign in _SIGNS_OF_AN_ORGANISATION), default=None)
    if best is None:
        return {}
    told = {name: _text(best.get(name)) for name in _ORGANISATION}
    told["type"] = _text(best.get("@type"))
    found: dict[str, Any] = {name: value for name, value in told.items() if value}
    if address := _address(best.get("address")):
        found["address"] = address
    return found


def _is_organisation(thing: dict[str, Any]) -> bool:
    kinds = thing.get("@type")
    names = {str(kind).rpartition("/")[2] for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind}
    if not names or names & set(_SOMETHING_ELSE.split()):
        return False
    return "Organization" in names or any(sign in thing for sign in _SIGNS_OF_AN_ORGANISATION)


def _address(value: Any) -> dict[str, str] | str | None:
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return _text(first)
    parts = {name: _text(first.get(name)) for name in _ADDRESS}
    return {name: part for name, part in parts.items() if part}


def _text(value: Any) -> str | None:
    """A plain value; of several the first, of an object its name."""
    first = value[0] if isinstance(value, list) and value else value
    named = first.get("name") if isinstance(first, dict) else first
    return _shortened(str(named), _LONGEST_VALUE) if isinstance(named, str | int | float) else None


def _shortened(text: str | None, most: int) -> str | None:
    # Postgres stores no NUL, and half of a surrogate pair is no character.
    plain = " ".join((text or "").replace("\x00", "").encode("utf-8", "replace").decode().split())
    return plain[:most] or None
