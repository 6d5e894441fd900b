"""Numbers that are valid and still nobody's: made up for a template, or a date, a price, a position."""

import re
from typing import Final

from phonenumbers import (
    NumberParseException,
    PhoneNumber,
    PhoneNumberFormat,
    PhoneNumberMatch,
    format_number,
    is_valid_number,
    length_of_geographical_area_code,
    parse,
)

from actors.parse.words import data, folded

_JUNK: Final = data("contact_junk")["phone"]
_FICTIONAL = re.compile("|".join(f"(?:{pattern})" for pattern in _JUNK["fictional"]))
_RUNS: Final = tuple(_JUNK["placeholder_runs"])
_ENDINGS: Final = tuple(_JUNK["placeholder_endings"])
_FREE_OF_CHARGE: Final = "800"
_MONEY: Final = frozenset(data("contact_words")["money"]["signs"].split())
_SAME_DIGITS = re.compile(r"(\d)\1{6,}")
# 12 12 12 12, 111 222 3333
_PATTERN = re.compile(r"(\d\d)\1{3,}|(\d)\2\2(\d)\3\3(\d)\4{2,3}")
_SOMETHING_ELSE = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d"
    r"|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}"
    r"|(?:19|20)\d\d ?[-/\u2013] ?(?:19|20)\d\d"
    r"|\d{1,2}[.:]\d\d ?[-\u2013] ?\d{1,2}[.:]\d\d"
    r"|(?:0\d|1\d|2[0-4])[0-5]0 ?[-\u2013] ?(?:0\d|1\d|2[0-4])[0-5]0"
    r"|-?\d{1,3}\.\d{4,}"
    r"|\d{1,3}(?:\.\d{3}){2,}"
    r"|\d{1,3}(?:,\d{3})+"
)
# A date, or a month, and whatever stands after it: 24.12.2024 18:00, 04/1998 07/2003.
_DATE_FIRST = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)"
    r"|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}(?!\d)"
    r"|\d{1,2}/(?:19|20)\d\d(?!\d)"
)
_SHORTEST_OF_TWO: Final = 7
# After a comma a postcode may follow; it is shorter.
_ANOTHER = re.compile(
    r" ?(?:/|&|und|oder|u\.|and|or|ou|o|y|e) ?(\d(?: ?\d){3,9}|\d{4,5}-\d{4})(?![\d/.,:-]?\d)"
    r"|, ?(\d(?: ?\d){6,9})(?![\d/.,:-]?\d)",
    re.IGNORECASE,
)


def another(number: PhoneNumber, after: str) -> PhoneNumber | None:
    """The second number of "0871 34021 oder 36318", which leaves out the area code that it has in common."""
    match = _ANOTHER.match(after)
    if match is None:
        return None
    written, national = match[1] or match[2], str(number.national_number)
    digits = written.replace(" ", "").replace("-", "")
    area = length_of_geographical_area_code(number)
    # In Brazil a mobile number is one digit longer than a landline: (11) 3748-2561 / 99748-2561.
    longer = len(digits) - (len(national) - area)
    if not area or digits.startswith("0") or longer not in ({0, 1} if "-" in written else {0}):
        return None
    second = PhoneNumber(country_code=number.country_code, national_number=int(national[:area] + digits))
    return second if is_valid_number(second) else None


def first_of_two(match: PhoneNumberMatch, region: str | None) -> PhoneNumberMatch:
    """The first number of "0871 34021 / 36318", where the library takes both for one long number."""
    head, slash, tail = match.raw_string.rpartition("/")
    if not slash:
        return match
    try:
        number = parse(head, region)
    except NumberParseException:
        return match
    is_whole = is_valid_number(number) and len(str(number.national_number)) >= _SHORTEST_OF_TWO
    return PhoneNumberMatch(match.start, head.rstrip(), number) if is_whole and another(number, f"/{tail}") else match


def is_made_up(number: PhoneNumber) -> bool:
    """Whether the digits are a placeholder: 555-0100, 01 23 45 67 89, 000 0000, 123-4567."""
    national = str(number.national_number)
    return (
        _FICTIONAL.fullmatch(format_number(number, PhoneNumberFormat.E164)) is not None
        or any(run in national for run in _RUNS)
        or _SAME_DIGITS.search(national) is not None
        or _PATTERN.fullmatch(national) is not None
        or (national.endswith(_ENDINGS) and not national.startswith(_FREE_OF_CHARGE))
    )


def looks_like_something_else(raw: str, text: str, start: int, end: int) -> bool:
    """Whether a valid number is written as a date, a span of hours or years, a position or a price."""
    if _SOMETHING_ELSE.fullmatch(raw.strip()) or _DATE_FIRST.match(raw.strip()):
        return True
    before, after = folded(text[max(0, start - 5) : start]).split(), folded(text[end : end + 6]).split()
    signs = (before[-1:] if before else []) + after[:1]
    if any(sign.strip(".,:;-)(") in _MONEY for sign in signs):
        return True
    # A longer thing goes on: a link, an account, a decimal.
    return text[end : end + 1] in {"/", "_", "=", "@"} and text[end + 1 : end + 2].isalnum() and "/" not in raw
