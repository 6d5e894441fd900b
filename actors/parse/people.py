"""Names and roles, only where the page itself ties them to an address or a number. Rather none than a wrong one."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from selectolax.lexbor import LexborNode

from actors.parse.element_kinds import HEADINGS
from actors.parse.html import Document
from actors.parse.lines import Line
from actors.parse.mail_addresses import addresses_in
from actors.parse.surroundings import is_own_title
from actors.parse.visible_text import collapsed
from actors.parse.words import Phrases, data, folded, words_of

_DATA: Final = data("contact_roles")
_ROLE: Final = Phrases(_DATA["words"])
_ROLE_ENDINGS: Final = tuple(words_of(_DATA["endings"]))
_NOT_A_NAME: Final = Phrases(_DATA["not_a_name"])
_NOT_FIRST: Final = Phrases(_DATA["not_first_in_a_name"])
_NOT_A_NAME_ENDINGS: Final = tuple(words_of(_DATA["not_a_name_endings"]))
_TITLE: Final = (
    r"(?:(?:The Rev|Dr|Prof|Dipl|Ing|Mag|Mr|Mrs|Ms|Miss|Herr|Frau|DDr|Dott|Avv|Revd|Rev|Cllr|Fr|Sr|Sra|Mme|Me|M|MUDr|"
    r"Mgr|JUDr|PhDr|RNDr|Bc|Drs|Ds|Hr|med|dent|rer|nat|Inf|Kfm|DI|iur|jur|phil|vet)\.?-? ?){0,5}"
)
_WORD: Final = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]{0,20}\.?(?:['\u2019-][^\W\d_]{1,20})?"
_PARTICLE: Final = r"(?:von|van|de|der|den|del|della|di|da|dos|du|la|le|el|al|bin|zu|ten|ter|y|e)"
_NAME = re.compile(rf"{_TITLE}((?:{_WORD})(?: (?:{_PARTICLE} ){{0,2}}{_WORD}){{1,3}})")
# A stroke within a word joins the halves of a role: "Secretary/Delegate". An address stands for itself.
_DIVIDER = re.compile(r" ?[,;|\t\u2013\u2014\u2022\u00b7:()<>] ?| [-/] | (?=[^\s@]{1,64}@)")
_FULL_STOP = re.compile(r"(?<=\w{4})\.$")
_EAST_ASIAN = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")
_LONGEST_EAST_ASIAN: Final = 8
_LONGEST_NAME: Final = 60
_LONGEST_ROLE: Final = 60
_REACH: Final = 4
# In one paragraph: a street, a town and several numbers may stand between a name and the address.
_REACH_IN_BLOCK: Final = 12
_SHORTEST_SURNAME: Final = 3
_MANY_WORDS: Final = 3
_MOST_CARDS: Final = 200
_MOST_CARDS_AROUND: Final = 4
# How accented letters are written in addresses: Größl is groessl@, Bjørnsen is bjornsen@.
_PLAIN_LETTERS: Final = (
    str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa", "æ": "ae"}),
    str.maketrans({"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae"}),
)
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
    for card in _outer(document.select(".vcard, .h-card, [itemtype$='/Person' i]")[:_MOST_CARDS]):
        name = _first(card, ".fn, .p-name, [itemprop~='name']")
        role = _first(card, ".title, .role, .p-job-title, .p-role, [itemprop~='jobTitle']")
        if name and is_name(name):
            links = " ".join(node.attributes.get("href") or "" for node in card.css("a[href^='mailto:' i]"))
            found = [address for address, _ in addresses_in(f"{links.replace('?', ' ')} {card.text(separator=' ')}")]
            email = found[0] if len(set(found)) == 1 else None
            # As above: whoever signs an article has a card too.
            if role or email:
                yield Person(name, role, email)


def _outer(cards: list[LexborNode]) -> Iterator[LexborNode]:
    """Without those inside several others: each card is read with all that it holds."""
    levels: dict[int, int] = {}
    for card in cards:
        around = card.parent
        while around is not None and around.mem_id not in levels:
            around = around.parent
        levels[card.mem_id] = levels[around.mem_id] + 1 if around is not None else 0
        if levels[card.mem_id] < _MOST_CARDS_AROUND:
            yield card


def _first(card: Any, css: str) -> str | None:
    node = card.css_first(css)
    return collapsed(node.text(separator=" "))[:_LONGEST_NAME] or None if node is not None else None


def _string(value: Any) -> str | None:
    return collapsed(value) or None if isinstance(value, str) else None


def person_beside(
    lines: list[Line], number: int, address: str, taken: frozenset[int] = frozenset(), site_label: str = ""
) -> Person | None:
    """Who an address belongs to: a name in its line or just above, with a role beside it or in the address itself.

    The lines that are taken have addresses of their own; what stands there, and above, is about others.
    """
    for line in range(number, max(-1, number - _REACH_IN_BLOCK - 1), -1):
        is_far = number - line > _REACH and lines[line].block != lines[number].block
        if is_far or (line < number and (line in taken or _begins_anew(lines[line].spaced))):
            return None
        parts = _parts(lines[line].spaced)
        named = _named(parts, address)
        for place, name in named:
            if line < number and place == 0 and _is_one_of_many(lines, line) and not _bears(address, name):
                return None
            role = next(filter(is_role, _around(lines, line, parts, place, number)), None)
            is_title = lines[line].tag in HEADINGS and _is_label(name, (address.partition("@")[0], site_label))
            is_owner = _bears(address, name) or (line == number and _is_short_for(address, name))
            if role is not None or (is_owner and not is_title):
                return Person(name, role, address, line)
        if named and line == number:
            return None  # whoever is named beside the address, it is nobody from above
    return None


def _begins_anew(text: str) -> bool:
    """Whether what stands above is about others: it has an address of its own, or a title begins here."""
    return "@" in text or is_own_title(text)


def _is_one_of_many(lines: list[Line], line: int) -> bool:
    """Whether a line is one of a list of people: that above begins with a name too, and both say more than that."""
    above = _parts(lines[line - 1].spaced) if line > 0 else []
    return len(above) > 1 and name_in(above[0]) is not None and len(_parts(lines[line].spaced)) > 1


def _named(parts: list[str], address: str) -> list[tuple[int, str]]:
    """The names among the parts of a line: first those that the address bears, then by nearness to the address."""
    own = next((place for place, part in enumerate(parts) if address in part.lower()), 0)
    named = [(place, name) for place, part in enumerate(parts) if (name := name_in(part))]
    return sorted(named, key=lambda each: (not _bears(address, each[1]), abs(each[0] - own)))


def _around(lines: list[Line], line: int, parts: list[str], place: int, number: int) -> Iterator[str]:
    """What may be the role of a name: the parts beside it, the line below, and that above if the name comes first."""
    yield from parts[place + 1 : place + 3]
    yield from parts[max(0, place - 1) : place]
    if line < number:
        yield from _parts(lines[line + 1].spaced)[:1]
    above = _parts(lines[line - 1].spaced) if line > 0 and place == 0 else []
    if not any("@" in part or name_in(part) for part in above):
        yield from above[-1:]


def _parts(line: str) -> list[str]:
    return [part.strip() for part in _DIVIDER.split(line[:300]) if part.strip()]


def name_in(text: str) -> str | None:
    """The name that a text consists of, without its titles."""
    match = _NAME.fullmatch(text) if len(text) <= _LONGEST_NAME else None
    return _FULL_STOP.sub("", match[1]) if match and not _is_something_else(match[1]) else None


def is_name(text: str) -> bool:
    """Whether a text has the form of a person's name and no word that gives away something else."""
    return name_in(text) is not None


