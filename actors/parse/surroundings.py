"""Whom the text around a place speaks of: the organisation itself, or somebody that it merely names."""

import re
from functools import lru_cache
from typing import Final

from actors.parse.element_kinds import HEADINGS
from actors.parse.html import Document
from actors.parse.labels import is_only_labels
from actors.parse.lines import Line
from actors.parse.words import Phrases, data, without_article, words_of

_WORDS: Final = data("contact_words")
_CREDIT: Final = Phrases(_WORDS["credit"]["words"])
_CREDIT_LABEL: Final = Phrases(_WORDS["credit"]["labels"])
_AGENCY: Final = Phrases(_WORDS["credit"]["agencies"])
_MAKERS: Final = frozenset(_WORDS["credit"]["makers"].split())
_BESIDE_MAKERS: Final = _MAKERS | frozenset(_WORDS["credit"]["beside_makers"].split())
_LEGAL_PAGE: Final = Phrases(_WORDS["credit"]["legal_pages"])
_THIRD_PARTY: Final = Phrases(_WORDS["third_party"]["words"])
_BODY: Final = Phrases(_WORDS["third_party"]["bodies"])
_CHAMBERS: Final = tuple(_WORDS["third_party"]["chambers"].split())
_OWN: Final = Phrases(_WORDS["own"]["titles"])
_OWN_CONTACT = re.compile(r"@|\d{3}")
_LONGEST_LABEL: Final = 60
_LONGEST_NAME: Final = 120
_REACH: Final = 8
# Under the heading of others there may be two of them, one after the other.
_FAR: Final = 16
# Enough to see whose line it is; a paragraph may name many.
_BEFORE: Final = 160
# After a whole word or a number; after "ul." and "Corp." it goes on.
_SENTENCE_END = re.compile(r"(?:(?<=[^\W\d_]{5})|(?<=[a-zß-öø-ÿ]{4})|(?<=\d\d))[.!?] (?=[^\W\d_a-zß-öø-ÿ]\w{2})")
# In front of a heading: 2., 3.1, § 4, II), Article 3 -
_NUMBERING = re.compile(
    r"(?:§|art(?:icle|ikel|\.)?)? ?(?:\d{1,2}(?:\.\d{1,2}){0,2}|[ivx]{1,4}(?=[.)])|[a-h](?=[.)]))"
    r"[.):]? ?[\u2013\u2014-]? ?(?=[^\W\d_])",
    re.IGNORECASE,
)
_SEGMENT = re.compile(r"[:;,|(\u2013\u2022\u00b7]| - ")


class Surroundings:
    def __init__(self, document: Document) -> None:
        self._lines = document.lines
        self._headings = _headings(document.lines)
        own = " ".join(filter(None, (document.title, document.h1)))
        self._is_authority = _THIRD_PARTY.within(own) or _BODY.within(own) or _names_a_chamber(words_of(own))
        described = " ".join(filter(None, (own, document.description)))
        self._is_legal = _LEGAL_PAGE.within(own)
        self._is_agency = _CREDIT.within(own) or _CREDIT_LABEL.within(own) or _AGENCY.within(described)

    def label_above(self, line: int) -> str:
        """The line before, where it is short enough to be a label or ends as one, and has no contact of its own."""
        above = self._lines[line - 1].spaced if 0 < line <= len(self._lines) else ""
        if above.endswith(":"):
            above = above[-_LONGEST_LABEL:]
        return "" if len(above) > _LONGEST_LABEL or _OWN_CONTACT.search(above) else above

    def is_about_others(self, line: int, place: int) -> bool:
        """Whether it is the web designer, an authority or the police whose address or number stands there."""
        if line >= len(self._lines):
            return False
        before = _sentence(self._lines[line].spaced[max(0, place - _BEFORE) : max(0, place)])
        texts = [before, self.label_above(line), self._headings.get(line, "")]
        return any(self._names_others(text) for text in texts if text) or self._is_in_others_block(line)

    def _names_others(self, text: str) -> bool:
        is_credit = _is_credit(text) or (self._is_legal and _is_of_makers(text))
        return (not self._is_authority and _mentions_third_party(text)) or (not self._is_agency and is_credit)

    def _is_in_others_block(self, line: int) -> bool:
        """Whether a line above, in the same paragraph, begins with the name of a host, a chamber, an authority."""
        if self._is_authority:
            return False
        for above in range(line - 1, max(-1, line - _REACH), -1):
            text = self._lines[above].spaced
            if self._lines[above].block != self._lines[line].block or is_own_title(text):
                return False
            if len(text) <= _LONGEST_NAME and _is_name_of_others(text):
                return True
        return False


