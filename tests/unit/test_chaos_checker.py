"""The checker of the chaos runs on ledgers made by hand: a clean one is clean, and each thing broken in it is found."""

import pytest

from tests.chaos.checker import check
from tests.chaos.promises import Promises
from tests.chaos_ledger_support import SWEEPER, Script, named
from tests.chaos_ledger_support import WORKER as WORKING

WORKER, OTHER = named("worker"), named("other")


def completed() -> Script:
    """The shortest good history: a user queues a row, a worker claims and completes it."""
    return Script().inserted("Queued").claimed(WORKER).completed(WORKER)


def test_a_clean_history_is_clean_and_counted():
    verdict = check(completed().entries)

    assert verdict.is_clean, verdict.examples()
    assert (verdict.rows, verdict.requests, verdict.claims, verdict.completions) == (1, 1, 1, 1)


def test_an_empty_ledger_is_clean():
    assert check([]).is_clean


@pytest.mark.parametrize(
    ("missing", "kind"),
    [
        ("intent", "unexpected"),
        ("claimed", "unexpected"),
        ("ended", "unexpected"),
        ("inserted", "unexpected"),
    ],
)
def test_each_entry_of_a_clean_history_is_missed_when_it_is_taken_away(missing, kind):
    entries = [entry for entry in completed().entries if entry.kind != missing]

    assert check(entries).violations[kind] > 0


def eventful() -> Script:
    """Everything that may happen to a row, and none of it wrong."""
    history = Script(action="fail").registered(WORKER, 1).registered(OTHER, 2)
    history.inserted(None).set(None, "Queued").touched(OTHER)
    history.claimed(WORKER).retried(WORKER).claimed(WORKER).note("kill", 1)
    history.unregistered(WORKER).recovered(WORKER).claimed(OTHER).set("Processing", "Queued").ended(
        OTHER, after="waiting"
    )
    history.claimed(OTHER).completed(OTHER)
    history.set("Done", "Queued").claimed(OTHER).set("Processing", "Skipped").ended(OTHER)
    history.set("Skipped", "Queued")
    for _ in range(2):
        history.claimed(OTHER).retried(OTHER)
    history.claimed(OTHER).died(OTHER)
    return history.set("Failed", "Queued").claimed(OTHER).deleted("Processing").ended(OTHER)


def test_an_eventful_history_is_clean():
    verdict = check(eventful().entries)

    assert verdict.is_clean, verdict.examples()
    assert (verdict.requests, verdict.claims, verdict.completions, verdict.dead_letters) == (5, 9, 1, 1)


def of_the_row(entries):
    return [number for number, entry in enumerate(entries) if entry.pk]


def of_the_engine(entries):
    return [number for number in of_the_row(entries) if entries[number].who.startswith("scrapersky")]


@pytest.mark.parametrize("number", of_the_row(eventful().entries))
def test_no_entry_of_an_eventful_history_can_be_taken_away_unnoticed(number):
    entries = eventful().entries

    without = check([*entries[:number], *entries[number + 1 :]])

    assert without != check(entries)


@pytest.mark.parametrize("number", of_the_engine(eventful().entries))
def test_nothing_that_the_engine_did_can_be_done_once_more_unnoticed(number):
    entries = eventful().entries
    once_more = entries[number]._replace(id=entries[-1].id + 1, xid=entries[-1].xid + 1)

    assert not check([*entries, once_more]).is_clean


def test_to_queue_what_is_queued_already_asks_for_nothing_more():
    verdict = check(Script().inserted("Queued").set("Queued", "Queued").claimed(WORKER).completed(WORKER).entries)

    assert verdict.is_clean, verdict.examples()
    assert verdict.requests == 1


def test_a_row_that_nobody_ran_is_lost_once_the_run_is_quiet():
    entries = Script().inserted("Queued").entries

    assert check(entries).violations == {**check([]).violations, "lost": 1}
    assert check(entries, is_quiet=False).is_clean


def test_a_row_whose_claim_never_ended_is_lost():
    entries = Script().inserted("Queued").claimed(WORKER).entries

    assert len(check(entries).lost) == 2


