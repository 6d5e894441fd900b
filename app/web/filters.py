"""What a person may filter a grid by: fields of a form, and the values that they stand for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple
from uuid import UUID

from app.commands.addresses import domain_name

LONGEST: Final = 200
BEST: Final = 5
NEVER: Final = "never"
LARGEST_NUMBER: Final = 2**63 - 1


class FilterError(ValueError):
    """Names the field, the rule and what was given."""


class Field(NamedTuple):
    name: str
    label: str
    read: Callable[[str], Any]
    choices: tuple[tuple[str, str], ...] = ()
    hint: str = ""


def read_filters(fields: Iterable[Field], given: Mapping[str, str]) -> dict[str, Any]:
    """The filters that are filled in. Raises FilterError at the first that says nothing sensible."""
    filters = {}
    for field in fields:
        text = " ".join(given.get(field.name, "").replace("\0", "").split())
        if not text:
            continue
        try:
            filters[field.name] = field.read(text)
        except ValueError as error:
            raise FilterError(f"{field.label}: {error}, got '{text[:60]}'") from None
    return filters


def text(name: str, label: str, hint: str = "") -> Field:
    return Field(name, label, _text, hint=hint)


def choice(name: str, label: str, words: Sequence[str]) -> Field:
    return Field(name, label, _one_of(words), tuple((word, word) for word in words))


def processing(words: Sequence[str]) -> Field:
    """One of the words, or never asked for."""
    read, choices = _one_of([*words, NEVER]), [*((word, word) for word in words), (NEVER, "never queued")]
    return Field("processing", "Processing", lambda text: None if read(text) == NEVER else text, tuple(choices))


def yes_or_no(name: str, label: str) -> Field:
    read = _one_of(["yes", "no"])
    return Field(name, label, lambda text: read(text) == "yes", (("yes", "yes"), ("no", "no")))


def rating(name: str, label: str) -> Field:
    return Field(name, label, _rating, hint="0 to 5")


def identifier(name: str, label: str) -> Field:
    return Field(name, label, _identifier)


def number(name: str, label: str) -> Field:
    return Field(name, label, _number)


def domain(name: str, label: str) -> Field:
    return Field(name, label, lambda text: domain_name(_text(text)), hint="smile.com")


def _text(given: str) -> str:
    if len(given) > LONGEST:
        raise ValueError(f"expected at most {LONGEST} characters")
    return given


def _one_of(words: Sequence[str]) -> Callable[[str], str]:
    def read(given: str) -> str:
        if given not in words:
            raise ValueError(f"expected one of {', '.join(words)}")
        return given

    return read


def _rating(given: str) -> Decimal:
    rule = f"expected a number from 0 to {BEST}"
    try:
        value = Decimal(given)
    except InvalidOperation:
        raise ValueError(rule) from None
    if not value.is_finite() or not 0 <= value <= BEST:
        raise ValueError(rule)
    return value.quantize(Decimal("0.01"))


def _identifier(given: str) -> UUID:
    try:
        return UUID(given)
    except ValueError:
        raise ValueError("expected an id such as 5f0c21d7-0000-4000-8000-000000000000") from None


def _number(given: str) -> int:
    if not given.isascii() or not given.isdigit() or int(given[:20]) > LARGEST_NUMBER:
        raise ValueError("expected a whole number")
    return int(given[:20])
