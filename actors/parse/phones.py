"""Every telephone and fax number of a page that a reader would take for the organisation's, in E.164."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from actors.parse.boundaries import FEWEST_DIGITS
from actors.parse.dialling import AreaCodes, declared, e164, is_local, is_valid
from actors.parse.emails import LAST_LINE, excerpt
from actors.parse.html import Document
from actors.parse.labels import label_before, says_fax
from actors.parse.marks import ITEM_NAMES, phone_target
from actors.parse.numbers import is_made_up
from actors.parse.public_services import listed_services
from actors.parse.surroundings import Surroundings
from actors.parse.written_phones import written_in

_LONGEST_LINE: Final = 4_000
# A page with more of them is a table or a catalogue.
_MOST_DIGITS: Final = 12_000
_MOST: Final = 200
_MOST_STATED: Final = 1_000
_LONGEST_E164: Final = len("+123456789012345")
_DIGIT = re.compile(r"\d")
_SEVERAL_DIGITS = re.compile(rf"\d(?:\D{{0,5}}\d){{{FEWEST_DIGITS - 1}}}")


class Phone(NamedTuple):
    number: str
    method: str
    context: str | None
    line: int = LAST_LINE
    blocks: tuple[int, ...] = ()


class _Mention(NamedTuple):
    line: int
    place: int
    number: str
    method: str
    label: str | None
    context: str | None
    is_local: bool = False


def find_phones(document: Document, region: str | None, surroundings: Surroundings) -> tuple[list[Phone], list[Phone]]:
    """The phones and the faxes, in the order of the page, each counted once."""
    found = {*_mentions(document, region, surroundings)}
    mentions = sorted(found, key=lambda each: (each.line, each.place, each.method, each.number))
    services = listed_services(document, [(each.line, each.place, each.number) for each in mentions])
    kept = [
        each
        for each in mentions
        if each.number not in services
        and len(each.number) <= _LONGEST_E164
        and not surroundings.is_about_others(each.line, each.place)
    ]
    kept = list(_with_area_codes(kept))
    # A number that is called a fax is one, unless the same page also calls it a telephone.
    called = {label: {each.number for each in kept if each.label == label} for label in ("phone", "fax")}
    faxes = called["fax"] - called["phone"]
    return _once(kept, lambda number: number not in faxes), _once(kept, lambda number: number in faxes)


def _with_area_codes(mentions: list[_Mention]) -> Iterator[_Mention]:
    codes = AreaCodes({each.number for each in mentions if not each.is_local})
    for each in mentions:
        number = codes.completed(each.number) if each.is_local else each.number
        if number is not None:
            yield each._replace(number=number)


def _once(mentions: list[_Mention], is_wanted: Callable[[str], bool]) -> list[Phone]:
    found: dict[str, Phone] = {}
    for mention in mentions:
        if is_wanted(mention.number) and len(found) < _MOST:
            found.setdefault(mention.number, Phone(mention.number, mention.method, mention.context, mention.line))
    return list(found.values())


def _mentions(document: Document, region: str | None, surroundings: Surroundings) -> Iterator[_Mention]:
    in_text = list(_in_text(document, region, surroundings))
    yield from in_text
    yield from _in_marks(document, region, surroundings, in_text)
    stated = (text for item in document.json_ld for text in _stated(item))
    yield from _declared_in(islice(stated, _MOST_STATED), region)


def _in_text(document: Document, region: str | None, surroundings: Surroundings) -> Iterator[_Mention]:
    left = _MOST_DIGITS
    for number, line in enumerate(document.lines):
        text = line.spaced
        if left <= 0:
            break
        if _SEVERAL_DIGITS.search(text):
            left -= len(_DIGIT.findall(text[:_LONGEST_LINE]))
            yield from _in_line(number, text[:_LONGEST_LINE], region, surroundings)


def _in_line(number: int, text: str, region: str | None, surroundings: Surroundings) -> Iterator[_Mention]:
    for each in written_in(text, region, lambda before: _label(before, surroundings, number)):
        context = excerpt(text, each.place)
        yield _Mention(number, each.place, e164(each.number), "text", each.label, context, is_local(each.number))


def _label(before: str, surroundings: Surroundings, line: int) -> str | None:
    """From the words before it in the line, or from the line above when there are none."""
    return label_before(before[-80:] if before.strip(" :.\t|\u2013-") else surroundings.label_above(line))


def _in_marks(
    document: Document, region: str | None, surroundings: Surroundings, in_text: list[_Mention]
) -> Iterator[_Mention]:
    shown: dict[int, list[_Mention]] = {}
    for mention in in_text:
        if not mention.is_local:
            shown.setdefault(mention.line, []).append(mention)
    for mark in document.marks:
        line = document.lines[mark.line].spaced if mark.line < len(document.lines) else ""
        text = line[mark.start : mark.end]
        given = _given(mark.node.attributes, text)
        number = declared(given.written, region) if given else None
        if given is None or number is None or is_made_up(number):
            continue
        inside = {each.number for each in shown.get(mark.line, ()) if mark.start <= each.place < mark.end}
        # What the reader sees counts when the link behind it says otherwise.
        if inside and e164(number) not in inside:
            continue
        if not is_valid(number) and len(_DIGIT.findall(text)) < FEWEST_DIGITS:
            continue
        label = given.label or ("fax" if says_fax(text) else _label(line[: mark.start], surroundings, mark.line))
        context = excerpt(line, mark.start) or None
        yield _Mention(mark.line, mark.start, e164(number), given.method, label, context, is_local(number))


class _Given(NamedTuple):
    method: str
    written: str
    label: str | None


def _given(attributes: dict[str, str | None], shown: str) -> _Given | None:
    item = ITEM_NAMES.get((attributes.get("itemprop") or "").lower())
    written = attributes.get("content") or shown
    if item in {"phone", "fax"} and written:
        return _Given("microdata", written, item)
    target = phone_target(attributes)
    return _Given(*target, None) if target else None


def _stated(item: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What structured data calls a telephone or a fax."""
    for key, value in item.items():
        name = ITEM_NAMES.get(key.lower())
        if name in {"phone", "fax"}:
            yield from ((name, text) for text in (value if isinstance(value, list) else [value]))


def _declared_in(stated: Iterable[tuple[str, Any]], region: str | None) -> Iterator[_Mention]:
    for name, text in stated:
        number = declared(str(text), region) if isinstance(text, str | int) else None
        if number is not None and is_valid(number) and not is_made_up(number):
            yield _Mention(LAST_LINE, 0, e164(number), "json_ld", name, None)
