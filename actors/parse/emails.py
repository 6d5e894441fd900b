"""Every address of a page that a reader would take for the organisation's, with the place it was found at."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from actors.parse.element_kinds import HEADINGS
from actors.parse.html import Document
from actors.parse.lines import Line
from actors.parse.mail_addresses import Site, addresses_in, is_junk, kind_of
from actors.parse.marks import ITEM_NAMES, mail_targets, undisguised
from actors.parse.obfuscation import readable, stand_in, written_by_script
from actors.parse.people import name_in
from actors.parse.surroundings import Surroundings
from actors.parse.words import words_of

LAST_LINE: Final = 10**9
_CONTEXT: Final = 80
_MOST: Final = 500
_MOST_MENTIONS: Final = 2_000
# A page with more text that may hide addresses is a list of strangers, or made to keep us busy.
_MOST_TEXT: Final = 200_000
_LONG_LINE: Final = 2_000
_DROP_CAP: Final = 2
_MOST_SCRIPTS: Final = 200
_KEEPER_BEFORE = re.compile(r"\bweb ?(?:master|mestre) ?: ?[^@:]{0,40}(?:mail ?: ?)?$", re.IGNORECASE)
_SITE_KEEPERS: Final = (["webmaster"], ["webmestre"], ["web", "master"])


class Email(NamedTuple):
    address: str
    type: str
    method: str
    context: str | None
    name: str | None = None
    role: str | None = None
    line: int = LAST_LINE
    blocks: tuple[int, ...] = ()


class _Mention(NamedTuple):
    line: int
    place: int
    address: str
    method: str
    context: str | None
    name: str | None = None
    is_of_site_keeper: bool = False


def find_emails(document: Document, site: Site, surroundings: Surroundings) -> list[Email]:
    """In the order of the page; an address is counted once, by the plainest way in which it is given."""
    found: dict[str, Email] = {}
    mentions = _without_rests(sorted(_mentions(document, site), key=lambda each: each[:2]))
    for mention in mentions:
        if is_junk(mention.address, site) or mention.address in found or len(found) >= _MOST:
            continue
        if not site.owns(mention.address) and surroundings.is_about_others(mention.line, mention.place):
            continue
        found[mention.address] = Email(
            mention.address,
            kind_of(mention.address, site),
            mention.method,
            mention.context,
            mention.name,
            None,
            mention.line,
        )
    keepers = {each.address for each in mentions if each.is_of_site_keeper or _is_keepers(document, each)}
    return _without_site_keepers(found, {address for address in keepers if not site.owns(address)})


def _is_keepers(document: Document, mention: _Mention) -> bool:
    """Whether "Webmaster:" stands before it, or in the two lines above: a name may come between; or as its heading."""
    if mention.line >= len(document.lines):
        return False
    *above, own = document.lines[max(0, mention.line - 2) : mention.line + 1]
    before = own.spaced[max(0, mention.place - _CONTEXT) : mention.place]
    titles = [line.spaced for line in above if line.spaced.rstrip().endswith(":")]
    titles += [line.spaced for line in above[-1:] if line.tag in HEADINGS]
    return any(words_of(title) in _SITE_KEEPERS for title in titles) or _KEEPER_BEFORE.search(before) is not None


def _without_site_keepers(found: dict[str, Email], keepers: set[str]) -> list[Email]:
    """Who is linked as "Webmaster" need not belong to the organisation; at a domain that others share, he does."""
    domains = {address.rpartition("@")[2] for address in found if address not in keepers}
    return [
        email
        for address, email in found.items()
        if address not in keepers
        or not domains
        or address.startswith("webmaster@")
        or address.rpartition("@")[2] in domains
    ]


def _without_rests(mentions: list[_Mention]) -> list[_Mention]:
    """Where the first letter of an address stands outside its link, what the link shows is no address."""
    linked = {
        (each.line, each.place + gap): each.address for each in mentions if each.method == "mailto" for gap in (0, 1)
    }
    return [each for each in mentions if not _first_letters(linked.get((each.line, each.place), ""), each.address)]


def _first_letters(whole: str, rest: str) -> str:
    letters = whole.removesuffix(rest)
    return letters if letters != whole and len(letters) <= _DROP_CAP else ""


def _mentions(document: Document, site: Site) -> Iterator[_Mention]:
    yield from islice(_in_text(document, site), _MOST_MENTIONS)
    yield from _in_marks(document)
    for item in document.json_ld:
        yield from _in_item(item)
    for node in document.select("script:not([src]):not([type*='json' i])")[:_MOST_SCRIPTS]:
        text = written_by_script(node.text(deep=False) or "")
        for address, _ in addresses_in(text):
            yield _Mention(LAST_LINE, 1, address, "script", None)


def _in_text(document: Document, site: Site) -> Iterator[_Mention]:
    disguised = _disguised(document)
    sign = stand_in(line.text for line in document.lines)
    left = _MOST_TEXT
    for number, line in enumerate(document.lines):
        plain = readable(line.text.replace(sign, "@") if sign else line.text, site.domain) if left > 0 else ""
        found = list(addresses_in(plain)) if "@" in plain else []
        if found or "@" in plain or len(line.text) > _LONG_LINE:
            left -= len(line.text)
        if line.spaced != line.text and "@" in plain:
            apart = readable(line.spaced, site.domain)
            found = list(_unglued(found, list(addresses_in(apart))))
            plain = apart
        written = _written(line) if found else frozenset()
        for address, place in found:
            how = "cloudflare" if address in disguised else "text" if address in written else "obfuscated"
            yield _Mention(number, place, address, how, excerpt(plain, place))


def _written(line: Line) -> frozenset[str]:
    """The addresses that stand in a line as they are."""
    return frozenset(address for text in {line.text, line.spaced} for address, _ in addresses_in(text))


def _unglued(joined: list[tuple[str, int]], apart: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Where only markup divides an address from a word beside it, the word is no part of the address."""
    shorter, rests = {address for address, _ in apart}, set()
    for address, place in joined:
        if not any(_is_glued(address, each) for each in _endings(address) & shorter):
            yield address, place
        rests |= {each for each in _endings(address) & shorter if not _is_glued(address, each)}
    yield from ((address, place) for address, place in apart if address not in rests)


