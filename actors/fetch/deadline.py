"""How long one errand may take, all its redirects and second tries included."""

from dataclasses import dataclass, field
from time import monotonic


class DeadlinePassed(Exception):
    """Never leaves this package: whoever opened the errand says it in words."""


@dataclass(slots=True)
class Deadline:
    seconds: float
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = monotonic() + self.seconds

    def left(self, at_most: float | None = None) -> float:
        """Seconds that one step may take; raises when there are none."""
        seconds = self._end - monotonic()
        if seconds <= 0:
            raise DeadlinePassed
        return seconds if at_most is None else min(seconds, at_most)

    @property
    def has_passed(self) -> bool:
        # A socket that was given what was left may wake up a moment early.
        return monotonic() >= self._end - 0.05

    def extend(self, seconds: float) -> None:
        """Time that we kept still on purpose is not the server's."""
        self._end += seconds
