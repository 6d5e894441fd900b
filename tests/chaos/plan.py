"""What breaks, and when: a list that follows from the seed alone."""

import random
from typing import NamedTuple

# Faults per minute. What only a broker outside can suffer falls away without one.
RATES = {
    "kill worker": 84.0,
    "kill sweeper": 14.0,
    "kill listener": 8.0,
    "kill awake": 10.0,
    "kill supervisor": 5.0,
    "freeze worker": 10.0,
    "pause worker": 10.0,
    "hold worker": 6.0,
    "freeze sweeper": 2.0,
    "freeze listener": 1.0,
    "freeze supervisor": 2.0,
    "end session": 30.0,
    "crash postgres": 4.8,
    "cut listener": 6.0,
    "half-open listener": 3.0,
    "delay listener": 3.0,
    "doubt claim": 12.0,
    "doubt record": 12.0,
    "doubt failure": 4.0,
    "doubt beat": 4.0,
    "doubt sweep": 4.0,
    "double nudges": 10.0,
    "disable trigger": 2.0,
    "pin transaction": 1.0,
    "flush broker": 26.0,
    "restart broker": 0.6,
}
# How a soak differs: the same faults, so rarely that a process lives for minutes, and what it leaks can show.
CALM = 0.01

OF_BROKERS = frozenset({"flush broker", "restart broker", "kill listener", "freeze listener"})


class Planned(NamedTuple):
    at: float
    kind: str
    seed: int


def plan(seed: int, seconds: float, *, with_brokers: bool, intensity: float = 1.0) -> list[Planned]:
    """So many of each kind, at least one, at random moments."""
    chance = random.Random(f"plan {seed}")  # noqa: S311 - a plan, not a secret
    planned = []
    for kind, rate in RATES.items():
        count = max(1, round(rate * intensity * seconds / 60))
        moments = [Planned(chance.uniform(0, seconds), kind, chance.getrandbits(32)) for _ in range(count)]
        planned += moments if with_brokers or kind not in OF_BROKERS else []
    return sorted(planned)
