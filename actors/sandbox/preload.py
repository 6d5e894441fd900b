"""Everything that a parser may ever import or open, before the door is shut.

A parser process can open no file, not even the interpreter's own: a codec, a table of telephone numbers or a data file
that is read at its first use would fail there. The parsers' modules read their data files when they are imported.
"""

import encodings
import gc
import importlib
import pkgutil
from collections import deque
from contextlib import suppress
from typing import Any

import idna.uts46data  # noqa: F401 - read at the first name that is not ASCII
from phonenumbers import (
    Leniency,
    PhoneMetadata,
    PhoneNumberFormat,
    PhoneNumberType,
    example_number_for_type,
    format_number,
)

import actors.parse
from actors.parse.number_matcher import matches_in
from actors.parse.readers import ANSWERS, READERS, STREAM_READERS
from actors.parse.wire_body import WireBody, WireHead, WireStream

_PAGE = (
    """<!doctype html><html lang="de">
<title>Jörg Größl</title><base href="/"><meta name=generator content="WordPress 6">
<script type="application/ld+json">{"@type": "Organization", "name": "Größl", "telephone": "+49 30 987651",}</script>
<a href="/kontakt">Kontakt</a> <a href="https://www.facebook.com/groessl">f</a> <a href="mailto:info@groessl.de">m</a>
<p>Geschäftsführer: Jörg Größl, joerg (at) größl.de, Tel. 030 987651, Fax 030 987659, +1 512 794 2345</p>"""
).encode("cp1252")
_SITEMAP = b"<urlset><url><loc>/kontakt</loc><lastmod>2026-03-01T10:00+02:00</lastmod></url></urlset>"
_FEED = b"<rss><channel><item><link>/a</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate></item></channel></rss>"
_URL = "https://größl.de/"
# Whose numbers most pages have. The expressions of a country are compiled when its first number is met, which takes
# longer than to read a small page; and Python keeps no more than 512 of them.
_REGIONS = "US CA GB IE AU NZ DE AT CH FR BE NL LU IT ES PT PL CZ SK HU SE NO DK FI GR RO BR MX IN JP"


def preload() -> None:
    for module in pkgutil.iter_modules(actors.parse.__path__, "actors.parse."):
        importlib.import_module(module.name)
    for module in pkgutil.iter_modules(encodings.__path__, "encodings."):
        with suppress(ImportError):  # some are of Windows alone
            importlib.import_module(module.name)
    PhoneMetadata.load_all()
    _compile_expressions_of_numbers()
    _read_something_of_each_kind()
    gc.collect()
    gc.freeze()  # what is here stays, and is shared with all forks


def _compile_expressions_of_numbers() -> None:
    for region in _REGIONS.split():
        for kind in (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE):
            number = example_number_for_type(region, kind)
            written = format_number(number, PhoneNumberFormat.NATIONAL) if number is not None else ""
            deque(matches_in(written, region, Leniency.VALID), maxlen=0)


def _read_something_of_each_kind() -> None:
    body = WireBody(WireHead(_URL, None, "text/html", len(_PAGE)), _PAGE)
    rules = WireBody(WireHead(f"{_URL}robots.txt", None, None, 100), b"User-agent: *\nDisallow: /a*b$\nSitemap: /s")
    asked: dict[str, tuple[WireBody, dict[str, Any]]] = {
        "contact_page": (body, {"region": None}),
        "home_page": (body, {"region": None, "hops": [_URL], "headers": {"server": "nginx"}}),
        "sitemap_links": (body, {"url": _URL}),
        "robots_text": (rules, {}),
        "robots_rules": (rules, {"target": _URL, "agent": "ScraperSky"}),
        "robots_sitemaps": (rules, {"agent": "ScraperSky"}),
    }
    for name, reader in READERS.items():
        about, arguments = asked[name]
        kind = ANSWERS[name]
        kind.validate_json(kind.dump_json(reader([about], **arguments)))
    for content in (_SITEMAP, _FEED):
        stream = WireStream(WireHead(_URL, None, None, len(content)), [content])
        streamed: dict[str, dict[str, Any]] = {
            "sitemap": {"headers": {}},
            "site_urls": {"headers": {}, "domain": "größl.de", "asked_for": _URL, "most_chosen": 1},
        }
        for name, reader in STREAM_READERS.items():
            deque(reader(stream, **streamed[name]), maxlen=0)
