"""Does a figure grow? A leak rises all the time, a burst rises once, and noise rises and falls.

The first third is for warming up: everything is claimed, filled and cached once. The rest is cut into four parts, and a
figure has grown if its median rose from each part to the next, each time beyond noise, and in all by a twentieth.
"""

import statistics
from collections.abc import Sequence
from itertools import pairwise

PARTS = 4
EACH_STEP = 0.015
IN_ALL = 0.05


def warm(values: Sequence[float]) -> Sequence[float]:
    return values[len(values) // 3 :]


def medians(values: Sequence[float]) -> list[float]:
    """Of the parts after warming up; none if there are too few values for them."""
    judged = warm(values)
    if len(judged) < PARTS:
        return []
    cuts = [len(judged) * number // PARTS for number in range(PARTS + 1)]
    return [statistics.median(judged[begin:end]) for begin, end in pairwise(cuts)]


def is_growing(parts: Sequence[float]) -> bool:
    if not parts:
        return False
    rises = all(later > earlier * (1 + EACH_STEP) for earlier, later in pairwise(parts))
    return rises and parts[-1] > parts[0] * (1 + IN_ALL)


def without_kept(sizes: Sequence[float], kept: Sequence[float], each: float) -> list[float]:
    """Sizes as if no more rows had been kept than after warming up: what is kept on purpose is data, not growth."""
    before = warm(kept)[0] if kept else 0.0
    return [size - each * (count - before) for size, count in zip(sizes, kept, strict=True)]
