"""The verdict on a shape: how its cost grows with its size, and whether it stays within the limits of a parser."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import log
from typing import Final, NamedTuple

from tests.attack.documents import Shape
from tests.attack.measure import Cost, Measure

QUICK: Final = (10_000, 100_000)
ALL: Final = (10_000, 30_000, 100_000, 300_000, 1_000_000)
STEEPEST: Final = 1.3
# Those of the processes that parse: CPU seconds for one document, and megabytes. Of an address space of 512 MB, 80 are
# used before the first document.
MOST_CPU: Final = 5.0
MOST_MEGABYTES: Final = 430
# A worker whose threads stand still for longer looks dead to the others.
LONGEST_SILENCE: Final = 1.0
# Below this a time is noise and fixed cost; it counts as this much.
_FLOOR: Final = 0.03
_FEWEST_TIMES_LARGER: Final = 9
_TRIES: Final = 3


class Verdict(NamedTuple):
    shape: Shape
    costs: Mapping[int, Cost]
    problems: tuple[str, ...]


def judge(shape: Shape, measure: Measure, sizes: Sequence[int]) -> Verdict:
    """What fails is measured again: on a busy machine the best of several tries is nearest to the truth."""
    costs: dict[int, Cost] = {}
    problems: tuple[str, ...] = ()
    for _ in range(_TRIES):
        for size in sizes:
            costs[size] = _better(costs.get(size), measure(shape.name, size))
            if any(_beyond_limits(size, costs[size])):
                break
        problems = tuple(problems_of(costs))
        if not problems:
            break
    return Verdict(shape, costs, problems)


def problems_of(costs: Mapping[int, Cost]) -> Iterator[str]:
    for size, cost in costs.items():
        yield from _beyond_limits(size, cost)
    steepness = exponent({size: cost.cpu for size, cost in costs.items()})
    if steepness > STEEPEST:
        times = ", ".join(f"{cost.cpu:.2f} s at {size // 1000:,} kB" for size, cost in costs.items())
        yield f"CPU time grows with an exponent of {steepness:.2f}, at most {STEEPEST} is allowed: {times}"


def exponent(seconds: Mapping[int, float]) -> float:
    """The steepest growth between two sizes of which one is about ten times the other; 1 is linear, 2 quadratic."""
    pairs = [(one, other) for one, other in combinations(sorted(seconds), 2) if other >= _FEWEST_TIMES_LARGER * one]
    slopes = (log(max(seconds[other], _FLOOR) / max(seconds[one], _FLOOR)) / log(other / one) for one, other in pairs)
    return max(slopes, default=0.0)


def _beyond_limits(size: int, cost: Cost) -> Iterator[str]:
    where = f"at {size // 1000:,} kB"
    if cost.error:
        yield f"{where} it raises {cost.error}"
    if cost.cpu > MOST_CPU:
        yield f"{where} it needs {cost.cpu:.1f} s of CPU time, more than {MOST_CPU:g} s"
    if cost.megabytes > MOST_MEGABYTES:
        yield f"{where} it needs {cost.megabytes:.0f} MB, more than {MOST_MEGABYTES} MB"
    if cost.silence > LONGEST_SILENCE:
        yield f"{where} no other thread runs for {cost.silence:.1f} s, more than {LONGEST_SILENCE:g} s"


def _better(one: Cost | None, other: Cost) -> Cost:
    if one is None:
        return other
    return Cost(
        min(one.cpu, other.cpu),
        min(one.megabytes, other.megabytes),
        min(one.silence, other.silence),
        one.error and other.error,
    )
