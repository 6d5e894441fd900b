"""Every telephone and fax number of a page that a reader would take for the organisation's, in E.164."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from phonenumbers import (
    Leniency,
    NumberParseException,
    PhoneNumber,
    PhoneNumberFormat,
    PhoneNumberMatch,
    PhoneNumberMatcher,
    format_number,
    is_possible_number,
    is_valid_number,
    parse,
)

from actors.parse.emails import LAST_LINE, excerpt
from actors.parse.html import Document
from actors.parse.labels import label_before, says_fax
from actors.parse.marks import ITEM_NAMES, phone_target
from actors.parse.numbers import another, first_of_two, is_made_up, looks_like_something_else
from actors.parse.public_services import listed_services
from actors.parse.surroundings import Surroundings

_FEWEST_DIGITS: Final = 7
_LONGEST_LINE: Final = 4_000
# A page with more of them is a table or a catalogue.
_MOST_DIGITS: Final = 12_000
_MOST: Final = 200
_NEAR: Final = 20
_LONGEST_E164: Final = len("+123456789012345")
_DIGIT = re.compile(r"\d")
_SEVERAL_DIGITS = re.compile(rf"(?:\d\D{{0,5}}){{{_FEWEST_DIGITS}}}")
# +49/30/… is a common way to write what the library knows as +49-30/…
_COUNTRY_AND_SLASH = re.compile(r"(?<=\+\d)/|(?<=\+\d\d)/|(?<=\+\d{3})/")
_SEPARATOR = re.compile(r"[\s()./\u2010-\u2015-]")
_ONLY_BETWEEN = re.compile(r"[\s,;/|+&-]{0,9}(?:und|oder|and|or|o|e|y|et|ou)?[\s,;/|+&-]{0,9}$", re.IGNORECASE)


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
    # A number that is called a fax is one, unless the same page also calls it a telephone.
    called = {label: {each.number for each in kept if each.label == label} for label in ("phone", "fax")}
    faxes = called["fax"] - called["phone"]
    return _once(kept, lambda number: number not in faxes), _once(kept, lambda number: number in faxes)


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
    for item in document.json_ld:
        yield from _in_item(item, region)


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
    end, label = 0, None
    text = _COUNTRY_AND_SLASH.sub("-", text)
    matches = list(PhoneNumberMatcher(text, region, Leniency.VALID)) or list(_labelled(text, region))
    for match in (first_of_two(each, region) for each in matches):
        between = text[end : match.start]
        if not (end and _ONLY_BETWEEN.match(between)):
            label = label_before(between[-80:]) if end else _label(between, surroundings, number)
        end = match.end
        if label is None and says_fax(text[end:]):
            label = "fax"
        if label == "identity" or not _is_convincing(match, text, label):
            continue
        yield _Mention(number, match.start, e164(match.number), "text", label, excerpt(text, match.start))
        second = another(match.number, text[end : end + _NEAR]) if label in {"phone", "fax"} else None
        if second is not None and not is_made_up(second):
            yield _Mention(number, end, e164(second), "text", label, excerpt(text, end))


def _labelled(text: str, region: str | None) -> Iterator[PhoneNumberMatch]:
    """Numbers of the right length that no plan knows: what a page itself calls a telephone may be newer, or older."""
    for match in PhoneNumberMatcher(text, region, Leniency.POSSIBLE):
        digits = len(str(match.number.national_number))
        if digits > _FEWEST_DIGITS and label_before(text[: match.start][-_NEAR:]) == "phone":
            yield match


def _label(before: str, surroundings: Surroundings, line: int) -> str | None:
    """From the words before it in the line, or from the line above when there are none."""
    return label_before(before[-80:] if before.strip(" :.\t|\u2013-") else surroundings.label_above(line))


def _is_convincing(match: PhoneNumberMatch, text: str, label: str | None) -> bool:
    raw = match.raw_string
    if is_made_up(match.number) or looks_like_something_else(raw, text, match.start, match.end):
        return False
    is_bare = not raw.startswith(("+", "0", "(")) and not _SEPARATOR.search(raw)
    # Digits in one piece may be anything; it takes a label, or a line of their own, to make them a telephone.
    return not is_bare or label in {"phone", "fax"} or text.strip() == raw


def _in_marks(
    document: Document, region: str | None, surroundings: Surroundings, in_text: list[_Mention]
) -> Iterator[_Mention]:
    shown: dict[int, list[_Mention]] = {}
    for mention in in_text:
        shown.setdefault(mention.line, []).append(mention)
    for mark in document.marks:
        line = document.lines[mark.line].spaced if mark.line < len(document.lines) else ""
        text = line[mark.start : mark.end]
        given = _given(mark.node.attributes, text)
        number = readable_number(given.written, region) if given else None
        if given is None or number is None or is_made_up(number):
            continue
        inside = {each.number for each in shown.get(mark.line, ()) if mark.start <= each.place < mark.end}
        # What the reader sees counts when the link behind it says otherwise.
        if inside and e164(number) not in inside:
            continue
        if not is_valid_number(number) and len(_DIGIT.findall(text)) < _FEWEST_DIGITS:
            continue
        label = given.label or ("fax" if says_fax(text) else _label(line[: mark.start], surroundings, mark.line))
        yield _Mention(mark.line, mark.start, e164(number), given.method, label, excerpt(line, mark.start) or None)


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


def _in_item(item: dict[str, Any], region: str | None) -> Iterator[_Mention]:
    for key, value in item.items():
        name = ITEM_NAMES.get(key.lower())
        for text in (value if isinstance(value, list) else [value]) if name in {"phone", "fax"} else []:
            number = readable_number(str(text), region) if isinstance(text, str | int) else None
            if number is not None and is_valid_number(number) and not is_made_up(number):
                yield _Mention(LAST_LINE, 0, e164(number), "json_ld", name, None)


def readable_number(text: str, region: str | None) -> PhoneNumber | None:
    """A number that somebody declared to be one; its country, where it forgot the plus, is tried as such."""
    written = text.strip()[:60]
    for attempt in (written, f"+{written}") if not written.startswith(("+", "00")) else (written,):
        try:
            number = parse(attempt, region)
        except NumberParseException:
            continue
        if is_valid_number(number):
            return number
    try:
        number = parse(written, region)
    except NumberParseException:
        return None
    return number if is_possible_number(number) else None


def e164(number: PhoneNumber) -> str:
    return format_number(number, PhoneNumberFormat.E164)
