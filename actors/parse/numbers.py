"""Numbers that are valid and still nobody's: made up for a template, or a date, a price, a position."""

import re
from typing import Final

from phonenumbers import PhoneNumber, PhoneNumberFormat, PhoneNumberMatch, format_number

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
_DATE_OR_HOURS = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d"
    r"|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}"
    r"|(?:19|20)\d\d ?[-/\u2013] ?(?:19|20)\d\d"
    r"|\d{1,2}[.:]\d\d ?[-\u2013] ?\d{1,2}[.:]\d\d"
    r"|(?:0\d|1\d|2[0-4])[0-5]0 ?[-\u2013] ?(?:0\d|1\d|2[0-4])[0-5]0"
)
# A position or a price: no decimal begins with 0 and a digit.
_DECIMAL = re.compile(r"-?(?!0\d)\d{1,3}\.\d{4,}|(?!0\d)\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:,\d{3})+")
# A date, or a month, and whatever stands after it: 24.12.2024 18:00, 04/1998 07/2003.
_DATE_FIRST = re.compile(
    r"\d{1,2}[./-]\d{1,2}[./-](?:19|20)\d\d(?!\d)"
    r"|(?:19|20)\d\d[./-]\d{1,2}[./-]\d{1,2}(?!\d)"
    r"|\d{1,2}/(?:19|20)\d\d(?!\d)"
)


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


def is_date(written: str) -> bool:
    return _DATE_OR_HOURS.fullmatch(written) is not None or _DATE_FIRST.match(written) is not None


def looks_like_something_else(match: PhoneNumberMatch, text: str, *, is_labelled: bool) -> bool:
    """Whether a valid number is written as a date, a span of hours or years, a position or a price."""
    raw = match.raw_string.strip()
    if is_date(raw) or (_DECIMAL.fullmatch(raw) and not is_labelled):
        return True
    before, after = folded(text[max(0, match.start - 5) : match.start]), folded(text[match.end : match.end + 6])
    signs = before.split()[-1:] + after.split()[:1]
    if any(sign.strip(".,:;-)(") in _MONEY for sign in signs):
        return True
    # A longer thing goes on: a link, an account.
    next_sign, then = text[match.end : match.end + 1], text[match.end + 1 : match.end + 2]
    return (next_sign in {"_", "=", "@"} and then.isalnum()) or (next_sign == "/" and then.isalpha() and "/" not in raw)
