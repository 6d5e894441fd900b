"""One row that the database does not let the engine change: it waits alone with its reason, and the others go on."""

import pytest

from db.outcomes import Again, Failed, Found
from tests.lifecycle_support import guarded, keys

pytest_plugins = ["tests.stage_support", "tests.runner_support"]

REFUSE_EVERY_UPDATE = """
create function refuse() returns trigger language plpgsql as $$
begin
    if {condition} then raise exception 'this row is a monument' {code}; end if;
    return new;
end $$;
create {kind} trigger refuse {when} on samples {timing} for each row execute function refuse();
"""


def refuse(stage, *, condition="new.note = 'bad'", code="", kind="", timing="", when="before update"):
    """A user's trigger that raises for some rows."""
    text = REFUSE_EVERY_UPDATE.format(condition=condition, code=code, kind=kind, timing=timing, when=when)
    stage.user.execute(text.encode())


def add_check(stage):
    stage.user.execute("alter table samples add constraint no_bad check (note is distinct from 'bad') not valid")


DROP_CHECK = "alter table samples drop constraint no_bad"
WAYS_TO_REFUSE = {
    "a check that came later": add_check,
    "a trigger": refuse,
    "a trigger with an error code of its own": lambda stage: refuse(stage, code="using errcode = 'U0815'"),
    "a trigger that refuses at the commit": lambda stage: refuse(
        stage, kind="constraint", timing="deferrable initially deferred", when="after update"
    ),
}


