"""Every regular expression of the project: compiled ones in modules, classes and data, literals inside functions."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import actors
import app
import db

_PACKAGES: Final = (actors, app, db)
# These start something when they are imported.
_NOT_IMPORTED: Final = ("__main__", "db.migrations", "app.worker")
_DEEPEST: Final = 6


class Expression(NamedTuple):
    """`methods` are the ways in which the code uses it; all of them where that cannot be seen."""

    where: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


_ALL_METHODS: Final = frozenset(("search", "match", "fullmatch"))
# What goes over the whole text behaves as a search.
_AS: Final = {
    **dict.fromkeys(("search", "sub", "subn", "split", "findall", "finditer"), "search"),
    "match": "match",
    "fullmatch": "fullmatch",
}


def expressions() -> list[Expression]:
    """Each once, with the place where it was found first."""
    uses = _uses()
    found: dict[tuple[Any, int], Expression] = {}
    for module in _modules():
        for name, pattern in _compiled(module):
            variable = name.partition(".")[0].partition("[")[0]
            methods = frozenset(uses.get((str(module.__file__), variable), ())) or _ALL_METHODS
            place = Expression(f"{module.__name__}.{name}", pattern, methods)
            known = found.setdefault((pattern.pattern, pattern.flags), place)
            found[pattern.pattern, pattern.flags] = known._replace(methods=known.methods | methods)
    for place in _inside_functions():
        found.setdefault((place.pattern.pattern, place.pattern.flags), place)
    return list(found.values())


def _modules() -> Iterator[ModuleType]:
    for package in _PACKAGES:
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not info.name.startswith(_NOT_IMPORTED) and not info.name.endswith("__main__"):
                yield importlib.import_module(info.name)


def _compiled(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for name, value in vars(module).items():
        if getattr(value, "__module__", module.__name__) == module.__name__ or not isinstance(value, type):
            yield from ((f"{name}{path}", each) for path, each in _within(value, module.__name__, _DEEPEST))


def _within(value: Any, module: str, deepest: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield "", value
    elif deepest == 0 or isinstance(value, str | bytes | int | float | ModuleType):
        return
    elif isinstance(value, dict):
        yield from _each(((f"[{key!r}]", item) for key, item in value.items()), module, deepest)
    elif isinstance(value, tuple | list | set | frozenset):
        names = getattr(value, "_fields", None)
        keys = [f".{name}" for name in names] if names else [f"[{place}]" for place in range(len(value))]
        yield from _each(zip(keys, value, strict=True), module, deepest)
    elif isinstance(value, type) and value.__module__ == module:
        yield from _each(((f".{name}", item) for name, item in vars(value).items()), module, deepest)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _each(
            ((f".{item.name}", getattr(value, item.name, None)) for item in fields(value)), module, deepest
        )


def _each(items: Iterable[tuple[str, Any]], module: str, deepest: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for key, item in items:
        yield from ((f"{key}{path}", pattern) for path, pattern in _within(item, module, deepest - 1))


def _sources() -> Iterator[tuple[Path, ast.Module]]:
    for package in _PACKAGES:
        for folder in package.__path__:
            for path in Path(folder).rglob("*.py"):
                yield path, ast.parse(path.read_text(encoding="utf-8"))


def _uses() -> dict[tuple[str, str], set[str]]:
    """NAME.search(…) for each name of a module in capitals; a name that is handed on is used in every way."""
    uses: dict[tuple[str, str], set[str]] = {}
    for path, tree in _sources():
        called = {
            id(node.value): _AS[node.attr]
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and node.attr in _AS
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id.isupper():
                ways = {called[id(node)]} if id(node) in called else _ALL_METHODS
                uses.setdefault((str(path), node.id), set()).update(ways)
    return uses


def _inside_functions() -> Iterator[Expression]:
    for path, tree in _sources():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                yield from (found for node in ast.walk(function) if (found := _literal(path, node)))


def _literal(path: Path, node: ast.AST) -> Expression | None:
    """re.search("…", text) and its like, by the literal in it."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    owner, first = node.func.value, node.args[0]
    if not (isinstance(owner, ast.Name) and owner.id == "re" and isinstance(first, ast.Constant)):
        return None
    methods = frozenset((_AS[node.func.attr],)) if node.func.attr in _AS else _ALL_METHODS
    flags = sum(getattr(re, name.attr) for name in ast.walk(node) if _is_flag(name))
    return Expression(f"{path.name}:{node.lineno}", re.compile(first.value, flags), methods)


def _is_flag(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(getattr(re, node.attr, None), re.RegexFlag)
