"""Pages that say in words what the server did not say with its status: there is no such page."""

from typing import Final

from actors.parse.html import Document
from actors.parse.words import Phrases, data

_PHRASES: Final = Phrases(data("missing_page")["phrases"])
_LONGEST_HEADING: Final = 80


def says_it_is_missing(document: Document) -> bool:
    headings = [text for text in (document.title, document.h1) if text and len(text) <= _LONGEST_HEADING]
    return any(text.strip() == "404" or _PHRASES.within(text) for text in headings)