def _headings(lines: list[Line]) -> dict[int, str]:
    """The heading that a line stands under, when it is near; a paragraph that is nothing but a title is one too."""
    headings: dict[int, str] = {}
    end, text = -1, ""
    for number, line in enumerate(lines):
        is_heading = line.tag in HEADINGS
        is_others, is_own = _whose_title(line.spaced)
        if is_heading or is_others or is_own:
            end = number + (_FAR if is_others and is_heading else _REACH)
            text = _unnumbered(line.spaced) if len(line.spaced) <= _LONGEST_LABEL else ""
        elif number <= end and text:
            headings[number] = text
    return headings


def _sentence(before: str) -> str:
    """The sentence that a place stands in; what only labels a contact goes on with the sentence in front of it."""
    *earlier, last = _SENTENCE_END.split(before)
    while earlier and is_only_labels(last):
        last = f"{earlier.pop()} {last}"
    return last


def is_own_title(text: str) -> bool:
    """Whether a line is what a page writes above its own address."""
    return _whose_title(text)[1]


def _whose_title(text: str) -> tuple[bool, bool]:
    """Whether a line is a title of others, and whether it is one of the page's own: it is short, and no contact."""
    return _whose(text) if len(text) <= _LONGEST_LABEL else (False, False)


@lru_cache(maxsize=2_048)
def _whose(text: str) -> tuple[bool, bool]:
    words = [] if _OWN_CONTACT.search(text) else words_of(_unnumbered(text))
    if not words:
        return False, False
    is_others = len(words) in {_CREDIT_LABEL.at_end(words), _THIRD_PARTY.at_end(words)}
    return is_others, _OWN.at_end(words) == len(words)


def _unnumbered(text: str) -> str:
    return _NUMBERING.sub("", text, count=1) if _NUMBERING.match(text) else text


@lru_cache(maxsize=2_048)
def _is_name_of_others(text: str) -> bool:
    return _begins_with_a_body(text) or _THIRD_PARTY.at_start(words_of(text))


@lru_cache(maxsize=2_048)
def _is_credit(text: str) -> bool:
    """A phrase such as "website by", or a label with its colon, or one that fills the line."""
    *labelled, last = text.replace("\uff1a", ":").split(":")
    words = words_of(last)
    fills_the_line = not labelled and _CREDIT_LABEL.at_end(words) == len(words) > 0 and words != ["design"]
    return fills_the_line or any(_CREDIT_LABEL.at_end(words_of(label)) for label in labelled) or _CREDIT.within(text)


@lru_cache(maxsize=2_048)
def _is_of_makers(text: str) -> bool:
    words = frozenset(words_of(text))
    return words <= _BESIDE_MAKERS and not _MAKERS.isdisjoint(words)


@lru_cache(maxsize=2_048)
def _mentions_third_party(text: str) -> bool:
    return _THIRD_PARTY.within(text) or _begins_with_a_body(text)


def _begins_with_a_body(text: str) -> bool:
    segments = [words_of(segment) for segment in _SEGMENT.split(text)]
    return any(_BODY.at_start(words) or _names_a_chamber(_first(without_article(words))) for words in segments)


def _first(words: list[str]) -> list[str]:
    """The first word, and the second where that only says of which country: "Bayerische Architektenkammer"."""
    return words[:2] if words and words[0].endswith(("ische", "ischen")) else words[:1]


def _names_a_chamber(words: list[str]) -> bool:
    return any(word.endswith(_CHAMBERS) for word in words)
