"""A batch counted at once is what its rows would have counted one by one."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from app.histograms import BatchHistogram

BOUNDS = (0.001, 0.5, 1, 60)
AMOUNTS = st.one_of(st.sampled_from(BOUNDS), st.integers(0, 200).map(float))


def samples_of(histogram):
    return [
        (one.name, one.labels, one.value)
        for metric in histogram.collect()
        for one in metric.samples
        if not one.name.endswith("_created")
    ]


def histogram():
    return BatchHistogram("seconds", "Some", ["workflow"], buckets=BOUNDS, registry=CollectorRegistry())


@given(st.lists(st.lists(AMOUNTS)))
def test_a_batch_counts_like_its_rows(batches):
    at_once, one_by_one = histogram(), histogram()

    one_by_one.labels("one")
    for batch in [[], *batches]:
        at_once.labels("one").observe_all(batch)
        for amount in batch:
            one_by_one.labels("one").observe(amount)

    told, expected = samples_of(at_once), samples_of(one_by_one)
    assert [one[:2] for one in told] == [one[:2] for one in expected]
    assert all(abs(one[2] - other[2]) < 1e-6 for one, other in zip(told, expected, strict=True))