def _is_something_else(name: str) -> bool:
    """Whether a word gives away an organisation, a heading or a role."""
    words = words_of(name)
    return (
        _NOT_A_NAME.within(name)
        or _NOT_FIRST.at_start(words)
        or any(_is_compound(word, _NOT_A_NAME_ENDINGS) for word in words)
        or _ROLE.at_end(words) > 0
        or (is_role(name) and len(words) < _MANY_WORDS)
        or (len(name) > _LONGEST_EAST_ASIAN and _EAST_ASIAN.search(name) is not None)
    )


def is_role(text: str) -> bool:
    words = words_of(text)
    if not words or len(text) > _LONGEST_ROLE or "@" in text or any(character.isdigit() for character in text):
        return False
    return (
        _ROLE.at_end(words) > 0
        or _is_compound(words[-1], _ROLE_ENDINGS)
        or any(_ROLE.at_end(words[:length]) == length for length in (1, 2))
    )


def _is_compound(word: str, endings: tuple[str, ...]) -> bool:
    """Jugendleiter is one of -leiter; Leiter by itself may be a name."""
    return word.endswith(endings) and word not in endings


def _is_label(name: str, labels: tuple[str, ...]) -> bool:
    """Whether a name of two words, written as one, is that of a mailbox or of a site, as in dreamnails@."""
    words = words_of(name)
    return len(words) < _MANY_WORDS and "".join(words) in {label.strip("0123456789") for label in labels}


def _bears(address: str, name: str) -> bool:
    """bernatsky@… bears the name of Čestmír Bernatský."""
    local = folded(address.partition("@")[0])
    words = words_of(name)
    if len(words) >= _MANY_WORDS and "".join(words) in local:
        return False  # whoever puts three words into an address is a company
    surname = name.rpartition(" ")[2].lower()
    spellings = (words[-1], *(folded(surname.translate(letters)) for letters in _PLAIN_LETTERS))
    return any(len(each) >= _SHORTEST_SURNAME and each in local for each in spellings)


def _is_short_for(address: str, name: str) -> bool:
    """In a small firm the mailbox is a first name, or initials."""
    words = words_of(name)
    local = folded(address.partition("@")[0])
    return (len(local) >= _SHORTEST_SURNAME and local == words[0]) or local == "".join(word[0] for word in words)
