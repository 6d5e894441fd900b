"""Times as people say them."""

from datetime import UTC, datetime, timedelta

import click
import pytest

from app.commands.ages import Age, Moment, span


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000), (" 2 W ", 1_209_600)]
)
def test_an_age_is_a_number_and_a_unit(text, seconds):
    assert Age().convert(text, None, None) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "1.5h", "1y", "9999999d", "30d30"])
def test_anything_else_is_no_age(text):
    with pytest.raises(click.BadParameter, match="expected a number and s, m, h, d or w, such as 30d, got"):
        Age().convert(text, None, None)


def test_a_moment_before_the_calendar_is_refused():
    with pytest.raises(click.BadParameter, match="expected a time within the calendar, got '999999w'"):
        Moment().convert("999999w", None, None)


def test_a_moment_is_a_date_or_how_long_ago():
    assert Moment().convert("2026-11-01T15:30+00:00", None, None) == datetime(2026, 11, 1, 15, 30, tzinfo=UTC)
    assert Moment().convert("2026-11-01", None, None).tzinfo is not None
    assert timedelta(hours=1) < datetime.now(UTC) - Moment().convert("2h", None, None) < timedelta(hours=3)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0.0 s"),
        (0.44, "0.4 s"),
        (12.3, "12 s"),
        (99, "99 s"),
        (100, "2 min"),
        (3600, "60 min"),
        (7200, "2 h"),
        (172_799, "48 h"),
        (172_800, "2 d"),
        (2_592_000, "30 d"),
    ],
)
def test_a_span_has_two_digits(seconds, text):
    assert span(timedelta(seconds=seconds)) == text
