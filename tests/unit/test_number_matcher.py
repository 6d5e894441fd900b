import pytest
from phonenumbers import Leniency, PhoneNumberMatcher

from actors.parse.number_matcher import matches_in

TEXTS = [
    "Tel. 030 987651, Fax 030 987659, mobil 0171 2345678",
    "Hauptstr. 12, 10115 Berlin, 8-17 Uhr, 24.12.2024, 2019-2024, 030/98 76 51-0",
    "x030987651 030987651x 030987651 €030987651 030987651%",
    "(030) 98 76 51 / 98 76 52 - (030) 98 76 51",
    "+49 30 987651 +1 512 794 2345 0043 1 5874321 +999 12",
    "12345678901234567890 1-2-3-4-5-6-7-8-9-0 1.2.3.4.5.6.7",
]


@pytest.mark.parametrize("leniency", [Leniency.POSSIBLE, Leniency.VALID])
@pytest.mark.parametrize("region", ["DE", "US", None])
@pytest.mark.parametrize("text", TEXTS)
def test_what_is_remembered_of_a_part_is_what_the_library_says_of_it(text, region, leniency):
    expected = [(each.start, each.raw_string, each.number) for each in PhoneNumberMatcher(text, region, leniency)]

    found = [[(each.start, each.raw_string, each.number) for each in matches_in(text, region, leniency)] for _ in "12"]

    assert found == [expected, expected]
