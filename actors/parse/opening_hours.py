"""Opening hours of a place, one text for each day of the week."""

from typing import Any, Final

from actors.parse.json_values import count_at, list_at, text_at, value_at

DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_OPEN_ALL_DAY: Final = "Open 24 hours"
_CLOSED: Final = "Closed"
_HOURS_OF_A_DAY: Final = 24
_MINUTES_OF_AN_HOUR: Final = 60


def opening_hours(hours: Any) -> dict[str, str | None]:
    """What Google writes for a day where the day can be told, else a text made from the periods.

    Which day comes first in the descriptions depends on language and region, so a day is known by its English name
    alone: the client asks for English.
    """
    described = _described(list_at(hours, "weekdayDescriptions"))
    computed = _computed(value_at(hours, "periods"))
    return {day: described.get(day) or computed.get(day) for day in DAYS}


def _described(descriptions: list[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for description in descriptions:
        text = text_at({"text": description}, "text") or ""
        day, _, hours = text.partition(":")
        if day.casefold() in DAYS and hours.strip():
            found[day.casefold()] = hours.strip()
    return found


def _computed(periods: Any) -> dict[str, str]:
    if not isinstance(periods, list):
        return {}
    spans: dict[str, list[str]] = {day: [] for day in DAYS}
    for period in periods:
        opens, closes = value_at(period, "open"), value_at(period, "close")
        if closes is None and isinstance(opens, dict):
            return dict.fromkeys(DAYS, _OPEN_ALL_DAY)
        day, start, end = _part(opens, "day"), _time(opens), _time(closes)
        if start is None or end is None or day is None or day >= len(DAYS):
            return {}
        spans[DAYS[day - 1]].append(f"{start}-{end}")  # 0 is Sunday, the last of ours
    return {day: ", ".join(texts) or _CLOSED for day, texts in spans.items()}


def _time(point: Any) -> str | None:
    hour, minute = _part(point, "hour"), _part(point, "minute")
    if hour is None or minute is None or hour >= _HOURS_OF_A_DAY or minute >= _MINUTES_OF_AN_HOUR:
        return None
    return f"{hour:02}:{minute:02}"


def _part(point: Any, name: str) -> int | None:
    """Sunday and midnight may be written without their zeros: proto3 leaves out what is 0."""
    return count_at({name: 0, **point}, name) if isinstance(point, dict) else None
