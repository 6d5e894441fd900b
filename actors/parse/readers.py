"""The questions that a parser process answers, by name; it runs nothing else.

A reader takes bodies as they came over the wire and answers at once. A stream reader takes one body piece by piece,
yields what it has found so far, and returns the rest at its end. Arguments and answers travel as JSON.
"""

from collections.abc import Callable
from typing import Any, Final, get_args, get_type_hints

from pydantic import TypeAdapter

from actors.parse.contact_page import read_contact_page
from actors.parse.home_page import read_home, read_sitemap_links
from actors.parse.robots_reading import ask_robots, read_named_sitemaps, read_robots_text
from actors.parse.sitemap_reading import read_site_urls, survey_sitemap

READERS: Final[dict[str, Callable[..., Any]]] = {
    "contact_page": read_contact_page,
    "home_page": read_home,
    "sitemap_links": read_sitemap_links,
    "robots_text": read_robots_text,
    "robots_rules": ask_robots,
    "robots_sitemaps": read_named_sitemaps,
}
STREAM_READERS: Final[dict[str, Callable[..., Any]]] = {
    "sitemap": survey_sitemap,
    "site_urls": read_site_urls,
}
NAMES: Final = {function: name for name, function in (READERS | STREAM_READERS).items()}

ANSWERS: Final[dict[str, TypeAdapter[Any]]] = {
    name: TypeAdapter(get_type_hints(function)["return"]) for name, function in READERS.items()
}
BATCHES: Final[dict[str, TypeAdapter[Any]]] = {}
for _name, _function in STREAM_READERS.items():
    _batch, _, _answer = get_args(get_type_hints(_function)["return"])
    BATCHES[_name], ANSWERS[_name] = TypeAdapter(_batch), TypeAdapter(_answer)