def with_bad(stage, good=200):
    """A bad row in the middle of good ones."""
    before, (bad,), after = stage.add(good // 2), stage.add(note="bad"), stage.add(good - good // 2)
    return bad, before + after


def claim_row_by_row(stage, size=100):
    with guarded(stage.engine):
        return stage.claimer.claim(stage.engine, stage.worker, size, row_by_row=True)


@pytest.mark.parametrize("way", WAYS_TO_REFUSE)
def test_two_hundred_rows_finish_beside_one_that_can_not_be_claimed(stage_with, run_once, way):
    stage = stage_with()
    bad, good = with_bad(stage)
    WAYS_TO_REFUSE[way](stage)

    run_once(stage.url, stage.workflow, time_slice=10)

    assert set(stage.statuses(good)) == {"Done"}
    job = stage.job(bad)
    assert (stage.row(bad).status, job.token, job.attempt, job.unwritable) == ("Queued", None, 0, 1)
    assert job.last_error.startswith("it can not be set to Processing: ")
    assert stage.value("select count(*) from engine.job") == 1


def test_the_pause_of_an_unwritable_row_grows_and_ends_when_it_can_be_written(stage_with):
    stage = stage_with()
    (bad,) = stage.add(note="bad")
    add_check(stage)

    pauses = []
    for _ in range(9):
        stage.set_job(bad, "run_at = now()")
        assert keys(claim_row_by_row(stage)) == []
        pauses.append(stage.value("select round(extract(epoch from run_at - clock_timestamp())) from engine.job"))

    assert pauses == [10, 20, 40, 80, 160, 320, 600, 600, 600]
    stage.user.execute(DROP_CHECK)
    stage.set_job(bad, "run_at = now()")
    assert keys(stage.claim()) == [bad]


def test_the_reason_is_told_where_people_look(stage_with):
    stage = stage_with()
    (bad,) = stage.add(note="bad")
    refuse(stage)

    claim_row_by_row(stage)

    assert "this row is a monument" in stage.value("select last_error from engine.waiting")
    assert "this row is a monument" in stage.value("select error from engine.attempt where outcome = 'unwritable'")
    assert stage.value("select code from engine.explain('samples', %s)", bad) == "unwritable"
    assert "this row is a monument" in stage.value("select engine.why('samples', %s)", bad)


def test_a_claim_without_a_bad_row_needs_no_savepoint(stage_with):
    stage = stage_with()
    stage.add(3)
    refuse(stage)
    sent = []

    class Listening(type(stage.engine)):
        def execute(self, query, *arguments, **options):
            sent.append(query)
            return super().execute(query, *arguments, **options)

        def transaction(self, *arguments, **options):
            sent.append("savepoint")
            return super().transaction(*arguments, **options)

    connection = stage.connect(Listening)
    with connection.transaction():
        sent.clear()
        stage.claimer.claim(connection, stage.worker, 10)

    assert "savepoint" not in sent
    assert sent == [stage.claimer.sql["take_batch"]]


@pytest.mark.parametrize("outcome", [Found(), Again("not yet", 0.0), Failed("no")])
@pytest.mark.parametrize("way", WAYS_TO_REFUSE)
def test_a_row_that_becomes_unwritable_while_it_runs_loses_its_claim_and_not_its_neighbours(stage_with, way, outcome):
    stage = stage_with()
    bad, good = with_bad(stage, 20)
    running = stage.claim()
    WAYS_TO_REFUSE[way](stage)

    endings = stage.record(running, outcome, check_at_once=True)

    assert endings[bad].verdict == "unwritable"
    assert {endings[pk].verdict for pk in good} <= {"completed", "retried", "failed"}
    job = stage.job(bad)
    assert (stage.row(bad).status, job.token, job.unwritable) == ("Processing", None, 1)
    assert stage.value("select code from engine.explain('samples', %s)", bad) == "unwritable"


def test_a_result_refused_at_the_commit_fails_its_own_row_alone(stage_with, run_once):
    stage = stage_with()
    (bad,), good = stage.add(note="spoilt", action="find"), stage.add(30)
    refuse(
        stage,
        condition="new.status = 'Done' and old.note = 'spoilt'",
        kind="constraint",
        timing="deferrable initially deferred",
        when="after update",
    )

    run_once(stage.url, stage.workflow, time_slice=10)

    assert set(stage.statuses(good)) == {"Done"}
    assert "monument" in stage.row(bad).error
    assert stage.value("select count(*) from engine.job where token is not null") == 0


@pytest.mark.parametrize("way", WAYS_TO_REFUSE)
def test_the_sweep_queues_orphans_beside_one_that_can_not_be_updated(stage_with, way):
    stage = stage_with()
    bad, good = with_bad(stage, 20)
    stage.claim()
    stage.user.execute("delete from engine.job")
    WAYS_TO_REFUSE[way](stage)

    swept = stage.sweeper().sweep("sampling", whole=True)

    assert swept.orphaned_rows == len(good)
    assert set(stage.statuses(good)) == {"Queued"}
    assert (stage.row(bad).status, stage.job(bad).unwritable) == ("Processing", 1)
    assert stage.value("select code from engine.explain('samples', %s)", bad) == "unwritable"

    stage.user.execute("alter table samples disable trigger refuse" if "trigger" in way else DROP_CHECK)
    assert stage.sweeper().sweep("sampling", whole=True).orphaned_rows == 1
    assert (stage.row(bad).status, stage.job(bad).unwritable) == ("Queued", None)


@pytest.mark.parametrize("way", WAYS_TO_REFUSE)
def test_the_sweep_ends_the_claims_of_the_dead_beside_one_that_can_not_be_updated(stage_with, way):
    stage = stage_with()
    bad, good = with_bad(stage, 20)
    doomed = stage.register_worker()
    stage.claim(worker=doomed)
    WAYS_TO_REFUSE[way](stage)
    stage.bury(doomed)

    stage.sweeper().sweep("sampling", whole=True)

    assert set(stage.statuses(good)) == {"Queued"}
    assert stage.job(bad).token is None
    assert stage.row(bad).status == "Processing"


def test_no_claim_takes_an_unwritable_row_in_progress_for_withdrawn(stage_with):
    stage = stage_with()
    (bad,) = stage.add(note="bad")
    running = stage.claim()
    refuse(stage)
    assert stage.record(running, Again("not yet", 0.0), check_at_once=True)[bad].verdict == "unwritable"

    for times in (1, 2, 3):
        stage.set_job(bad, "run_at = run_at - interval '11 minutes'")  # longer than the longest pause of a queued one
        assert keys(claim_row_by_row(stage)) == []
        job = stage.job(bad)
        assert (job.attempt, job.unwritable) == (1, times)
        assert "this row is a monument" in job.last_error
        stage.sweeper().sweep("sampling", whole=True)

    stage.user.execute("alter table samples disable trigger refuse")
    assert stage.sweeper().sweep("sampling", whole=True).orphaned_rows == 1
    assert [row.attempt for row in stage.claim().rows] == [2]