def test_a_row_that_was_queued_again_while_it_ran_is_lost_when_it_is_not_run_again():
    running = Script().inserted("Queued").claimed(WORKER).set("Processing", "Queued").ended(WORKER)

    assert [str(one) for one in check(running.entries).lost] == ["row: request 2 was never answered"]
    assert check(running.claimed(OTHER).completed(OTHER).entries).is_clean


def test_a_second_claim_while_the_first_is_open_is_overlapping():
    entries = Script().inserted("Queued").claimed(WORKER).claimed(OTHER).completed(OTHER).entries

    assert len(check(entries).overlapping) == 1


def test_a_claim_that_its_own_transaction_gives_back_is_none():
    history = Script().inserted("Queued").touched(WORKER).claimed(OTHER).touched(WORKER).completed(OTHER)

    verdict = check(history.entries)

    assert verdict.is_clean, verdict.examples()
    assert verdict.claims == 1


def test_a_row_may_be_given_back_and_claimed_again_in_one_transaction():
    verdict = check(Script().inserted("Queued").claimed(WORKER, times=3).completed(WORKER).entries)

    assert verdict.is_clean, verdict.examples()
    assert verdict.claims == 1


def test_a_result_that_is_written_twice_is_duplicated():
    again = completed().effect()
    same_run = completed().effect(change="update")

    assert check(again.entries).violations == {**check([]).violations, "duplicated": 1}
    assert check(same_run.entries).violations == {**check([]).violations, "duplicated": 1}


def test_two_results_in_one_completion_are_duplicated():
    history = Script().inserted("Queued").claimed(WORKER)
    with history.transaction():
        history.ended(WORKER).effect().effect().engine("Processing", "Done")

    assert check(history.entries).violations == {**check([]).violations, "duplicated": 1}


def test_a_result_without_a_completion_is_unexpected():
    history = Script().inserted("Queued").claimed(WORKER).effect().completed(WORKER)

    assert check(history.entries).violations == {**check([]).violations, "unexpected": 1}


def test_a_completion_without_a_request_is_unexpected():
    history = Script().inserted(None).claimed(WORKER).completed(WORKER)

    assert check(history.entries).violations["unexpected"] > 0


def test_a_result_of_a_run_whose_claim_was_gone_is_unexpected():
    recovered = Script().registered(WORKER, 1).registered(OTHER, 2).inserted("Queued").claimed(WORKER).recovered(WORKER)
    recovered.claimed(OTHER)
    with recovered.transaction():
        recovered.ended(OTHER).effect(pid=1).engine("Processing", "Done")

    assert check(recovered.entries).violations == {**check([]).violations, "unexpected": 1}


def test_a_result_of_a_run_that_began_before_its_claim_is_unexpected():
    history = Script().inserted("Queued")
    began = history.now
    history.claimed(WORKER)
    with history.transaction():
        history.ended(WORKER).effect(began=began.isoformat()).engine("Processing", "Done")

    assert check(history.entries).violations == {**check([]).violations, "unexpected": 1}


def test_a_cancelled_row_that_is_run_violates_an_intent():
    history = Script().inserted("Queued").set("Queued", "Skipped").claimed(WORKER, before="Skipped").ended(WORKER)

    assert check(history.entries).violations == {**check([]).violations, "intents_violated": 1}


def test_a_change_that_nobody_wrote_down_is_unexpected():
    history = Script().inserted("Queued").claimed(WORKER).set("Done", "Queued").claimed(OTHER)

    assert [str(one) for one in check(history.entries).unexpected] == ["row: Processing became Done unseen"]


def test_a_row_that_is_completed_without_its_result_is_lost():
    history = Script().inserted("Queued").claimed(WORKER)
    with history.transaction():
        history.ended(WORKER).engine("Processing", "Done")

    assert [str(one) for one in check(history.entries).lost] == ["row: completed without its result"]
    assert check(history.entries, Promises(silent=frozenset({"find"}))).is_clean