def _endings(address: str) -> set[str]:
    """The address itself and what it ends in."""
    return {address[start:] for start in range(len(address))}


def _is_glued(address: str, shorter: str) -> bool:
    word = address.removesuffix(shorter)
    return word != address and len(word) > _DROP_CAP and word[-1] not in "._-+"


def _disguised(document: Document) -> frozenset[str]:
    texts = [undisguised(node.attributes) or "" for node in document.select("[data-cfemail]")]
    return frozenset(address for text in texts for address, _ in addresses_in(text))


def _in_marks(document: Document) -> Iterator[_Mention]:
    for mark in document.marks:
        attributes = mark.node.attributes
        line = document.lines[mark.line].spaced if mark.line < len(document.lines) else ""
        shown = [address for address, _ in addresses_in(readable(line[mark.start : mark.end]))]
        if ITEM_NAMES.get((attributes.get("itemprop") or "").lower()) == "email":
            for address, _ in addresses_in(attributes.get("content") or ""):
                yield _Mention(mark.line, mark.start, address, "microdata", excerpt(line, mark.start))
        how, targets = mail_targets(attributes)
        given = [address for target in targets for address, _ in addresses_in(readable(target))]
        before = line[max(0, mark.start - _CONTEXT) : mark.start].lower().split()[-1:]
        is_whole = any(before == [_first_letters(whole, rest)] for whole in given for rest in shown)
        # What the reader sees counts when the link behind it says otherwise.
        for address in given if not shown or is_whole or set(given) & set(shown) else []:
            text = line[mark.start : mark.end].strip()
            context, is_keeper = excerpt(line, mark.start) or None, words_of(text) in _SITE_KEEPERS
            yield _Mention(mark.line, mark.start, address, how, context, name_in(text), is_keeper)


def _in_item(item: dict[str, Any]) -> Iterator[_Mention]:
    for key, value in item.items():
        if key.lower() == "email":
            for text in value if isinstance(value, list) else [value]:
                for address, _ in addresses_in(text if isinstance(text, str) else ""):
                    yield _Mention(LAST_LINE, 0, address, "json_ld", None)


def excerpt(text: str, place: int) -> str:
    """What stands around a place in a line, cut at blanks."""
    start, end = max(0, place - _CONTEXT), place + _CONTEXT
    words = text[start:end].replace("\t", " ")
    if start:
        words = words.partition(" ")[2]
    if end < len(text):
        words = words.rpartition(" ")[0] or words
    return words.strip()
