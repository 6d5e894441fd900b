"""What is asked of a robots.txt: its text, whether a URL may be fetched, which sitemaps it names."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from actors.parse.robots import MOST_BYTES, Robots, robots_text
from actors.parse.wire_body import WireBody, unpacked

MOST_SITEMAPS = 1_000
# What a file asks for with "inf" is longer than any crawler waits, and a number that JSON can write.
_LONGEST_DELAY = 1e9


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    allowed: bool
    crawl_delay: float | None


def read_robots_text(bodies: Sequence[WireBody]) -> str:
    """One body: the rules in its first 500 KiB, nothing if it is a page for people."""
    (body,) = bodies
    beginning = b""
    for piece in unpacked([body.content], body.head.coding, body.head.most):
        beginning += piece
        if len(beginning) >= MOST_BYTES:
            break
    return robots_text(beginning)


def ask_robots(bodies: Sequence[WireBody], *, target: str, agent: str) -> RobotsAnswer:
    """One body: the text of the rules, in UTF-8."""
    rules = _rules(bodies, agent)
    delay = rules.crawl_delay
    if delay is not None:
        delay = None if math.isnan(delay) else min(delay, _LONGEST_DELAY)
    return RobotsAnswer(rules.allows(target), delay)


def read_named_sitemaps(bodies: Sequence[WireBody], *, agent: str) -> tuple[str, ...]:
    """One body: the text of the rules, in UTF-8. The sitemaps that it names, absolute."""
    return _rules(bodies, agent).sitemaps[:MOST_SITEMAPS]


def _rules(bodies: Sequence[WireBody], agent: str) -> Robots:
    (body,) = bodies
    return Robots(body.content.decode("utf-8", "replace"), url=body.head.url, agent=agent)
