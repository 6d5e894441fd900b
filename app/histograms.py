"""A histogram that takes the values of a whole batch at once. Imported by app/metrics.py alone, which says when."""

from bisect import bisect_right
from collections.abc import Iterable

from prometheus_client import Histogram


class BatchHistogram(Histogram):
    """Counts each bucket once per batch: in a file that processes share, a count costs more than a row's own work."""

    def observe_all(self, amounts: Iterable[float]) -> None:
        ordered = sorted(amounts)
        if not ordered:
            return
        self._sum.inc(sum(ordered))
        below = 0
        for bound, bucket in zip(self._upper_bounds, self._buckets, strict=True):
            reached = bisect_right(ordered, bound, below)
            if reached > below:
                bucket.inc(reached - below)
                below = reached
            if below == len(ordered):
                break
