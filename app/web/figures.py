"""How figures, ages and times are written on the pages."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from flask import Flask

MINUTE, HOUR, DAY = 60, 3600, 86_400
UNITS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"))
NOTHING = "\N{EN DASH}"


def number(value: float | None) -> str:
    """1234567 as 1,234,567; nothing as a dash."""
    return NOTHING if value is None else f"{value:,.0f}"


def short(value: float) -> str:
    """For narrow places: 1234567 as 1.2M."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= limit:
            return f"{value / (1e3 if letter == 'k' else limit):.3g}{letter}"
    return f"{value:,.0f}"


def rate(value: float) -> str:
    """Rows a minute, with a decimal where it says something."""
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.1f}"  # noqa: PLR2004 - two digits


def duration(value: timedelta | float | None) -> str:
    """A length of time in its two largest units: 2 h 5 min."""
    if value is None:
        return NOTHING
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if seconds < 0.9995:  # noqa: PLR2004 - would be written as 1000 ms
        return f"{max(0, seconds) * 1000:.0f} ms"
    if seconds < MINUTE:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"  # noqa: PLR2004 - two digits
    for unit, name, part, part_name in ((DAY, "d", HOUR, "h"), (HOUR, "h", MINUTE, "min"), (MINUTE, "min", 1, "s")):
        if seconds >= unit:
            rest = int(seconds % unit // part)
            return f"{int(seconds // unit)} {name}" + (f" {rest} {part_name}" if rest else "")
    raise AssertionError(seconds)


def ago(value: datetime | None) -> str:
    """In one unit: the moment itself stands in the title."""
    if value is None:
        return NOTHING
    seconds = (datetime.now(UTC) - value).total_seconds()
    if seconds < 1:
        return "just now"
    size, name = next((unit for unit in UNITS if seconds >= unit[0]), (1, "s"))
    return f"{seconds // size:.0f} {name} ago"


def moment(value: datetime | None) -> str:
    """To the second, in UTC: the same for everybody who looks."""
    return NOTHING if value is None else value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def web_address(value: object) -> str | None:
    """The text when it is a link that a browser may follow to the web; `javascript:` and the like are only text."""
    text = str(value)
    if not text.isprintable() or " " in text:
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return text if parts.scheme in {"http", "https"} and parts.hostname else None


def register(site: Flask) -> None:
    site.jinja_env.trim_blocks = site.jinja_env.lstrip_blocks = True
    for filter_ in (number, short, rate, duration, ago, moment, web_address):
        site.jinja_env.filters[filter_.__name__] = filter_
