"""The library's search for telephone numbers in a text; each part of a text is judged once.

A candidate that is no number is cut in many ways by the library, and mostly into the same pieces. What it makes of a
piece depends on the piece and on the characters beside it, so that is remembered, for other lines and pages as well.
"""

from collections.abc import Iterator
from functools import lru_cache

from phonenumbers import FrozenPhoneNumber, PhoneNumber, PhoneNumberMatch, PhoneNumberMatcher


def matches_in(text: str, region: str | None, leniency: int) -> Iterator[PhoneNumberMatch]:
    return iter(_Matcher(text, region, leniency))


class _Matcher(PhoneNumberMatcher):
    def _parse_and_verify(self, candidate: str, offset: int) -> PhoneNumberMatch | None:
        end = offset + len(candidate)
        before, after = self.text[max(0, offset - 1) : offset], self.text[end : end + 1]
        number = _number(before, candidate, after, self.preferred_region, self.leniency)
        return PhoneNumberMatch(offset, candidate, number) if number is not None else None

    def judged(self, candidate: str, offset: int) -> PhoneNumberMatch | None:
        return super()._parse_and_verify(candidate, offset)


@lru_cache(maxsize=4_096)
def _number(before: str, candidate: str, after: str, region: str | None, leniency: int) -> PhoneNumber | None:
    match = _Matcher(before + candidate + after, region, leniency).judged(candidate, len(before))
    return FrozenPhoneNumber(match.number) if match is not None else None
