"""The fields of the Places API (New): masks and requests are checked against them, answers are cut to the mask."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

Message = dict[str, str | None]
"""Field -> the message that it holds, None for a plain value."""

Mask = dict[str, "Mask"]
"""Field -> the mask of what it holds, empty for all of it."""


class NoSuchField(Exception):
    """The message is the path, as Google quotes it."""


class Schema:
    def __init__(self, part: str) -> None:
        data = tomllib.loads((files("app.demo") / "places_schema.toml").read_text(encoding="utf-8"))
        self.messages = {name: _message(text) for name, text in data[part].items()}

    def mask(self, root: str, text: str) -> Mask:
        """The tree of a field mask such as `places.id,places.displayName.text`; `*` is everything."""
        mask: Mask = {}
        for path in text.split(","):
            if path == "*":
                return {}
            self._check(root, path)
            _add(mask, path.split("."))
        return mask

    def unknown_fields(self, root: str, value: Any, at: str = "") -> Iterator[tuple[str, str]]:
        """Each field of a request that the message does not have, with the path of the message it stands in."""
        message = self.messages[root]
        for name, item in value.items() if isinstance(value, dict) else ():
            if name not in message:
                yield name, at
            elif kind := message[name]:
                yield from self.unknown_fields(kind, item, f"{at}.{name}" if at else name)

    def _check(self, root: str, path: str) -> None:
        kind: str | None = root
        for name in path.split("."):
            if kind is None or name not in self.messages[kind]:
                raise NoSuchField(path)
            kind = self.messages[kind][name]


def masked(value: Any, mask: Mask) -> Any:
    """What the mask leaves of an answer; a list is cut item by item."""
    if not mask:
        return value
    if isinstance(value, list):
        return [masked(item, mask) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: masked(value[name], inner) for name, inner in mask.items() if name in value}


def _message(text: str) -> Message:
    fields = (word.partition(":") for word in text.split())
    return {name: kind or None for name, _, kind in fields}


def _add(mask: Mask, path: list[str]) -> None:
    """A field that is asked for as a whole stays whole, whatever else is asked for inside it."""
    name, rest = path[0], path[1:]
    known = mask.get(name)
    if not rest or known == {}:
        mask[name] = {}
        return
    _add(mask.setdefault(name, {}), rest)
