"""The words of page_words.toml, and what a path segment or a link's text says of a page by them."""

import re
import tomllib
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

_LONGEST = 80
_MOST_TOKENS = 12
_LONGEST_WORD_IN_TOKENS = 6
_MOST_TOKENS_OF_A_BEGINNING = 4
_MOST_CHARACTERS_AROUND_A_WORD = 8

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOKEN = re.compile(r"[^\W_]+")
# Scripts that put no spaces between words.
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Letters that Unicode does not take apart into a letter and its accent.
_PLAIN = str.maketrans({"đ": "d", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "\u0131": "i", "ð": "d", "þ": "th"})

_SEVERAL_WORDS = 0.9
_WORD_INSIDE = 0.8
_BEGINNING_ONLY = 0.5


class Group(NamedTuple):
    name: str
    page_type: str
    confidence: float
    beginning: float
    """How sure we are when a segment only begins with a word: contact-austin."""
    below: float
    """How sure we are of what stands below such a page: contact/austin."""
    priority: int
    order: int


class Match(NamedTuple):
    group: Group
    why: str
    confidence: float
    is_whole: bool
    """Whether all of the segment is one of the group's words."""

    is_beginning: bool = False


class _Word(NamedTuple):
    group: Group
    why: str


class _Data(NamedTuple):
    words: dict[str, _Word]
    unspaced: tuple[tuple[str, _Word], ...]
    fillers: frozenset[str]
    misleading: frozenset[str]
    languages: frozenset[str]
    editorial: frozenset[str]
    page_parameters: frozenset[str]


def plain(text: str) -> str:
    """Without case and accents, so that two spellings of a word are one."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if unicodedata.category(letter) != "Mn").translate(_PLAIN)


def match_words(text: str) -> Match | None:
    """The group whose words a segment or a link's text consists of, or None."""
    return _match(text) if len(text) <= _LONGEST else None


@lru_cache(maxsize=4096)
def _match(text: str) -> Match | None:
    tokens = _tokens(text)
    if not 0 < len(tokens) <= _MOST_TOKENS:
        return None
    whole = _DATA.words.get("".join(tokens))
    if whole is not None:
        return Match(whole.group, whole.why, whole.group.confidence, is_whole=True)
    return _in_tokens(tokens) or _in_unspaced(tokens)


def is_language(segment: str) -> bool:
    """en, de-at, pt_BR."""
    language, _, region = segment.lower().replace("_", "-").partition("-")
    return language in _DATA.languages and (not region or (len(region) in (2, 4) and region.isalpha()))


def is_editorial(segment: str) -> bool:
    return len(segment) <= _LONGEST and plain(segment) in _DATA.editorial


def is_page_parameter(name: str) -> bool:
    return name.lower() in _DATA.page_parameters


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(plain(_CAMEL.sub("-", text).replace("'", "").replace("\u2019", "")))


def _in_tokens(tokens: list[str]) -> Match | None:
    """Read the tokens as words and fillers; what is neither leaves a mere beginning."""
    found: list[_Word] = []
    position, strange = 0, False
    while position < len(tokens):
        word, length = _longest_word(tokens, position)
        if word is not None:
            found.append(word)
        elif not _is_filler(tokens[position]):
            strange = True
            break
        position += length
    if not found:
        return None
    if strange:
        return _beginning(found[0], tokens)
    best = min(found, key=lambda word: word.group.order)
    return Match(best.group, best.why, best.group.confidence * _SEVERAL_WORDS, is_whole=False)


def _beginning(first: _Word, tokens: list[str]) -> Match | None:
    if len(tokens) > _MOST_TOKENS_OF_A_BEGINNING or not _DATA.misleading.isdisjoint(tokens):
        return None
    return Match(first.group, f"begins with {first.why}", first.group.beginning, is_whole=False, is_beginning=True)


def _longest_word(tokens: list[str], position: int) -> tuple[_Word | None, int]:
    for length in range(min(_LONGEST_WORD_IN_TOKENS, len(tokens) - position), 0, -1):
        word = _DATA.words.get("".join(tokens[position : position + length]))
        if word is not None:
            return word, length
    return None, 1


def _is_filler(token: str) -> bool:
    return token in _DATA.fillers or token in _DATA.languages or token.isdigit()


def _in_unspaced(tokens: list[str]) -> Match | None:
    text = "".join(tokens)
    if not _UNSPACED.search(unicodedata.normalize("NFC", text)):
        return None
    for key, word in _DATA.unspaced:
        if key in text and len(text) <= len(key) + _MOST_CHARACTERS_AROUND_A_WORD:
            return Match(word.group, word.why, word.group.confidence * _WORD_INSIDE, is_whole=False)
    return None


def _group(entry: dict[str, Any], order: int) -> Group:
    confidence = entry["confidence"]
    return Group(
        name=entry["name"],
        page_type=entry["page_type"],
        confidence=confidence,
        beginning=entry.get("beginning", confidence * _BEGINNING_ONLY),
        below=entry["below"],
        priority=entry["priority"],
        order=order,
    )


def _load() -> _Data:
    data = tomllib.loads((files("actors.parse") / "page_words.toml").read_text(encoding="utf-8"))
    words: dict[str, _Word] = {}
    for order, entry in enumerate(data["group"]):
        group = _group(entry, order)
        for language, written in entry["words"].items():
            for word in written:
                words.setdefault("".join(_tokens(word)), _Word(group, f"{group.name} ({language}): {word}"))
    unspaced = [(key, word) for key, word in words.items() if _UNSPACED.search(unicodedata.normalize("NFC", key))]
    return _Data(
        words=words,
        # The longest first: it says most.
        unspaced=tuple(sorted(unspaced, key=lambda pair: (-len(pair[0]), pair[1].group.order, pair[0]))),
        fillers=frozenset(map(plain, data["fillers"].split())),
        misleading=frozenset(data["misleading"].split()),
        languages=frozenset(data["languages"].split()),
        editorial=frozenset(map(plain, data["editorial"].split())),
        page_parameters=frozenset(data["page_parameters"].split()),
    )


_DATA = _load()
