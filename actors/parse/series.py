"""Numbers in a row, of which the later ones leave out what they share with the first."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from phonenumbers import PhoneNumber, length_of_geographical_area_code, national_significant_number

from actors.parse.dialling import is_valid, parsed
from actors.parse.numbers import is_date
from actors.parse.words import data

_MOST: Final = 6
_DIGIT = re.compile(r"\d")
_NOT_A_DIGIT = re.compile(r"\D")
JOINS: Final = "|".join(data("contact_words")["labels"]["joins"].split())
_DASHES: Final = r"\u2010-\u2015-"
# 01823 339214/5, 022-28774410/11/12, 210 2389456-7; what follows must be neither a decimal nor an hour.
_SHORT = re.compile(
    rf"(?P<sign> ?[/~{_DASHES}] ?)(?P<digits>\d{{1,4}})"
    rf"(?! ?[.,:{_DASHES}]?\d)(?! ?(?:h|hrs?|hours?|std|stunden|uhr|am|pm|days?|tage?|jahre?)\b)",
    re.IGNORECASE,
)
_A_WORD = re.compile(r" ?[^\W\d_]")
_MORE = re.compile(r"/[1-9]")
# 0871 34021 oder 36318; 051 - 293.191 / 245.029; 8(4852) 23-89-45, 23-89-46; 07231 154873, Fax 154874
_LONG = re.compile(
    rf"(?P<sign> ?(?:[/&+]|(?:{JOINS})\b\.?) ?| ?(?P<loose>[,;|]|(?<= )[{_DASHES}](?= )) ?"
    r"|[ ,;/|(-]{1,4}(?:tele)?fax[.:]{0,2} ?)"
    r"(?P<written>\d{2,5}(?:-\d{2,4}){1,3}|\d(?:[ .]?\d){3,9})(?![.:-]?\d)(?!,\d{1,3}(?!\d))",
    re.IGNORECASE,
)
# 0441 77283-0, Fax -29
_EXTENSION = re.compile(rf"[{_DASHES}]\d{{1,4}}$")
_OTHER_EXTENSION = re.compile(
    rf"(?P<sign>[ ,;/|(]{{1,4}}(?:(?:tele)?fax|{JOINS})[.:]{{0,2}} ?[{_DASHES}])"
    r"(?P<digits>\d{1,4})(?![\d-])",
    re.IGNORECASE,
)
_PATTERNS: Final = (_SHORT, _LONG, _OTHER_EXTENSION)
# A postcode may follow; it is shorter, and begins otherwise.
_LONGER_THAN_POSTCODES: Final = 7
_LONGER_IF_HYPHENATED: Final = 6
_SAME_BEGINNING: Final = 3
_LONGEST_SHORT: Final = 2


class Further(NamedTuple):
    """A number, and where it stands: counted from the end of the first."""

    number: PhoneNumber
    start: int
    end: int


def further(number: PhoneNumber, raw: str, after: str, *, is_labelled: bool) -> Iterator[Further]:
    """All that follow in a row; what nobody calls a telephone must be written so that there is no doubt."""
    place = 0
    for _ in range(_MOST):
        matches = [match for pattern in _PATTERNS if (match := pattern.match(after, place))]
        found = next(filter(None, (_number(number, raw, match, is_labelled=is_labelled) for match in matches)), None)
        if found is not None:
            yield found
            number, place = found.number, found.end
        elif matches and matches[0].re is _SHORT:
            # An extension: the row may go on behind it.
            place = matches[0].end()
        else:
            return


def shares_area_code(number: PhoneNumber, raw: str, after: str) -> bool:
    """Whether a whole second number follows, without its area code."""
    match = _LONG.match(after)
    return match is not None and _another(number, raw, match, is_labelled=True) is not None


def has_next(number: PhoneNumber, after: str) -> bool:
    """Whether the last digit or two of a second number follow."""
    match = _SHORT.match(after)
    if match is None or len(match["digits"]) > _LONGEST_SHORT:
        return False
    return _next(number, match) is not None


def goes_on(number: PhoneNumber, raw: str, after: str) -> bool:
    """Whether digits stand right after a number, with nothing but a stroke between, that are no second number."""
    match = _SHORT.match(after)
    if match is not None:
        is_long = len(match["digits"]) > _LONGEST_SHORT
        return " " not in match["sign"] and (is_long or _next(number, match) is None)
    return _MORE.match(after) is not None and not shares_area_code(number, raw, after)


def _number(number: PhoneNumber, raw: str, match: re.Match[str], *, is_labelled: bool) -> Further | None:
    if match.re is _SHORT:
        is_clear = is_labelled or len(match["digits"]) <= _LONGEST_SHORT
        found = _next(number, match) if is_clear else None
    elif match.re is _LONG:
        found = _another(number, raw, match, is_labelled=is_labelled)
    else:
        found = _with_extension(number, raw, match["digits"]) if is_labelled else None
    return Further(found, match.end("sign"), match.end()) if found is not None else None


def _next(number: PhoneNumber, match: re.Match[str]) -> PhoneNumber | None:
    """The number whose last digits are these; smaller ones are an extension, and so are many after a hyphen."""
    sign, digits = match["sign"], match["digits"]
    if (len(digits) > _LONGEST_SHORT or " " in sign) and "/" not in sign:
        return None
    # 01823 339214 / 24 High Street
    if " " in sign and _A_WORD.match(match.string, match.end()):
        return None
    national = national_significant_number(number)
    is_next = len(digits) < len(national) and digits > national[-len(digits) :]
    return _valid(number, national[: -len(digits)] + digits) if is_next else None


def _another(number: PhoneNumber, raw: str, match: re.Match[str], *, is_labelled: bool) -> PhoneNumber | None:
    """The second number of "0871 34021 oder 36318", which leaves out the area code that it has in common."""
    written, national = match["written"], national_significant_number(number)
    digits, area = _NOT_A_DIGIT.sub("", written), _area_length(number, raw, written)
    is_plain = digits == written.replace(" ", "")
    # In Brazil a mobile number is one digit longer than a landline: (11) 3748-2561 / 99748-2561.
    longer = len(digits) - (len(national) - area)
    if not area or digits.startswith("0") or is_date(written) or longer not in ({0} if is_plain else {0, 1}):
        return None
    if match["loose"] and not _is_no_postcode(digits, national[area:], is_hyphenated="-" in written):
        return None
    if not is_labelled and (is_plain or ")" not in raw):
        return None
    return _valid(number, national[:area] + digits)


def _area_length(number: PhoneNumber, raw: str, written: str) -> int:
    """As the page divides them, where both end alike: 8(4852) 23-89-45, 23-89-46; else as the country does."""
    ending, shape = _DIGIT.sub("0", raw), _DIGIT.sub("0", written)
    if ending.endswith(shape) and not written.isdigit() and not ending[: -len(shape)].endswith("0"):
        return len(national_significant_number(number)) - shape.count("0")
    return length_of_geographical_area_code(number)


def _is_no_postcode(digits: str, local: str, *, is_hyphenated: bool) -> bool:
    shortest = _LONGER_IF_HYPHENATED if is_hyphenated else _LONGER_THAN_POSTCODES
    return len(digits) >= shortest or digits[:_SAME_BEGINNING] == local[:_SAME_BEGINNING]


def _with_extension(number: PhoneNumber, raw: str, digits: str) -> PhoneNumber | None:
    own = _EXTENSION.search(raw)
    return _valid(number, national_significant_number(number)[: 1 - len(own[0])] + digits) if own else None


def _valid(number: PhoneNumber, national: str) -> PhoneNumber | None:
    found = parsed(f"+{number.country_code}{national}", None)
    return found if found is not None and is_valid(found) else None
