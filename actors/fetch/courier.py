"""Brings back what a URL leads to: pauses, redirects, and second tries where the first showed a known fault."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

import httpx2

from actors.errors import FetchError, Unusable
from actors.fetch.errand import Errand
from actors.fetch.failures import failed_status, fetch_errors
from actors.fetch.guard import Guard, Target
from actors.fetch.pace import Pace
from actors.fetch.stream import Stream
from actors.fetch.wire import Wire

MOST_REDIRECTS = 5
SHORT_BODY = 16 * 1024
_REDIRECTS = {301, 302, 303, 307, 308}
_CERTIFICATE_PROBLEMS = {"tls_expired", "tls_name", "tls_chain"}

BeforeHop = Callable[[Target, Errand], None]
"""Raises where a hop must not be made."""


class _Arrival(NamedTuple):
    response: httpx2.Response
    target: Target
    hops: tuple[str, ...]
    problem: str | None


class Courier:
    """One per run."""

    def __init__(self, wire: Wire, guard: Guard, pace: Pace, headers: Mapping[str, str]) -> None:
        self._wire = wire
        self._guard = guard
        self._pace = pace
        self._headers = headers
        self._untrusted: dict[str, str] = {}

    def open(
        self, url: str, errand: Errand, headers: Mapping[str, str], before_hop: BeforeHop, wanted: Callable[[int], bool]
    ) -> Stream:
        """The answer at the end of the redirects; one whose status is not wanted is raised."""
        errand.url = url
        target = self._guard.admit(url)
        try:
            return self._opened(self._follow(target, errand, headers, before_hop), errand, wanted)
        except Unusable as error:
            if error.kind != "encoding":
                raise
        arrival = self._follow(target, errand, {**headers, "Accept-Encoding": "identity"}, before_hop)
        return self._opened(arrival, errand, wanted)

    def _opened(self, arrival: _Arrival, errand: Errand, wanted: Callable[[int], bool]) -> Stream:
        response, target = arrival.response, arrival.target
        if not wanted(response.status_code):
            self._decline(response, errand, target.host)
            raise failed_status(response.status_code, response.headers, target.url)
        try:
            return Stream(response, errand, target, arrival.hops, arrival.problem)
        except BaseException:
            self.leave(response, target.host)
            raise

    def _follow(self, target: Target, errand: Errand, headers: Mapping[str, str], before_hop: BeforeHop) -> _Arrival:
        hops: list[str] = []
        problem: str | None = None
        while True:
            before_hop(target, errand)
            hops.append(target.url)
            response = self._ask(target, errand, headers)
            problem = problem or self._problem(target)
            location = response.headers.get("location", "")
            if response.status_code not in _REDIRECTS or not location:
                return _Arrival(response, target, tuple(hops), problem)
            self._decline(response, errand, target.host)
            following = self._guard.admit(location, target.url)
            if following.url in hops:
                raise Unusable(f"{hops[0]}: redirects in a circle", kind="redirects", url=hops[0])
            if len(hops) > MOST_REDIRECTS:
                raise Unusable(f"{hops[0]}: more than {MOST_REDIRECTS} redirects", kind="redirects", url=hops[0])
            target = following

    def _ask(self, target: Target, errand: Errand, headers: Mapping[str, str]) -> httpx2.Response:
        """Send, with one try more that does not mind the certificate: these are public pages, and the row says so."""
        everything = {**self._headers, **headers}
        self._pace.wait(target.host, errand)
        errand.steps_aside = False
        try:
            if self._problem(target) is None:
                try:
                    return self._wire.send(errand, target, everything)
                except Unusable as error:
                    if error.kind not in _CERTIFICATE_PROBLEMS:
                        raise
                    self._untrusted[target.authority] = error.kind
            return self._wire.send(errand, target, everything, verified=False)
        except FetchError:
            self._pace.ended(target.host)
            raise

    def _problem(self, target: Target) -> str | None:
        return self._untrusted.get(target.authority) if target.scheme == "https" else None

    def leave(self, answer: httpx2.Response | Stream, host: str) -> None:
        answer.close()
        self._pace.ended(host)

    def _decline(self, response: httpx2.Response, errand: Errand, host: str) -> None:
        """Leave an answer whose body is not wanted; a short one is read to its end, so the connection stays good."""
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length[:9]) <= SHORT_BODY:
            with suppress(FetchError), fetch_errors(errand):
                for _ in response.iter_raw():
                    pass
        self.leave(response, host)
