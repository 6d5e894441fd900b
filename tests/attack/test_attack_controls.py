"""The attack suite finds what it is for: each control is a reader with one fault."""

import pytest

from actors.parse.readers import READERS as PRODUCT_READERS
from actors.parse.readers import STREAM_READERS
from tests.attack.controls import CONTROL_SHAPES
from tests.attack.growth import exponent, judge, problems_of
from tests.attack.measure import Cost, runner
from tests.attack.readers import ATTACKED
from tests.attack.shapes import SHAPES

CONTROLS = {shape.kind: shape for shape in CONTROL_SHAPES}


@pytest.fixture(scope="module")
def measure():
    with runner() as measure:
        yield measure


def test_there_are_many_shapes_and_no_two_have_one_name():
    assert len(SHAPES) > 300
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_shape_grows_with_its_size(shape):
    small, large = len(shape.make(10_000)), len(shape.make(100_000))

    assert 3_000 < small < 40_000
    assert 8 < large / small < 12


def test_quadratic_time_is_found(measure):
    problems = judge(CONTROLS["quadratic"], measure, (4_000, 40_000)).problems

    assert any("grows with an exponent of" in problem for problem in problems)


def test_a_held_lock_of_the_interpreter_is_found(measure):
    problems = problems_of({40_000: measure(CONTROLS["quadratic"].name, 40_000)})

    assert any("no other thread runs" in problem for problem in problems)


def test_multiplied_memory_is_found(measure):
    problems = problems_of({1_000_000: measure(CONTROLS["multiplying"].name, 1_000_000)})

    assert any("MB, more than 430 MB" in problem for problem in problems)


def test_an_exception_is_found(measure):
    (problem,) = judge(CONTROLS["raising"], measure, (10_000,)).problems

    assert problem == "at 10 kB it raises ValueError: cannot read 10000 bytes"


@pytest.mark.slow
def test_a_reader_without_end_is_ended_and_found(measure):
    problems = list(problems_of({10_000: measure(CONTROLS["endless"].name, 10_000)}))

    assert "at 10 kB it needs 20.0 s of CPU time, more than 5 s" in problems


def test_linear_growth_passes_and_anything_steeper_does_not():
    assert exponent({10_000: 0.1, 100_000: 1.0}) == pytest.approx(1.0)
    assert exponent({10_000: 0.1, 30_000: 0.9, 100_000: 10.0}) == pytest.approx(2.0)
    assert list(problems_of({10_000: Cost(0.1, 1, 0), 100_000: Cost(1.5, 1, 0)})) == []
    assert list(problems_of({10_000: Cost(0.1, 1, 0), 100_000: Cost(2.5, 1, 0)})) != []


def test_times_too_short_to_measure_are_no_growth():
    assert exponent({10_000: 0.000_1, 100_000: 0.02}) == 0.0


def test_every_reader_of_the_product_is_attacked():
    missing = {*PRODUCT_READERS, *STREAM_READERS} - ATTACKED

    assert not missing, f"call these in tests/attack/readers.py and add their names to ATTACKED: {sorted(missing)}"
