"""The number that is meant by one that cannot be dialled as it is written."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from phonenumbers import (
    FrozenPhoneNumber,
    NumberParseException,
    PhoneMetadata,
    PhoneNumber,
    PhoneNumberFormat,
    PhoneNumberType,
    ValidationResult,
    format_number,
    is_possible_number,
    is_possible_number_for_type_with_reason,
    is_valid_number,
    length_of_geographical_area_code,
    national_significant_number,
    parse,
)

from actors.parse.words import data

_RENUMBERED: Final = tuple((re.compile(each["pattern"]), each["now"]) for each in data("dialling")["renumbered"])
_NOT_A_DIGIT = re.compile(r"\D")
_CODE_APART = re.compile(r"\(?[1-9]\d{0,2}[)\s./-]")


@lru_cache(maxsize=4_096)
def parsed(written: str, region: str | None) -> PhoneNumber | None:
    """The numbers of a page are looked at from many sides, so they are remembered; no caller can change one."""
    try:
        return FrozenPhoneNumber(parse(written, region))
    except NumberParseException:
        return None


@lru_cache(maxsize=4_096)
def is_valid(number: PhoneNumber) -> bool:
    return is_valid_number(number)


def e164(number: PhoneNumber) -> str:
    return format_number(number, PhoneNumberFormat.E164)


def meant(written: str, region: str | None) -> PhoneNumber | None:
    """The valid number that a text means; the country's own code may lack its plus."""
    plan = PhoneMetadata.metadata_for_region(region or "")
    if plan is None or written.startswith("+") or not _digits(written).startswith(str(plan.country_code)):
        return _first_valid([written], region)
    attempts = [written, "+" + written.lstrip("( ")]
    # Where numbers begin with a zero, one that begins with the country's code is not of that country's own writing.
    return _first_valid(attempts[::-1] if plan.national_prefix else attempts, region)


def of_abroad(written: str) -> PhoneNumber | None:
    """A number of another country without its plus, where the country's code stands apart, as in 43-1-4277."""
    number = parsed(f"+{_digits(written)}", None) if _CODE_APART.match(written) else None
    return number if number is not None and is_valid(number) else None


def _digits(written: str) -> str:
    return _NOT_A_DIGIT.sub("", written)


def declared(text: str, region: str | None) -> PhoneNumber | None:
    """A number that somebody declared to be one; its country, where it forgot the plus, is tried as such."""
    written = text.strip()[:60]
    attempts = [written] if written.startswith(("+", "00")) else [written, f"+{written}"]
    found = _first_valid(attempts, region)
    if found is not None:
        return found
    number = parsed(written, region)
    return number if number is not None and is_possible_number(number) else None


def _first_valid(attempts: list[str], region: str | None) -> PhoneNumber | None:
    """Of the numbers as they stand; failing that, as they would be written now."""
    numbers = [number for each in attempts if (number := parsed(each, region)) is not None]
    candidates = [*numbers, *(now for number in numbers for now in _rewritten(number))]
    return next(filter(is_valid, candidates), None)


def _rewritten(number: PhoneNumber) -> Iterator[PhoneNumber]:
    national = national_significant_number(number)
    written = f"+{number.country_code}{national}"
    forms = [pattern.sub(now, written) for pattern, now in _RENUMBERED if pattern.fullmatch(written)]
    if national.startswith("0"):
        # A zero from the days when the country had area codes, or one in brackets where there never was any.
        forms.append(f"+{number.country_code}{national[1:]}")
    yield from (now for form in forms if (now := parsed(form, None)) is not None)


def is_local(number: PhoneNumber) -> bool:
    """Whether an area code is missing, without which nobody outside the town can dial it."""
    if is_valid(number):
        return False
    landline = is_possible_number_for_type_with_reason(number, PhoneNumberType.FIXED_LINE)
    mobile = is_possible_number_for_type_with_reason(number, PhoneNumberType.MOBILE)
    return landline == ValidationResult.IS_POSSIBLE_LOCAL_ONLY and mobile != ValidationResult.IS_POSSIBLE


class AreaCodes:
    """The area codes of a page's numbers, by country and by the length of what follows the code."""

    def __init__(self, numbers: Iterable[str]) -> None:
        self._codes: dict[tuple[int | None, int], set[str]] = {}
        for written in numbers:
            number = parsed(written, None)
            length = length_of_geographical_area_code(number) if number is not None else 0
            if number is not None and length:
                national = national_significant_number(number)
                self._codes.setdefault((number.country_code, len(national) - length), set()).add(national[:length])

    def completed(self, local: str) -> str | None:
        """A number with the area code of the others, where those of its length have one and the same."""
        number = parsed(local, None)
        if number is None:
            return None
        digits = national_significant_number(number)
        codes = list(self._codes.get((number.country_code, len(digits)), ()))
        whole = parsed(f"+{number.country_code}{codes[0]}{digits}", None) if len(codes) == 1 else None
        return e164(whole) if whole is not None and is_valid(whole) else None
