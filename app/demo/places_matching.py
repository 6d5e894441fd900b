"""Which places a text search finds: those of that kind in that location, as far as plain words tell."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

Place = dict[str, Any]

_WORD: Final = re.compile(r"[^\W_]+")
_IN: Final = re.compile(r"\s{1,20}in\s{1,20}", re.IGNORECASE)
_PLURAL: Final = 4


def matching(places: Sequence[Place], query: str) -> list[Place]:
    """`dentists in Austin, TX`: each word of the kind and each of the location must be said about the place."""
    *what, where = _IN.split(query)
    kind = words(*what)
    if what:
        return [place for place in places if kind <= _kind(place) and words(where) <= _location(place)]
    return [place for place in places if words(query) <= _kind(place) | _location(place)]


def nearest_first(places: Iterable[Place], latitude: float, longitude: float) -> list[Place]:
    return sorted(places, key=lambda place: _distance(place, latitude, longitude))


def words(*texts: str) -> set[str]:
    """Lower-case words, plurals as singulars: dentists and dentist are one."""
    return {_singular(word) for text in texts for word in _WORD.findall(text.casefold())}


def _kind(place: Place) -> set[str]:
    names = (place.get(field, {}).get("text", "") for field in ("displayName", "primaryTypeDisplayName"))
    return words(*names, place.get("primaryType", ""), *place.get("types", ()))


def _location(place: Place) -> set[str]:
    components = place.get("addressComponents", ())
    texts = (component.get(form, "") for component in components for form in ("longText", "shortText"))
    return words(place.get("formattedAddress", ""), *texts)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) >= _PLURAL else word


def _distance(place: Place, latitude: float, longitude: float) -> float:
    """In degrees of latitude, which is enough to tell near from far; a place without a location comes last."""
    location = place.get("location")
    if location is None:
        return math.inf
    east = (location["longitude"] - longitude) * math.cos(math.radians(latitude))
    return math.hypot(location["latitude"] - latitude, east)
