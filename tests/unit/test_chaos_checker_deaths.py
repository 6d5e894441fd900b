"""What the checker makes of killed, frozen and living workers, on ledgers made by hand."""

import pytest

from tests.chaos.checker import check
from tests.chaos.promises import Promises
from tests.chaos.verdict import percentile
from tests.chaos_ledger_support import Script, named

WORKER, AGAIN, OTHER = named("worker"), named("the worker under a new id"), named("other")
PID, OTHER_PID = 4711, 4712


def running() -> Script:
    history = Script().registered(WORKER, PID).registered(OTHER, OTHER_PID)
    return history.inserted("Queued").claimed(WORKER)


def taken_over(history: Script) -> Script:
    return history.unregistered(WORKER).recovered(WORKER)


def test_a_row_of_a_killed_worker_is_run_again_and_its_recovery_is_timed():
    history = running().note("kill", PID).wait(1)

    verdict = check(taken_over(history).wait(2).claimed(OTHER).completed(OTHER).entries)

    assert verdict.is_clean, verdict.examples()
    assert (verdict.kills, verdict.recoveries, verdict.false_deaths) == (1, 1, 0)
    assert verdict.given_back_seconds == [pytest.approx(1, abs=0.1)]
    assert verdict.rerun_seconds == [pytest.approx(3, abs=0.1)]


def test_a_row_taken_from_a_worker_that_lives_is_overlapping():
    history = taken_over(running()).registered(AGAIN, PID)

    verdict = check(history.claimed(OTHER).completed(OTHER).entries)

    assert verdict.violations == {**check([]).violations, "overlapping": 1}
    assert verdict.false_deaths == 1


def test_a_row_taken_from_a_frozen_worker_is_not_overlapping():
    history = taken_over(running().note("freeze", PID).wait(5)).note("thaw", PID).registered(AGAIN, PID)

    verdict = check(history.claimed(OTHER).completed(OTHER).entries)

    assert verdict.is_clean, verdict.examples()
    assert verdict.freezes == 1


def test_a_worker_that_was_thawed_long_ago_is_alive():
    history = taken_over(running().note("freeze", PID).note("thaw", PID).wait(60)).registered(AGAIN, PID)

    assert len(check(history.claimed(OTHER).completed(OTHER).entries).overlapping) == 1


def test_a_worker_that_was_killed_before_the_last_lease_is_dead_even_if_its_number_is_used_again():
    history = taken_over(running().note("kill", PID).wait(60)).registered(AGAIN, PID)

    assert check(history.claimed(OTHER).completed(OTHER).entries, Promises()).is_clean


def test_a_worker_that_left_by_itself_is_not_a_false_death():
    history = running().unregistered(WORKER, "scrapersky heart").recovered(WORKER).registered(AGAIN, PID)

    verdict = check(history.claimed(OTHER).completed(OTHER).entries)

    assert verdict.is_clean, verdict.examples()


def test_a_claim_that_another_worker_ends_is_unexpected():
    history = running().connected(WORKER).connected(OTHER)
    with history.transaction():
        history.ended(WORKER, by=OTHER).effect().engine("Processing", "Done")

    assert check(history.entries).violations == {**check([]).violations, "unexpected": 1}


def test_a_claim_that_its_process_ends_under_a_new_id_is_clean():
    history = running().registered(AGAIN, PID).connected(AGAIN)
    with history.transaction():
        history.ended(WORKER, by=AGAIN).effect().engine("Processing", "Done")

    assert check(history.entries).is_clean


def test_results_that_came_too_late_are_counted():
    assert check(running().completed(WORKER).note("refused").note("refused").entries).refused == 2


def test_percentiles_are_values_that_occurred():
    assert percentile([], 0.5) is None
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([float(number) for number in range(100)], 0.99) == 99.0
