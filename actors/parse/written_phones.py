"""The numbers in one line of text, and what the words around each call it."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from phonenumbers import (
    Leniency,
    PhoneNumber,
    PhoneNumberMatch,
    national_significant_number,
)

from actors.parse.boundaries import FEWEST_DIGITS, Run, marked
from actors.parse.dialling import is_local, meant, of_abroad
from actors.parse.labels import label_before, says_fax
from actors.parse.number_matcher import matches_in
from actors.parse.numbers import is_made_up, looks_like_something_else
from actors.parse.series import JOINS, further, goes_on

_NEAR: Final = 20
_ROW: Final = 80
_CALLED: Final = frozenset(("phone", "fax"))
_DIGIT = re.compile(r"\d")
_SEPARATOR = re.compile(r"[\s()./\u2010-\u2015-]")
_ONLY_BETWEEN = re.compile(rf"[\s,;/|+&-]{{0,9}}(?:{JOINS})?[\s,;/|+&-]{{0,9}}$", re.IGNORECASE)
_NOTHING_BUT_NUMBERS = re.compile(r"\d{7,15}(?: ?[,;/|&] ?\d{7,15}){1,2}")


class Written(NamedTuple):
    place: int
    number: PhoneNumber
    label: str | None


def written_in(text: str, region: str | None, first_label: Callable[[str], str | None]) -> Iterator[Written]:
    """In their order; what calls the first of them may stand in the line above, so the caller tells."""
    end, label = 0, None
    for match in _matches(text, region):
        between = text[end : match.start]
        if not (end and _ONLY_BETWEEN.match(between)):
            label = label_before(between[-80:]) if end else first_label(between)
        end = match.end
        if label is None and says_fax(text[end:]):
            label = "fax"
        is_labelled = label in _CALLED
        if label == "identity" or not _is_convincing(match, text, is_labelled=is_labelled):
            continue
        yield Written(match.start, match.number, label)
        for each in further(
            match.number, match.raw_string, text[match.end : match.end + _ROW], is_labelled=is_labelled
        ):
            own = label_before(text[match.end : match.end + each.start]) or label
            end = match.end + each.end
            if not is_made_up(each.number):
                yield Written(match.end + each.start, each.number, own)


def _matches(text: str, region: str | None) -> list[PhoneNumberMatch]:
    """What the library finds, and what it does not know but the page itself calls a telephone."""
    seen, runs = marked(text, region)
    found = list(matches_in(seen, region, Leniency.VALID))
    found += _apart(_as_meant(text, runs, region), found)
    if any(_call(text, run.start) for run in runs):
        found += _apart(_as_called(text, seen, region, is_alone=not found), found)
    return sorted(found, key=lambda match: match.start)


def _apart(matches: Iterable[PhoneNumberMatch], found: list[PhoneNumberMatch]) -> list[PhoneNumberMatch]:
    return [each for each in matches if not any(each.start < other.end and other.start < each.end for other in found)]


def _as_meant(text: str, runs: list[Run], region: str | None) -> Iterator[PhoneNumberMatch]:
    """Numbers of an older plan, with a zero too many or without the plus of their country."""
    for run in runs:
        digits = "".join(_DIGIT.findall(run.written))
        if len(digits) > FEWEST_DIGITS and (run.written[0] == "+" or _call_of_row(text, run.start)):
            number = meant(run.written, region) or of_abroad(run.written)
            if number is not None and digits != national_significant_number(number):
                yield PhoneNumberMatch(run.start, run.written, number)


def _as_called(text: str, seen: str, region: str | None, *, is_alone: bool) -> Iterator[PhoneNumberMatch]:
    """Numbers of the right length that no plan knows: what a page itself calls a telephone may be newer, or older."""
    for match in matches_in(seen, region, Leniency.POSSIBLE):
        is_short = is_local(match.number)
        digits = len(national_significant_number(match.number)) + is_short
        if (is_alone or is_short) and digits > FEWEST_DIGITS and _call(text, match.start) == "phone":
            yield match


def _call(text: str, start: int) -> str | None:
    label = label_before(text[max(0, start - _NEAR) : start])
    return label if label in _CALLED else None


def _call_of_row(text: str, start: int) -> str | None:
    """The same, other numbers between or not: "tel. 022 …, 0501 …"."""
    label = label_before(_DIGIT.sub(" ", text[max(0, start - 2 * _NEAR) : start]))
    return label if label in _CALLED else None


def _is_convincing(match: PhoneNumberMatch, text: str, *, is_labelled: bool) -> bool:
    if is_made_up(match.number) or looks_like_something_else(match, text, is_labelled=is_labelled):
        return False
    raw, line = match.raw_string, text.strip()
    is_own_line = line == raw or _NOTHING_BUT_NUMBERS.fullmatch(line) is not None
    # An account and its bank look like a number and an extension.
    if not (is_labelled or is_own_line) and goes_on(match.number, raw, text[match.end : match.end + _NEAR]):
        return False
    is_bare = not raw.startswith(("+", "0", "(")) and not _SEPARATOR.search(raw)
    # Digits in one piece may be anything; it takes a label, or a line of their own, to make them a telephone.
    return not is_bare or is_labelled or is_own_line
