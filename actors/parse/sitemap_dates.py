"""The dates of sitemaps and feeds, as ISO 8601 in UTC; None for what is no date or cannot be one of a web page."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

_YEARS = range(1991, 2101)
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{2}))?")
_LONGEST = 40


@lru_cache(maxsize=4096)
def iso_date(text: str) -> str | None:
    """A W3C date, from a bare year to a fraction of a second; without a zone it is taken for UTC."""
    if len(text) > _LONGEST:
        return None
    short = _YEAR_OR_MONTH.fullmatch(text)
    if short:
        text = f"{short[1]}-{short[2] or '01'}-01"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _stored(moment)


@lru_cache(maxsize=4096)
def feed_date(text: str) -> str | None:
    """The date of an item: Atom writes W3C dates, RSS those of mail."""
    return iso_date(text) or (http_date(text) if len(text) <= _LONGEST else None)


def _stored(moment: datetime) -> str | None:
    """In UTC: Python knows zones of up to 24 hours, Postgres of less than 16."""
    try:
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        return None
    return moment.isoformat() if moment.year in _YEARS else None


def http_date(header: str | None) -> str | None:
    """The date in a header of an answer."""
    try:
        return _stored(parsedate_to_datetime(header or ""))
    except (ValueError, OverflowError):
        return None
