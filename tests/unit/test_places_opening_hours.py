import pytest

from actors.parse.opening_hours import DAYS, opening_hours


def period(day, opens, closes):
    return {"open": {"day": day, "hour": opens, "minute": 30}, "close": {"day": day, "hour": closes, "minute": 0}}


@pytest.mark.parametrize("first", range(7))
def test_a_day_is_known_by_its_name_whichever_comes_first(first):
    descriptions = [f"{day.title()}: {day} text" for day in (*DAYS[first:], *DAYS[:first])]

    assert opening_hours({"weekdayDescriptions": descriptions}) == {day: f"{day} text" for day in DAYS}


def test_days_in_another_language_are_read_from_the_periods():
    descriptions = ["Montag: 09:30\u201317:00 Uhr", "Sonntag: Geschlossen"]

    found = opening_hours({"weekdayDescriptions": descriptions, "periods": [period(1, 9, 17), period(0, 10, 12)]})

    assert (found["monday"], found["tuesday"], found["sunday"]) == ("09:30-17:00", "Closed", "10:30-12:00")


def test_a_day_with_a_break_has_two_spans():
    assert opening_hours({"periods": [period(6, 9, 12), period(6, 13, 18)]})["saturday"] == "09:30-12:00, 13:30-18:00"


def test_sunday_and_midnight_may_be_written_without_their_zeros():
    assert opening_hours({"periods": [{"open": {}, "close": {"day": 1}}]})["sunday"] == "00:00-00:00"


def test_what_never_closes_is_open_all_day():
    always = {"open": {"day": 0, "hour": 0, "minute": 0}}

    assert set(opening_hours({"periods": [always]}).values()) == {"Open 24 hours"}


def test_what_never_opens_is_closed():
    assert set(opening_hours({"periods": []}).values()) == {"Closed"}


@pytest.mark.parametrize(
    "hours",
    [
        None,
        {},
        {"periods": None, "weekdayDescriptions": [None, 7, "Monday", "Monday:", ": 9"]},
        {"periods": [{}]},
        {"periods": [period(7, 9, 17)]},
        {"periods": [period(1, 25, 26)]},
        {"periods": ["open"]},
        {"periods": [{"open": "early", "close": "late"}]},
    ],
)
def test_hours_that_cannot_be_understood_are_not_guessed(hours):
    assert opening_hours(hours) == dict.fromkeys(DAYS)
