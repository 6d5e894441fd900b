"""Names and roles, only where the page itself ties them to an address or a number. Rather none than a wrong one."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from actors.parse.html import Document, collapsed
from actors.parse.mail_addresses import addresses_in
from actors.parse.words import Phrases, data, folded, words_of

_DATA: Final = data("contact_roles")
_ROLE: Final = Phrases(_DATA["words"])
_NOT_A_NAME: Final = Phrases(_DATA["not_a_name"])
_TITLE: Final = (
    r"(?:(?:Dr|Prof|Dipl|Ing|Mag|Mr|Mrs|Ms|Herr|Frau|DDr|Dott|Avv|Rev|Fr|Sr|Sra|Mme|Me|M|MUDr|Mgr|JUDr|med|dent|rer|nat|"
    r"Inf|Kfm|DI|iur|jur|phil|vet)\.?-? ?){0,5}"
)
_WORD: Final = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]{0,20}\.?(?:['\u2019-][^\W\d_]{1,20})?"
_PARTICLE: Final = r"(?:von|van|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|zu|ten|ter|y|e)"
_NAME = re.compile(rf"{_TITLE}((?:{_WORD})(?: (?:{_PARTICLE} ){{0,2}}{_WORD}){{1,3}})")
_DIVIDER = re.compile(r" ?[,|\t\u2013\u2014:()/] ?| - ")
_LONGEST_NAME: Final = 60
_LONGEST_ROLE: Final = 60
_REACH: Final = 4
_SHORTEST_SURNAME: Final = 3
_MANY_WORDS: Final = 3
_MOST_CARDS: Final = 200
_PERSON_TYPES: Final = frozenset(("person", "physician", "contactpoint", "realestateagent"))


class Person(NamedTuple):
    name: str
    role: str | None
    email: str | None
    line: int | None = None


def stated_people(document: Document) -> list[Person]:
    """People in JSON-LD and hCards, in the order of the page."""
    people = [*_in_json(document.json_ld), *_in_cards(document)]
    return list(dict.fromkeys(people))


def _in_json(items: list[dict[str, Any]]) -> Iterator[Person]:
    for item in items:
        kinds = item.get("@type")
        named = {str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])}
        name = _string(item.get("name"))
        role = _string(item.get("jobTitle"))
        email = next((address for address, _ in addresses_in(_string(item.get("email")) or "")), None)
        # A person without either is the author of a review or of an article.
        if named & _PERSON_TYPES and name and is_name(name) and (role or email):
            yield Person(name, role, email)


def _in_cards(document: Document) -> Iterator[Person]:
    for card in document.select(".vcard, .h-card, [itemtype$='/Person' i]")[:_MOST_CARDS]:
        name = _first(card, ".fn, .p-name, [itemprop~='name']")
        role = _first(card, ".title, .role, .p-job-title, .p-role, [itemprop~='jobTitle']")
        if name and is_name(name):
            links = " ".join(node.attributes.get("href") or "" for node in card.css("a[href^='mailto:' i]"))
            found = [address for address, _ in addresses_in(f"{links.replace('?', ' ')} {card.text(separator=' ')}")]
            email = found[0] if len(set(found)) == 1 else None
            # As above: whoever signs an article has a card too.
            if role or email:
                yield Person(name, role, email)


def _first(card: Any, css: str) -> str | None:
    node = card.css_first(css)
    return collapsed(node.text(separator=" "))[:_LONGEST_NAME] or None if node is not None else None


def _string(value: Any) -> str | None:
    return collapsed(value) or None if isinstance(value, str) else None


def person_beside(lines: list[str], number: int, address: str) -> Person | None:
    """Who an address belongs to: a name in its line or just above, with a role beside it or in the address itself."""
    for line in range(number, max(-1, number - _REACH - 1), -1):
        parts = _parts(lines[line])
        for place, part in enumerate(parts):
            name = name_in(part)
            if name is None:
                continue
            around = [*parts[place + 1 : place + 3], *parts[max(0, place - 1) : place]]
            around += _parts(lines[line + 1])[:1] if line < number else []
            around += _parts(lines[line - 1])[-1:] if line > 0 and len(parts) == 1 else []
            role = next((each for each in around if is_role(each)), None)
            if role is not None or _bears(address, name):
                return Person(name, role, address, line)
        if line < number and any("@" in part for part in parts):
            return None
    return None


def _parts(line: str) -> list[str]:
    return [part.strip() for part in _DIVIDER.split(line[:300]) if part.strip()]


def name_in(text: str) -> str | None:
    """The name that a text consists of, without its titles."""
    match = _NAME.fullmatch(text) if is_name(text) else None
    return match[1] if match else None


def is_name(text: str) -> bool:
    """Whether a text has the form of a person's name and no word that gives away something else."""
    words = words_of(text)
    return (
        len(text) <= _LONGEST_NAME
        and _NAME.fullmatch(text) is not None
        and not _NOT_A_NAME.within(text)
        and not (is_role(text) and len(words) < _SHORTEST_SURNAME)
    )


def is_role(text: str) -> bool:
    words = words_of(text)
    if not words or len(text) > _LONGEST_ROLE or "@" in text or any(character.isdigit() for character in text):
        return False
    return _ROLE.at_end(words) > 0 or any(_ROLE.at_end(words[:length]) == length for length in (1, 2))


def _bears(address: str, name: str) -> bool:
    """bernatsky@… bears the name of Čestmír Bernatský."""
    local = folded(address.partition("@")[0])
    words = words_of(name)
    if len(words) >= _MANY_WORDS and "".join(words) in local:
        return False  # whoever puts three words into an address is a company
    spellings = (words[-1], _unfolded(name.rpartition(" ")[2]))
    return any(len(each) >= _SHORTEST_SURNAME and each in local for each in spellings)


def _unfolded(word: str) -> str:
    lowered = word.lower()
    for accented, plain in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss"), ("ø", "oe"), ("å", "aa"), ("æ", "ae")):
        lowered = lowered.replace(accented, plain)
    return folded(lowered)
