"""Which program made a sitemap, by the signs in sitemap_generators.toml."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

_SIGNS_STAND_WITHIN = 8192


class _Generator(NamedTuple):
    name: str
    prolog: tuple[str, ...]
    text: tuple[str, ...]
    headers: Mapping[str, str]


def generator_of(head: str, headers: Mapping[str, str]) -> str | None:
    """The program's name, or None; `head` is how the file begins."""
    text = head[:_SIGNS_STAND_WITHIN].lower()
    prolog = text.partition("<loc")[0]
    said = {name.lower(): value.lower() for name, value in headers.items()}
    for generator in _GENERATORS:
        in_headers = any(sign in said[name] for name, sign in generator.headers.items() if name in said)
        in_file = any(sign in prolog for sign in generator.prolog) or any(sign in text for sign in generator.text)
        if in_headers or in_file:
            return generator.name
    return None


def _load() -> tuple[_Generator, ...]:
    data = tomllib.loads((files("actors.parse") / "sitemap_generators.toml").read_text(encoding="utf-8"))
    return tuple(
        _Generator(rule["name"], tuple(rule.get("prolog", ())), tuple(rule.get("text", ())), rule.get("headers", {}))
        for rule in data["generator"]
    )


_GENERATORS = _load()
