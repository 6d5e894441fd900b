"""Values out of somebody else's JSON: of the right type, within what a column holds, or None. Nothing here raises."""

import re
from decimal import Decimal
from typing import Any, Final

LARGEST_INTEGER: Final = 2**31 - 1
_DEEPEST: Final = 50
# PostgreSQL stores neither a null character nor half of a surrogate pair.
_NOT_STORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any, deepest: int = _DEEPEST) -> Any:
    """The same JSON, without the characters that a database refuses and without what is nested beyond all sense."""
    if isinstance(value, str):
        return _NOT_STORABLE.sub("", value)
    if not isinstance(value, dict | list):
        return value
    if deepest == 0:
        return None
    if isinstance(value, list):
        return [storable(item, deepest - 1) for item in value]
    return {_NOT_STORABLE.sub("", key): storable(item, deepest - 1) for key, item in value.items()}


def value_at(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def text_at(value: Any, *path: str) -> str | None:
    """The text, its blanks made plain: Google writes opening hours with narrow and thin ones."""
    found = value_at(value, *path)
    return (" ".join(found.split()) or None) if isinstance(found, str) else None


def texts_at(value: Any, *path: str) -> list[str]:
    return [item for item in list_at(value, *path) if isinstance(item, str)]


def list_at(value: Any, *path: str) -> list[Any]:
    found = value_at(value, *path)
    return found if isinstance(found, list) else []


def count_at(value: Any, *path: str) -> int | None:
    found = value_at(value, *path)
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found <= LARGEST_INTEGER
    return found if is_count else None


def decimal_at(value: Any, *path: str, least: int, most: int, digits: int) -> Decimal | None:
    found = value_at(value, *path)
    if not isinstance(found, int | float) or isinstance(found, bool) or not least <= found <= most:
        return None
    return round(Decimal(str(found)), digits)
