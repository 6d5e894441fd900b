"""Hostile documents up to 100 kB; `make reliability` and `make attack` go up to 1,000 kB."""

import pytest

from tests.attack.growth import ALL, QUICK, judge
from tests.attack.measure import runner
from tests.attack.shapes_text import TEXT


@pytest.fixture(scope="module")
def measure():
    with runner() as measure:
        yield measure


@pytest.mark.parametrize("shape", TEXT, ids=lambda shape: shape.name)
def test_a_hostile_document_costs_no_more_than_its_size(shape, measure):
    assert not judge(shape, measure, QUICK).problems


@pytest.mark.slow
@pytest.mark.parametrize("shape", TEXT, ids=lambda shape: shape.name)
def test_a_large_hostile_document_costs_no_more_than_its_size(shape, measure):
    assert not judge(shape, measure, ALL).problems
