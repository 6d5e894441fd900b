"""Where a number begins and ends among the digits around it, marked so that the library sees it alone."""

import re
from typing import Final, NamedTuple

from phonenumbers import Leniency, PhoneMetadata, national_significant_number

from actors.parse.dialling import is_valid, meant, parsed
from actors.parse.number_matcher import matches_in
from actors.parse.series import has_next, shares_area_code

# Nothing that a number is written with.
_BAR: Final = "|"
FEWEST_DIGITS: Final = 7
_FEWEST_BEFORE_LAST_DIGITS: Final = 8
_LONGEST: Final = 80
# Two capitals and digits after them begin an account.
_RUN = re.compile(r"(?<![A-Z]{2})(?<!\d)[+(]{0,2}\d[\d\s()./~\u2010-\u2015-]*")
# D2 0172…, Hauptstr. 12 0441…, 8-17 0441…, 24/7 01823…
_BEFORE = re.compile(
    r"(?:[1-9]\d{0,4}|\d{1,2}(?:[.:]\d\d)?[/\u2010-\u2015-]\d{1,2}(?:[.:]\d\d)?)\s{1,3}"
    # A month and its year, or a country's code, begin otherwise.
    r"(?=\(|0[1-9])(?!\d\d[\s./-](?:19|20)\d\d(?!\d))"
)
_STROKE = re.compile(r"\s?(?P<stroke>[/~\u2010-\u2015-])\s?(?=\d)")
_SHORT_TAILS = re.compile(r"(?:\s?[/~\u2010-\u2015-]\s?\d{1,4}){1,6}")
# +49/30/… and 04/72/38/94/51 are common ways to write what the library knows with other signs.
_COUNTRY_AND_SLASH = re.compile(r"(?<=\+\d)/|(?<=\+\d\d)/|(?<=\+\d{3})/")
_MIDDLE_DOT = re.compile(r"(?<=\d)[\u00b7\u2022\u2027\u2219\u22c5](?=\d)")
_PAIRS = re.compile(r"(?<![\d/.-])0\d(?:/\d\d){4}(?![\d/])")


class Run(NamedTuple):
    """The part of a text that may be one number."""

    start: int
    written: str


def marked(text: str, region: str | None) -> tuple[str, list[Run]]:
    """The text, as long as before, with a bar where a number begins or ends; and the runs of digits in it."""
    if not text.isascii():
        text = _MIDDLE_DOT.sub(".", text)
    if "/" in text:
        text = _PAIRS.sub(lambda pairs: pairs[0].replace("/", " "), _COUNTRY_AND_SLASH.sub("-", text))
    characters, runs = list(text), []
    for match in _RUN.finditer(text):
        run = Run(match.start(), match[0].rstrip())
        # Longer ones are tables.
        if len(run.written) <= _LONGEST:
            first, last = _begin(run.written, region), len(run.written)
            if first:
                characters[run.start + first - 1] = _BAR
            stroke = _end(run.written[first:], region)
            if stroke is not None:
                last = first + stroke.start()
                characters[run.start + first + stroke.start("stroke")] = _BAR
            runs.append(Run(run.start + first, run.written[first:last]))
    return "".join(characters), runs


def _begin(written: str, region: str | None) -> int:
    """Behind a house number, hours or a name with a digit, where what follows is a number by itself."""
    before = _BEFORE.match(written)
    plan = PhoneMetadata.metadata_for_region(region or "")
    if before is None or plan is None:
        return 0
    begins_with_zero = (plan.national_prefix or "").startswith("0") and written[0] != "0"
    whole = parsed(written, region)
    # Where numbers begin with no zero of their own, one may stand in the middle: 51 02 30 44.
    if not begins_with_zero and whole is not None and is_valid(whole):
        return 0
    rest = written[before.end() :]
    alone = next(matches_in(rest, region, Leniency.VALID), None)
    if alone is None or alone.start != 0 or len(national_significant_number(alone.number)) < FEWEST_DIGITS:
        return 0
    return before.end()


def _end(written: str, region: str | None) -> re.Match[str] | None:
    """The stroke behind which a second number begins, if there is one, or an extension."""
    for stroke in _STROKE.finditer(written):
        head, tail = written[: stroke.start()], written[stroke.start() :]
        if len(head) >= FEWEST_DIGITS and _is_end(head, tail, written, region):
            return stroke
    return None


def _is_end(head: str, tail: str, written: str, region: str | None) -> bool:
    number = meant(head, region)
    length = len(national_significant_number(number)) if number is not None else 0
    if number is None or length < FEWEST_DIGITS:
        return False
    if _SHORT_TAILS.fullmatch(tail) and meant(written, region) is None:
        return True
    # The whole is a number as well: 030 / 1839 / 5617 is one, 0871 23041 / 25317 is two.
    if "/" not in tail[:2]:
        return False
    return shares_area_code(number, head, tail) or (length >= _FEWEST_BEFORE_LAST_DIGITS and has_next(number, tail))
