"""Times as people say them: how long ago, and how far back to look."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import click

UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class Age(click.ParamType[timedelta]):
    """A number and a unit: 90s, 15m, 12h, 30d, 4w."""

    name = "30d|12h"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        found = re.fullmatch(r"(\d{1,6})\s*([smhdw])", str(value).strip().lower())
        if not found:
            self.fail(f"expected a number and s, m, h, d or w, such as 30d, got {value!r}", parameter, context)
        return timedelta(seconds=int(found[1]) * UNITS[found[2]])


class Moment(click.ParamType[datetime]):
    """How long ago, or a date: 2d, 2026-11-01, 2026-11-01T15:30."""

    name = "2d|2026-11-01"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> datetime:
        try:
            moment = datetime.fromisoformat(str(value))
        except ValueError:
            moment = None
        try:
            if moment is None:
                return datetime.now(UTC) - Age().convert(value, parameter, context)
            return moment if moment.tzinfo else moment.astimezone()
        except (OverflowError, ValueError):
            self.fail(f"expected a time within the calendar, got {value!r}", parameter, context)


def span(age: timedelta) -> str:
    """Two digits are enough: 0.4 s, 12 s, 3 min, 5 h, 9 d."""
    seconds = max(0.0, age.total_seconds())
    for name, unit, up_to in (("s", 1, 100), ("min", 60, 100), ("h", 3600, 48)):
        if seconds / unit < up_to:
            return f"{seconds:.1f} s" if seconds < 10 else f"{seconds / unit:.0f} {name}"  # noqa: PLR2004 - one digit
    return f"{seconds / UNITS['d']:.0f} d"


def ago(moment: datetime) -> str:
    return f"{span(datetime.now(UTC) - moment)} ago"
