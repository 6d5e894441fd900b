"""The pause between two requests to a host, and how long it should be left alone after the last one."""

from threading import Event
from time import monotonic

from actors.errors import HostResting
from actors.fetch.errand import Errand

# An exception raised in this thread from outside takes effect between two slices.
_SLICE = 0.25


class Pace:
    """One per run, which makes its requests one after the other."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._delays: dict[str, float] = {}
        self._ended: dict[str, float] = {}
        self.spare = pause

    def slow_down(self, host: str, seconds: float) -> None:
        """A crawl-delay: for the requests to come, and for whoever comes after this run."""
        site = _site(host)
        self._delays[site] = max(seconds, self._delays.get(site, 0))
        self.leave_alone(seconds)

    def leave_alone(self, seconds: float) -> None:
        self.spare = max(self.spare, seconds)

    def wait(self, host: str, errand: Errand) -> None:
        """Keep still until the host may be asked again, or leave it for now; the deadline moves along."""
        site = _site(host)
        pause = max(self._pause, self._delays.get(site, 0))
        began = monotonic()
        until = self._ended.get(site, -pause) + pause
        if until > began and errand.steps_aside:
            raise HostResting(host, seconds=until - began)
        still = Event()
        while (left := until - monotonic()) > 0:
            still.wait(min(left, _SLICE))
        errand.deadline.extend(monotonic() - began)

    def ended(self, host: str) -> None:
        self._ended[_site(host)] = monotonic()


def _site(host: str) -> str:
    # With and without www. is one server nearly always.
    return host.removeprefix("www.")
