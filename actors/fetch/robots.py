"""robots.txt files as the worker keeps them: text that parser processes are asked about, and what they answered."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from actors.parse.robots_reading import RobotsAnswer, ask_robots, read_named_sitemaps
from actors.parse.wire_body import WireBody, WireHead
from actors.sandbox.reader import Reader

_PRODUCT = re.compile(r"[^\s(]+")
_ALLOWED = RobotsAnswer(allowed=True, crawl_delay=None)


@dataclass(frozen=True, slots=True)
class StoredRobots:
    """The text of a robots.txt, empty where there is none; `status` is what the server answered."""

    status: int
    body: str
    expires_at: datetime


class RobotsStore(Protocol):
    """Remembers robots.txt files by origin (https://host) for all processes."""

    def load(self, origin: str) -> StoredRobots | None: ...

    def save(self, origin: str, robots: StoredRobots) -> None: ...


class Answers(Protocol):
    """What was answered about a robots.txt before."""

    def known(self, origin: str, robots: StoredRobots, target: str) -> RobotsAnswer | None: ...

    def learn(self, origin: str, robots: StoredRobots, target: str, answer: RobotsAnswer) -> None: ...


class Robots:
    """One robots.txt, for one run. The patterns in it are a stranger's: only a parser process matches them."""

    def __init__(self, stored: StoredRobots, *, origin: str, agent: str, reader: Reader, answers: Answers) -> None:
        self._stored = stored
        self._origin = origin
        self._agent = agent
        self._reader = reader
        self._answers = answers

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that it names, absolute, each once."""
        if not self._stored.body:
            return ()
        return self._reader.read(read_named_sitemaps, [self._text()], agent=self._agent)

    def allows(self, url: str) -> bool:
        return self.ask(url).allowed

    def ask(self, url: str) -> RobotsAnswer:
        if not self._stored.body:
            return _ALLOWED
        known = self._answers.known(self._origin, self._stored, url)
        if known is None:
            known = self._reader.read(ask_robots, [self._text()], target=url, agent=self._agent)
            self._answers.learn(self._origin, self._stored, url, known)
        return known

    def _text(self) -> WireBody:
        content = self._stored.body.encode("utf-8", "replace")
        return WireBody(WireHead(f"{self._origin}/robots.txt", None, None, len(content)), content)


def product_token(user_agent: str) -> str:
    """The name, with its version, under which robots.txt files know us: what a User-Agent begins with."""
    product = _PRODUCT.match(user_agent)
    return product.group() if product else user_agent
