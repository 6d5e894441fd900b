"""What a site is made with: the rules of technologies.toml, held against the signs of a page."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import NamedTuple, TypeVar

from actors.parse.html import Document
from actors.parse.signs import Signs, signs_of

_AFTER_GENERATOR = re.compile(r"[\s!v.-]{0,4}([0-9]{1,4}(?:\.[0-9]{1,6}){0,3})")
_THEME = re.compile(r"/wp-content/themes/([\w.-]{1,80})/", re.IGNORECASE)
_CMS_CATEGORIES = ("cms", "builder", "shop")
_NO_HEADER: tuple[str, ...] = ()


_Sign = TypeVar("_Sign", str, tuple[str, str])


class Technology(NamedTuple):
    name: str
    category: str
    version: str | None


class Stack(NamedTuple):
    technologies: tuple[Technology, ...]
    wordpress_theme: str | None

    @property
    def cms(self) -> Technology | None:
        """What the pages are written in: a content management system before a builder before a shop."""
        for category in _CMS_CATEGORIES:
            for technology in self.technologies:
                if technology.category == category:
                    return technology
        return None

    def version(self, name: str) -> str | None:
        return next((technology.version for technology in self.technologies if technology.name == name), None)

    def __contains__(self, name: object) -> bool:
        return any(technology.name == name for technology in self.technologies)


class _Rule(NamedTuple):
    category: str
    generator: tuple[str, ...]
    header: tuple[tuple[str, str], ...]
    cookie: tuple[str, ...]
    source: tuple[str, ...]
    classes: tuple[str, ...]
    ids: tuple[str, ...]
    selector: tuple[str, ...]
    script: tuple[str, ...]
    comment: tuple[str, ...]
    version: re.Pattern[str] | None
    implies: tuple[str, ...]


def find_technologies(document: Document, *, url: str, headers: Mapping[str, str]) -> Stack:
    """Everything that the rules recognise, in their order."""
    signs = signs_of(document, url=url, headers=headers)
    found = {name: _version(_RULES[name], signs) for name in _names(signs, document)}
    for name in list(found):
        for implied in _RULES[name].implies:
            found.setdefault(implied, _version(_RULES[implied], signs))
    technologies = (Technology(name, _RULES[name].category, found[name]) for name in _RULES if name in found)
    return Stack(tuple(technologies), _wordpress_theme(signs))


def _names(signs: Signs, document: Document) -> set[str]:
    texts = (signs.cookies, signs.sources, signs.classes, signs.ids, signs.scripts, signs.comments)
    found = {name for text, parts in zip(texts, _PARTS, strict=True) if text for part, name in parts if part in text}
    found |= {name for (header, part), name in _HEADERS if part in signs.headers.get(header, _NO_HEADER)}
    for generator in signs.generators:
        found |= {name for beginning, name in _GENERATORS if generator.startswith(beginning)}
    # The dearest come last, and only for what nothing else has shown.
    return found | {name for css, name in _SELECTORS if name not in found and document.select(css)}


def _version(rule: _Rule, signs: Signs) -> str | None:
    for generator in signs.generators:
        for beginning in rule.generator:
            if generator.startswith(beginning) and (number := _AFTER_GENERATOR.match(generator, len(beginning))):
                return number.group(1)
    number = rule.version.search(signs.sources) if rule.version else None
    return number.group(1).rstrip(".") if number else None


def _wordpress_theme(signs: Signs) -> str | None:
    """The theme that most files come from; a child theme before its parent, whose files it borrows."""
    themes = Counter(_THEME.findall(signs.sources_as_written))
    children = [theme for theme in themes if theme.lower().endswith(("-child", "_child"))]
    return next(iter(children or [theme for theme, _ in themes.most_common(1)]), None)


def _load() -> dict[str, _Rule]:
    data = tomllib.loads((files("actors.parse") / "technologies.toml").read_text(encoding="utf-8"))
    return {name: _rule(entry) for name, entry in data.items()}


def _rule(entry: dict[str, list[str]]) -> _Rule:
    return _Rule(
        category=str(entry["category"]),
        generator=tuple(entry.get("generator", ())),
        header=tuple(_header(sign) for sign in entry.get("header", ())),
        cookie=tuple(f" {name}" for name in entry.get("cookie", ())),
        source=tuple(entry.get("source", ())),
        classes=_words(entry.get("class", ())),
        ids=_words(entry.get("id", ())),
        selector=tuple(entry.get("selector", ())),
        script=tuple(entry.get("script", ())),
        comment=tuple(entry.get("comment", ())),
        version=re.compile(str(entry["version"])) if "version" in entry else None,
        implies=tuple(entry.get("implies", ())),
    )


def _header(sign: str) -> tuple[str, str]:
    name, _, part = sign.partition(": ")
    return name, part


def _words(patterns: Iterable[str]) -> tuple[str, ...]:
    return tuple(f" {pattern[:-1]}" if pattern.endswith("*") else f" {pattern} " for pattern in patterns)


def _signs(kind: Callable[[_Rule], tuple[_Sign, ...]]) -> tuple[tuple[_Sign, str], ...]:
    """All signs of one kind, each with the name of its technology."""
    return tuple((sign, name) for name, rule in _RULES.items() for sign in kind(rule))


_RULES = _load()
_PARTS = (
    _signs(lambda rule: rule.cookie),
    _signs(lambda rule: rule.source),
    _signs(lambda rule: rule.classes),
    _signs(lambda rule: rule.ids),
    _signs(lambda rule: rule.script),
    _signs(lambda rule: rule.comment),
)
_HEADERS = _signs(lambda rule: rule.header)
_GENERATORS = _signs(lambda rule: rule.generator)
_SELECTORS = _signs(lambda rule: rule.selector)
