"""What is not worth reading, by the rules of page_exclusions.toml and the shape of a URL."""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from itertools import pairwise, takewhile
from typing import NamedTuple

_MOST_SEGMENTS = 8
_MOST_PARAMETERS = 5
_MOST_REPETITIONS = 2
_CALENDAR = re.compile(r"calend|kalend|event|termin|agenda", re.IGNORECASE)
_MONTH = re.compile(r"\d{4}(?:-\d{1,2}){0,2}")
_PAGES = {"page", "seite", "pagina"}
_DATE_ARCHIVE = re.compile(r"(?:19|20)\d\d(?:/\d{1,2}){0,2}")
_FACET = re.compile(r"(?:filter|pa|attribute|facet)[_\[]", re.IGNORECASE)


class Exclusion(NamedTuple):
    name: str
    page_type: str = "unknown"


class _Rules(NamedTuple):
    extensions: dict[str, Exclusion]
    segments: dict[str, Exclusion]
    last: dict[str, Exclusion]
    parameters: dict[str, Exclusion]


def exclusion(segments: Sequence[str], parameters: Sequence[str]) -> Exclusion | None:
    """The rule by which a page is not read, or None. Segments are decoded, parameters are the names of the query."""
    return _by_list(segments, parameters) or _by_shape(segments, parameters)


def _by_list(segments: Sequence[str], parameters: Sequence[str]) -> Exclusion | None:
    names = [segment.lower() for segment in segments]
    last = names[-1] if names else ""
    stem, dot, extension = last.rpartition(".")
    if dot and stem and extension in _RULES.extensions:
        return _RULES.extensions[extension]
    found = (
        *(_RULES.segments.get(name) for name in names),
        _RULES.last.get(last),
        *(_RULES.parameters.get(parameter.lower()) for parameter in parameters),
    )
    return next(filter(None, found), None)


def _by_shape(segments: Sequence[str], parameters: Sequence[str]) -> Exclusion | None:
    shapes = (
        ("too deep", len(segments) > _MOST_SEGMENTS),
        ("repeated segments", _is_repetitive(segments)),
        ("too many parameters", len(parameters) > _MOST_PARAMETERS),
        ("facet", any(_FACET.match(parameter) for parameter in parameters)),
        ("pagination", any(above.lower() in _PAGES and last.isdigit() for above, last in pairwise(segments[-2:]))),
        ("archive", _is_date_archive(segments)),
        ("calendar", any(_CALENDAR.match(above) and _MONTH.fullmatch(below) for above, below in pairwise(segments))),
    )
    return next((Exclusion(name) for name, holds in shapes if holds), None)


def _is_repetitive(segments: Sequence[str]) -> bool:
    return len(segments) > _MOST_REPETITIONS and max(Counter(segments).values()) > _MOST_REPETITIONS


def _is_date_archive(segments: Sequence[str]) -> bool:
    """Whether the path ends in a year, or in a year and what is below it: /blog/2024/05/."""
    numbers = list(takewhile(str.isdigit, reversed(segments)))
    return bool(numbers) and _DATE_ARCHIVE.fullmatch("/".join(reversed(numbers))) is not None


def _load() -> _Rules:
    data = tomllib.loads((files("actors.parse") / "page_exclusions.toml").read_text(encoding="utf-8"))
    rules = _Rules({}, {}, {}, {})
    for entry in data["skip"]:
        rule = Exclusion(entry["name"], entry.get("page_type", "unknown"))
        for kind, names in rules._asdict().items():
            names.update(dict.fromkeys(entry.get(kind, "").split(), rule))
    return rules


_RULES = _load()
