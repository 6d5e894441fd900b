"""Processing -> done, queued or failed: what becomes of a row, whatever its user, its worker and its neighbours do."""

from functools import partial

import pytest

from db.outcomes import Again, Failed, Found, Released
from tests.lifecycle_support import DONE, keys, wait_until
from tests.samples import Finding

pytest_plugins = ["tests.stage_support"]

LATER = 3600.0


def finding(row):
    return Found(rows=[Finding(name=row.values[1])])


def findings(stage):
    return stage.value("select count(*) from findings")


def submissions(stage):
    return stage.value("select count(*) from engine.submission")


def test_a_completed_row_has_its_done_word_its_results_and_no_error(stage):
    (row,) = stage.add(error="what went wrong the last time", result="nothing was there the last time")

    verdicts = stage.run(Found(rows=[Finding(name="a find")], values={"note": "noted"}))

    assert verdicts == {row: "completed"}
    assert (stage.row(row).status, stage.row(row).error, stage.row(row).result) == ("Done", None, None)
    assert (stage.row(row).note, findings(stage)) == ("noted", 1)
    assert stage.job(row) is None


def test_a_row_with_nothing_to_find_is_done_and_says_why(stage):
    (row,) = stage.add(error="what went wrong the last time")

    stage.run(Found(reason="the shop has\nclosed"))

    assert (stage.row(row).status, stage.row(row).error) == ("Done", None)
    assert stage.row(row).result == "the shop has closed"


def test_a_failed_attempt_goes_back_to_the_queue_and_is_no_submission_of_a_user(stage):
    (row,) = stage.add()
    before = submissions(stage)

    verdicts = stage.run(Again("no answer within 10 s", LATER))

    assert verdicts == {row: "retried"}
    assert (stage.row(row).status, stage.row(row).error) == ("Queued", "no answer within 10 s (attempt 1 of 3)")
    assert stage.value("select run_at > now() + interval '50 minutes' from engine.job")
    assert (stage.job(row).generation, stage.job(row).attempt, submissions(stage)) == (1, 1, before)
    assert keys(stage.claim()) == []


def test_a_row_that_fails_every_time_ends_as_a_dead_letter_with_its_history(stage):
    (row,) = stage.add()

    verdicts = [stage.run(Again("no answer", 0.0))[row] for _ in range(3)]

    assert verdicts == ["retried", "retried", "failed"]
    assert (stage.row(row).status, stage.row(row).error) == ("Failed", "no answer (attempt 3 of 3)")
    assert stage.user.execute("select pk, last_error from engine.failed").fetchall() == [(row, stage.row(row).error)]
    assert [error for (error,) in stage.user.execute("select error from engine.attempt order by id")] == [
        f"no answer (attempt {attempt} of 3)" for attempt in (1, 2, 3)
    ]
    assert stage.run() == {}


def test_a_dead_letter_that_is_queued_again_starts_afresh(stage):
    (row,) = stage.add()
    stage.run(Failed("it is hopeless"))

    stage.set(row, status="Queued")
    verdicts = stage.run(Again("no answer", LATER))

    assert verdicts == {row: "retried"}
    assert stage.row(row).error == "no answer (attempt 1 of 3)"


def test_a_row_that_is_given_up_fails_at_once(stage):
    (row,) = stage.add()

    verdicts = stage.run(Failed("the address is not a host name"))

    assert verdicts == {row: "failed"}
    assert stage.row(row).status == "Failed"
    assert stage.row(row).error == "the address is not a host name (attempt 1 of 3)"
    assert stage.job(row).dead


def test_asking_to_be_tried_later_burns_no_attempt_however_often(stage):
    (row,) = stage.add()

    verdicts = [stage.run(Again("the quota is used up", 1.0, counts=False))[row] for _ in range(5)]

    assert verdicts == ["retried"] * 5
    assert (stage.row(row).status, stage.row(row).error) == ("Queued", "the quota is used up")
    assert (stage.job(row).attempt, stage.job(row).dead) == (0, False)


def test_a_released_row_gets_its_attempt_back_keeps_its_error_and_is_due_at_once(stage):
    (row,) = stage.add()
    stage.run(Again("no answer", 0.0))

    verdicts = stage.run(Released())

    assert verdicts == {row: "released"}
    assert (stage.row(row).status, stage.row(row).error) == ("Queued", "no answer (attempt 1 of 3)")
    assert stage.job(row).attempt == 1
    assert keys(stage.claim()) == [row]


def test_a_row_that_is_queued_again_while_it_runs_runs_again_but_only_after_it_ended(stage):
    (row,) = stage.add()
    running = stage.claim()

    stage.set(row, status="Queued")
    meanwhile = stage.claim()
    ended = stage.record(running, finding)

    assert keys(meanwhile) == []
    assert ended[row].verdict == "superseded"
    assert (stage.row(row).status, findings(stage)) == ("Queued", 0)
    assert stage.run(finding) == {row: "completed"}
    assert (stage.row(row).status, findings(stage)) == ("Done", 1)