@pytest.mark.parametrize("word", ["Done", "Failed", "Queued", "Processing"])
def test_a_value_of_a_user_that_the_engine_overwrites_violates_an_intent(word):
    running = Script().inserted("Queued").claimed(WORKER).set("Processing", "Skipped")
    with running.transaction():
        running.ended(WORKER).engine("Skipped", word)

    assert check(running.entries).violations == {**check([]).violations, "intents_violated": 1}


def test_a_request_of_a_user_that_the_engine_answers_with_an_old_result_violates_an_intent():
    running = Script().inserted("Queued").claimed(WORKER).set("Processing", "Queued")
    with running.transaction():
        running.ended(WORKER).effect().engine("Queued", "Done")

    assert len(check(running.entries).intents_violated) == 1


def test_a_row_that_was_deleted_while_it_ran_is_clean_when_nothing_comes_of_it():
    running = Script().inserted("Queued").claimed(WORKER).deleted("Processing").ended(WORKER)

    assert check(running.entries).is_clean
    assert check(running.effect().entries).violations == {**check([]).violations, "unexpected": 1}


def test_a_row_that_the_engine_deletes_violates_an_intent():
    assert check(completed().engine("Done", None, kind="deleted").entries).violations["intents_violated"] == 1


def test_a_statement_of_a_user_that_failed_because_of_the_engine_is_told():
    history = completed().note("failure", text="deadlock detected")

    assert [str(one) for one in check(history.entries).users_failed] == ["deadlock detected"]


def test_a_ledger_out_of_order_is_refused():
    entries = completed().entries

    with pytest.raises(ValueError, match="not sorted"):
        check(entries[::-1])
    with pytest.raises(ValueError, match="not sorted"):
        check([*completed().entries, *Script("another").inserted("Queued").entries])


class TestDeadLetters:
    promises = Promises(max_attempts=3, max_lost=2)

    def causeless(self, history: Script) -> list[str]:
        return [str(one) for one in check(history.entries, self.promises).causeless]

    def dead(self, action: str, *, failures: int, losses: int) -> list[str]:
        history = Script(action=action).inserted("Queued")
        ends = [WORKING] * failures + [SWEEPER] * losses
        for who in ends[:-1]:
            history.claimed(WORKER).retried(WORKER, who)
        return self.causeless(history.claimed(WORKER).died(WORKER, ends[-1]))

    def test_one_that_failed_or_was_lost_as_often_as_allowed_has_a_cause(self):
        assert self.dead("fail", failures=3, losses=0) == []
        assert self.dead("find", failures=0, losses=2) == []
        assert self.dead("kill", failures=1, losses=2) == []
        assert self.dead("give-up now", failures=1, losses=0) == []

    def test_one_that_came_too_early_has_none(self):
        assert len(self.dead("fail", failures=2, losses=0)) == 1
        assert len(self.dead("find", failures=0, losses=1)) == 1

    def test_an_innocent_row_has_no_cause_but_lost_workers(self):
        assert self.dead("find", failures=3, losses=0) == ["row: a dead letter (find) after 3 attempts, 0 of them lost"]

    def test_a_row_that_is_queued_again_begins_anew(self):
        history = Script().inserted("Queued").claimed(WORKER).recovered(WORKER).set("Queued", "Skipped")
        history.set("Skipped", "Queued")
        history.generation = 2

        assert len(self.causeless(history.claimed(WORKER).died(WORKER, SWEEPER))) == 1

    def test_a_row_that_is_queued_again_past_the_trigger_keeps_its_count(self):
        history = Script().inserted("Queued").claimed(WORKER).recovered(WORKER).set("Queued", "Skipped")
        history.set("Skipped", "Queued")

        assert self.causeless(history.claimed(WORKER).died(WORKER, SWEEPER)) == []

    def test_a_row_that_was_done_in_between_begins_anew(self):
        history = Script().inserted("Queued").claimed(WORKER).recovered(WORKER).claimed(WORKER).completed(WORKER)
        history.set("Done", "Queued")

        assert len(self.causeless(history.claimed(WORKER).died(WORKER, SWEEPER))) == 1
