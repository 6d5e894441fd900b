"""How much is logged: a level for all, and others for areas: `info,app.listener=debug,dramatiq=error`."""

import difflib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

LEVELS = ("debug", "info", "warning", "error")
AREA = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
RULE = "debug, info, warning or error, and after commas areas of their own, such as info,app.listener=debug"
OURS = ("app", "actors", "db")
SETTING = "SCRAPERSKY_LOG_LEVEL"


class LogLevels(NamedTuple):
    """The names of levels are in small letters; an area is a logger and all below it."""

    general: str = "info"
    areas: tuple[tuple[str, str], ...] = ()


def parse_levels(text: str) -> LogLevels:
    """Raise ValueError with the rule that the text breaks."""
    general: list[str] = []
    areas: dict[str, str] = {}
    for part in text.split(","):
        area, equals, level = (word.strip() for word in part.rpartition("="))
        if level.lower() not in LEVELS or (equals and not AREA.fullmatch(area)) or area in areas:
            raise ValueError(RULE)
        if equals:
            _check_area(area)
            areas[area] = level.lower()
        else:
            general.append(level.lower())
    if len(general) > 1:
        raise ValueError(f"one level for all, not {' and '.join(general)}; others need an area, as app.listener=debug")
    return LogLevels(general[0] if general else "info", tuple(areas.items()))


def _check_area(area: str) -> None:
    """A misspelt area of ours would stay silent; whose loggers a library has is not ours to know."""
    known = sorted(_own_areas())
    if area.partition(".")[0] not in OURS or area in known:
        return
    guess = difflib.get_close_matches(area, known, n=1)
    hint = f", did you mean {guess[0]}?" if guess else ""
    raise ValueError(f"areas that exist; there is no {area}{hint}")


def _own_areas() -> Iterator[str]:
    root = Path(__file__).parents[1]
    for package in OURS:
        yield package
        for path in (root / package).rglob("*.py"):
            inside = path.parent if path.name == "__init__.py" else path.with_suffix("")
            yield ".".join(inside.relative_to(root).parts)


def _remember(_context: click.Context, _option: click.Parameter, value: str | None) -> None:
    """Into the environment, so that it also holds for the processes that this one starts."""
    if value is None:
        return
    try:
        parse_levels(value)
    except ValueError as error:
        raise click.BadParameter(f"expected {error}, got {value!r}") from None
    os.environ[SETTING] = value


log_level_option = click.option(
    "--log-level",
    metavar="LEVELS",
    callback=_remember,
    expose_value=False,
    help=f"How much is logged, such as info,app.listener=debug; default {SETTING}.",
)