def test_a_row_that_is_queued_again_while_it_fails_has_all_its_attempts(stage):
    (row,) = stage.add()
    stage.run(Again("no answer", 0.0))
    running = stage.claim()

    stage.set(row, status="Queued")
    stage.record(running, Failed("it is hopeless"))

    assert (stage.row(row).status, stage.job(row).dead) == ("Queued", False)
    assert stage.claim().rows[0].attempt == 1


@pytest.mark.parametrize("outcome", [finding, Again("no answer", 0.0), Failed("hopeless"), Released()])
def test_what_a_user_writes_over_a_running_row_stays(stage, outcome):
    rows = stage.add(5)
    words = dict(zip(rows, ["Skipped", "Done", "Failed", None], strict=False))
    running = stage.claim()

    for row, word in words.items():
        stage.set(row, status=word, error="I know better")
    ended = stage.record(running, outcome)

    assert {row: ended[row].verdict for row in words} == dict.fromkeys(words, "cancelled")
    for row, word in words.items():
        assert (stage.row(row).status, stage.row(row).error, stage.job(row)) == (word, "I know better", None)
    assert ended[rows[4]].verdict != "cancelled"
    assert findings(stage) == (outcome is finding)


def test_the_results_of_a_row_that_was_deleted_while_it_ran_are_discarded(stage):
    deleted, other = stage.add(2)
    running = stage.claim()

    stage.delete(deleted)
    ended = stage.record(running, finding)

    assert (ended[deleted].verdict, ended[other].verdict) == ("deleted", "completed")
    assert (findings(stage), stage.job(deleted)) == (1, None)


def test_a_worker_that_lost_its_claim_writes_nothing(stage):
    lost, kept = stage.add(2)
    running = stage.claim()
    stage.set_job(lost, "token = null, worker_id = null")
    stage.set(lost, status="Queued")

    ended = stage.record(running, finding)

    assert (ended[lost].verdict, ended[kept].verdict) == ("stale", "completed")
    assert (stage.row(lost).status, stage.row(lost).note) == ("Queued", None)
    assert stage.user.execute("select name from findings").fetchall() == [(stage.row(kept).name,)]


def test_a_row_that_a_user_holds_is_recorded_when_the_user_lets_go(stage):
    held, free = stage.add(2)
    running, user = stage.claim(), stage.connect()

    with user.transaction():
        stage.set(held, by=user, note="still writing")
        first = stage.record(running, finding)
        meanwhile = stage.statuses([held, free])
    second = stage.record(running, finding)

    assert (first[held].verdict, first[free].verdict) == ("locked", "completed")
    assert meanwhile == ["Processing", "Done"]
    assert (second[held].verdict, second[free].verdict) == ("completed", "stale")
    assert (stage.row(held).status, stage.row(held).note, findings(stage)) == ("Done", "still writing", 2)


@pytest.mark.parametrize("outcome", [finding, Again("no answer", LATER), Failed("hopeless"), Released()])
def test_a_record_that_is_brought_twice_because_its_commit_was_in_doubt_changes_nothing(stage, outcome):
    (row,) = stage.add()
    running = stage.claim()
    stage.record(running, outcome)
    before = stage.row(row), stage.job(row), findings(stage)

    again = stage.record(running, outcome)

    assert again[row].verdict == "stale"
    assert (stage.row(row), stage.job(row), findings(stage)) == before


def test_a_user_may_act_on_a_row_at_any_moment_of_its_record(stage):
    for moment in range(1, 10):
        for word, end in (("Skipped", "Skipped"), ("Queued", "Done")):
            (row,) = stage.add()
            user = stage.bystander(lambda by, row=row, word=word: stage.set(row, by=by, status=word))
            running = stage.claim()

            record = partial(stage.record, running, finding, by=stage.interrupted(moment, user))
            wait_until(lambda record=record, row=row: record()[row].verdict != "locked")
            user.finish()

            assert stage.row(row).status == word
            assert stage.run(finding) == ({row: "completed"} if word == "Queued" else {})
            assert (stage.row(row).status, stage.job(row)) == (end, None)


@pytest.mark.parametrize("outcome", [DONE, Found(values={"note": "found"})])
def test_a_row_that_took_the_place_of_another_is_not_mistaken_for_it(stage, outcome):
    (edited,), others = stage.add(), stage.add(20)
    running = stage.claim(1)
    place = stage.row(edited).place
    stage.set(edited, host="moves the row to another place on its page")
    stage.user.execute("vacuum samples")
    stage.claim()
    assert place in {stage.row(other).place for other in others}

    ended = stage.record(running, outcome)

    assert ended[edited].verdict == "completed"
    assert (stage.row(edited).status, stage.row(edited).note) == ("Done", outcome.values.get("note"))
    assert {(stage.row(other).status, stage.row(other).note) for other in others} == {("Processing", None)}
