"""What the words in front of a number call it: a telephone, a fax, or something that is neither."""

import re
from typing import Final

from actors.parse.words import Phrases, data, words_of

_WORDS: Final = data("contact_words")["labels"]
_PHONE: Final = Phrases(_WORDS["phone"])
_FAX: Final = Phrases(_WORDS["fax"])
_MAIL: Final = Phrases(_WORDS["mail"])
_FAX_LETTERS: Final = frozenset(_WORDS["fax_letters"].split())
_IDENTITY: Final = Phrases(_WORDS["identity"])
_PHONE_NEARBY: Final = Phrases(_WORDS["phone_nearby"])
_IDENTITY_NEARBY: Final = Phrases(_WORDS["identity_nearby"])
_FILLER_WORDS: Final = "no nr num number nummer numero numer n code id № số and or und oder y e et i the de der"
_FILLERS: Final = frozenset(words_of(_FILLER_WORDS))
_FAX_SIGNS = re.compile("[\U0001f5b7\U0001f4e0\u213b]")
# T: 28970373, (M) 98201…, т. 8916…
_PHONE_LETTER = re.compile(r"(?:^|[\s|,;/\u2022\u00b7])(?:\([tpmo]\):?|[tpmтτ] ?:|[tтτ]\.)\s{0,3}$", re.IGNORECASE)
_FAR: Final = 5
_NEAR: Final = 2


def label_before(text: str) -> str | None:
    """`phone`, `fax`, `identity` or None, from the text between the number before, or the line's start, and this."""
    if _PHONE_LETTER.search(text[-10:]):
        return "phone"
    words = words_of(_FAX_SIGNS.sub(" fax ", text))
    seen = 0
    while words and seen < _FAR:
        if _PHONE.at_end(words) or (seen == 0 and _PHONE_NEARBY.at_end(words)):
            return "phone"
        if (seen <= _NEAR and _IDENTITY.at_end(words)) or (seen == 0 and _IDENTITY_NEARBY.at_end(words)):
            return "identity"
        fax = _FAX.at_end(words) or (seen == 0 and words[-1] in _FAX_LETTERS)
        if fax:
            rest = words[:-1]
            while rest and rest[-1] in _FILLERS:
                rest.pop()
            # "Tel./Fax: …" is both, and a telephone to whoever calls.
            return "phone" if _PHONE.at_end(rest) else "fax"
        seen += words.pop() not in _FILLERS
    return None


def says_fax(text: str) -> bool:
    """Whether the words right after a number call it a fax, as in "030 123 (Fax)"."""
    words = words_of(text)
    return bool(words) and _FAX.at_end(words[:1]) > 0 and not any(character.isdigit() for character in text)


def is_only_labels(text: str) -> bool:
    """Whether a text names no more than the kind of contact that follows: "Tel. 030 123, E-Mail:"."""
    words = [word for word in words_of(text) if not word.isdigit() and word not in _FILLERS]
    while words:
        length = _PHONE.at_end(words) or _FAX.at_end(words) or _MAIL.at_end(words)
        if not length:
            return False
        del words[-length:]
    return True
