"""Lists of numbers that a page passes on: the police, the town hall, the power company."""

from collections.abc import Iterable
from typing import Final

from actors.parse.html import Document
from actors.parse.words import Phrases, data

_WORDS: Final = data("contact_words")["third_party"]
_SERVICE: Final = Phrases(_WORDS["words"] + _WORDS["in_lists"])
_A_LIST: Final = 4
_REACH: Final = 60


def listed_services(document: Document, numbers: Iterable[tuple[int, int, str]]) -> frozenset[str]:
    """The numbers beside which a public service is named, when there are several: (line, place in it, number)."""
    lines = document.lines
    services = set()
    for line, place, number in numbers:
        if line >= len(lines):
            continue
        text = lines[line].spaced
        label = text[max(0, place - _REACH) : max(place, 0)]
        if len(label.strip(" :-\t")) == 0 and line > 0:
            label = lines[line - 1].spaced[-_REACH:]
        if _SERVICE.within(label):
            services.add(number)
    return frozenset(services) if len(services) >= _A_LIST else frozenset()
