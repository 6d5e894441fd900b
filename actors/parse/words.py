"""Lists of words from the data files, and whether a text has one of them; case, accents and punctuation are ignored."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from itertools import filterfalse
from typing import Any

_WORD = re.compile(r"[^\W_]+")
# Written without blanks between words, so a word is found anywhere in the text.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_LONGEST = 5
_ARTICLES = frozenset(("der", "die", "das", "the", "la", "le", "les", "l", "il", "el", "de", "het", "unser", "notre"))


class Phrases:
    def __init__(self, listed: str) -> None:
        entries = listed.split()
        self._unspaced = tuple(entry.replace("_", "") for entry in entries if _UNSPACED.search(entry))
        spaced = [words_of(entry) for entry in entries if not _UNSPACED.search(entry)]
        self._spaced = frozenset(map(" ".join, spaced))
        # Few words of a page begin or end a phrase: only behind those the phrases themselves are looked up.
        self._first = frozenset(words[0] for words in spaced if words)
        self._last = frozenset(words[-1] for words in spaced if words)

    def within(self, text: str) -> bool:
        words = words_of(text)
        if not self._first.isdisjoint(words):
            starts = (start for start, word in enumerate(words) if word in self._first)
            if any(self._begin(words[start : start + _LONGEST]) for start in starts):
                return True
        return not text.isascii() and any(word in text for word in self._unspaced)

    def at_end(self, words: list[str]) -> int:
        """How many of the last words are one of the phrases; 0 if they are none."""
        if not words:
            return 0
        if words[-1] in self._last:
            for length in range(min(_LONGEST, len(words)), 0, -1):
                if " ".join(words[-length:]) in self._spaced:
                    return length
        return 1 if self._unspaced and words[-1].endswith(self._unspaced) else 0

    def at_start(self, words: list[str]) -> bool:
        """Whether the first words are one of the phrases, an article in front of them or not."""
        first = without_article(words)
        return bool(first) and first[0] in self._first and self._begin(first)

    def _begin(self, words: list[str]) -> bool:
        return any(" ".join(words[:length]) in self._spaced for length in range(1, min(_LONGEST, len(words)) + 1))


def without_article(words: list[str]) -> list[str]:
    return words[1:] if words and words[0] in _ARTICLES else words


def words_of(text: str) -> list[str]:
    return _WORD.findall(folded(text))


def folded(text: str) -> str:
    """Lower case, without accents: Téléphone is telephone."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(filterfalse(unicodedata.combining, decomposed)))


@cache
def data(name: str) -> dict[str, Any]:
    return tomllib.loads((files("actors.parse") / f"{name}.toml").read_text(encoding="utf-8"))


def listed(entries: Iterable[str] | str) -> frozenset[str]:
    return frozenset(entries.split() if isinstance(entries, str) else entries)
