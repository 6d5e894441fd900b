"""The verdict of a soak: it finds a leak of a realistic slope, and takes neither noise nor a burst for one."""

import random

import pytest

from tests.chaos.growth import is_growing, medians, without_kept
from tests.chaos.soak import INDEXES, JUDGED, KEPT, Look, Soak

LOOKS = 240
SEEDS = range(200)


def series(seed, *, per_third=0.0, noise=0.02, jump_at=2.0, base=2_000.0):
    """A figure over time: how much it grows in a third of the run, how it swings, and when it jumps by half."""
    chance = random.Random(seed)  # noqa: S311 - noise, not a secret
    values = []
    for look in range(LOOKS):
        passed = look / LOOKS
        level = base * (1 + per_third * 3 * passed + (0.5 if passed >= jump_at else 0))
        values.append(level * chance.uniform(1 - noise, 1 + noise))
    return values


def judged_to_grow(**kind) -> int:
    return sum(is_growing(medians(series(seed, **kind))) for seed in SEEDS)


def test_a_leak_of_a_tenth_in_a_third_of_the_time_is_found():
    assert judged_to_grow(per_third=0.1) == len(SEEDS)
    assert judged_to_grow(per_third=0.1, noise=0.0) == len(SEEDS)


def test_noise_is_not_taken_for_growth():
    assert judged_to_grow() == 0
    assert judged_to_grow(noise=0.0) == 0
    assert judged_to_grow(noise=0.1) == 0


@pytest.mark.parametrize("when", [0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_what_rises_once_and_stays_is_no_leak(when):
    assert judged_to_grow(jump_at=when) == 0


def test_growth_while_everything_warms_up_is_not_judged():
    values = [100.0 + min(look, LOOKS // 3) for look in range(LOOKS)]

    assert not is_growing(medians(values))


def test_rows_that_are_kept_explain_a_size_as_far_as_they_need_it():
    kept = [float(look) for look in range(LOOKS)]
    explained = [2_000.0 + 1.5 * count for count in kept]
    leaking = [2_000.0 + 3.5 * count for count in kept]

    assert not is_growing(medians(without_kept(explained, kept, each=1.5)))
    assert is_growing(medians(without_kept(leaking, kept, each=1.5)))


def test_too_few_looks_have_no_parts():
    assert medians([1.0, 2.0, 3.0]) == []
    assert len(medians([1.0] * 6)) == 4


def soak_of(minutes, **figures) -> Soak:
    """As if it had looked at these figures; all others stay as they are."""
    soak = Soak(minutes)
    for look in range(LOOKS):
        steady = dict.fromkeys((*JUDGED, KEPT), 100.0)
        changed = {name: values[look] for name, values in figures.items()}
        soak.looks.append(Look(minutes * 60 * (look + 1) / LOOKS, steady | changed))
    return soak


def test_a_soak_names_what_grew_and_nothing_else():
    leaking = soak_of(30, **{INDEXES: series(1, per_third=0.1)})

    [told] = leaking.grown()

    assert told.startswith(f"{INDEXES}: ")
    assert soak_of(30).grown() == []


def test_a_soak_that_ends_while_indexes_still_fill_is_not_judged():
    assert not soak_of(3).is_long_enough
    assert soak_of(15).is_long_enough
