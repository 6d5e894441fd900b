"""How often a key may ask, in a minute and in a day of California, each kind of request for itself."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.demo.places_refusals import Fault, quota_exceeded

_GOOGLES_DAY: Final = ZoneInfo("America/Los_Angeles")


@dataclass(frozen=True, slots=True)
class Quota:
    per_minute: int | None = 600
    per_day: int | None = None


class Meter:
    def __init__(self, quota: Quota, clock: Callable[[], datetime]) -> None:
        self._quota = quota
        self._clock = clock
        self._used: Counter[tuple[str, str, str]] = Counter()

    def count(self, key: str, method: str) -> None:
        """One more request of the key; refused when the minute or the day has no more of them."""
        now = self._clock().astimezone(_GOOGLES_DAY)
        periods = (
            (Fault.DAY_QUOTA, self._quota.per_day, f"{now:%Y-%m-%d}"),
            (Fault.MINUTE_QUOTA, self._quota.per_minute, f"{now:%Y-%m-%d %H:%M %z}"),
        )
        for fault, limit, period in periods:
            if limit is not None and self._used[key, method, period] >= limit:
                raise quota_exceeded(method, fault, limit)
        self._used.update((key, method, period) for _, _, period in periods)
