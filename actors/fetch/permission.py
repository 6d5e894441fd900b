"""Leave to fetch: asked of a host's robots.txt before every hop."""

from time import monotonic

from actors.errors import Busy, Denied, FetchError, Unreachable, Unusable
from actors.fetch.courier import Courier
from actors.fetch.errand import Errand
from actors.fetch.failures import is_success
from actors.fetch.guard import Target
from actors.fetch.pace import Pace
from actors.fetch.robots import Robots, StoredRobots
from actors.fetch.robots_shelf import RobotsShelf
from actors.parse.robots import MOST_BYTES
from actors.parse.robots_reading import read_robots_text
from actors.parse.wire_body import WireBody
from actors.sandbox.reader import Reader

LONGEST_CRAWL_DELAY = 30
_REDIRECTION, _BAD_REQUEST, _TOO_MANY, _SERVER_ERROR = 300, 400, 429, 500


class Permission:
    """One per run."""

    def __init__(self, courier: Courier, shelf: RobotsShelf, pace: Pace, reader: Reader, agent: str) -> None:
        self._courier = courier
        self._shelf = shelf
        self._pace = pace
        self._reader = reader
        self._agent = agent

    def ask(self, target: Target, errand: Errand) -> None:
        """Raises where the host of a hop does not want it made."""
        robots = self.robots_for(target, errand)
        began = monotonic()
        answer = robots.ask(target.url)
        errand.deadline.extend(monotonic() - began)  # the time of our own parsers is not the server's
        if not answer.allowed:
            message = f"robots.txt of {target.host} forbids {target.path}"
            raise Denied(message, kind="robots", url=target.url)
        delay = answer.crawl_delay or 0
        if delay > LONGEST_CRAWL_DELAY:
            message = f"robots.txt of {target.host} asks for {delay:g} s between two requests: too slow to crawl"
            raise Denied(message, kind="crawl_delay", url=target.url)
        self._pace.slow_down(target.host, delay)

    def robots_for(self, target: Target, errand: Errand) -> Robots:
        """What is known, or read anew; where that fails, an old copy; where there is none, nothing may be fetched."""
        stored = self._known_or_read(target, errand)
        return Robots(stored, origin=target.origin, agent=self._agent, reader=self._reader, answers=self._shelf)

    def _known_or_read(self, target: Target, errand: Errand) -> StoredRobots:
        fresh = self._shelf.fresh(target.origin)
        if fresh is not None:
            return fresh
        try:
            status, text = self._read_robots(target, errand)
        except FetchError as error:
            stale = self._shelf.stale(target.origin)
            if stale is not None:
                return stale
            if isinstance(error, Busy):
                self._pace.leave_alone(error.delay.total_seconds())
            if isinstance(error, Busy | Denied) or error.kind == "dns":
                raise
            message = f"robots.txt of {target.host} cannot be read, so nothing may be fetched there: {error}"
            raise Unreachable(message, kind="robots_unreachable", url=target.url, status=error.status) from error
        return self._shelf.keep(target.origin, status, text)

    def _read_robots(self, target: Target, page: Errand) -> tuple[int, str]:
        """The status and the rules; a file that is not there, or behind too many redirects, has no rules."""
        errand = Errand(target.url, page.deadline, 2 * MOST_BYTES)
        try:
            stream = self._courier.open(f"{target.origin}/robots.txt", errand, {}, _no_leave_needed, is_success)
        except FetchError as error:
            status = error.status or 0
            if _BAD_REQUEST <= status < _SERVER_ERROR and status != _TOO_MANY:
                return status, ""
            if isinstance(error, Unusable) and error.kind == "redirects":
                return _REDIRECTION, ""
            raise
        try:
            body = b""
            for chunk in stream:
                body += chunk
                if len(body) >= MOST_BYTES:
                    break
        finally:
            self._courier.leave(stream, stream.host)
        began = monotonic()
        text = self._reader.read(read_robots_text, [WireBody(stream.head, body)])
        page.deadline.extend(monotonic() - began)
        return stream.status, text


def _no_leave_needed(_target: Target, _errand: Errand) -> None:
    """robots.txt itself may always be read."""
