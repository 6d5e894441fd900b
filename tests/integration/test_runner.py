"""What a runner claims it also runs, or gives back."""

from datetime import timedelta

from actors._workflow import Found, Politeness
from actors.domain_metadata import domain_metadata
from tests.web_support import LocalWeb, Reply, client_for

pytest_plugins = ["tests.stage_support", "tests.runner_support"]


def test_a_slice_that_ends_with_only_spared_rows_leaves_no_row_in_processing(stage_with, run_once):
    politeness = Politeness(column="host", group="web", spacing=timedelta(0))
    stage = stage_with(politeness=politeness)
    stage.recorder.rest(stage.engine, {"web:busy.example": 3600.0})
    (spared,) = stage.add(host="busy.example")
    (free,) = stage.add(host="free.example")

    run_once(stage.url, stage.workflow, time_slice=1e-6)

    assert stage.row(spared).status == "Queued"
    assert stage.row(free).status in {"Queued", "Done"}


def test_a_host_that_asks_for_patience_gets_it_and_the_attempt_counts(database, db, run_once):
    db.execute("insert into domains (domain, status) values ('smile-studio.com', 'pending')")
    with LocalWeb({"https://smile-studio.com/": Reply(429, headers={"Retry-After": "600"})}) as local:
        run_once(database, domain_metadata, client=client_for(local))

    status, error = db.execute("select status, status_error from domains").fetchone()
    assert (status, error.endswith("(attempt 1 of 5)")) == ("pending", True)
    waits = db.execute("select run_at > now() + interval '9 minutes' from engine.job").fetchone()
    rests = db.execute("select next_start > now() + interval '9 minutes' from engine.pace").fetchone()
    assert (waits, rests) == ((True,), (True,))


def test_rows_are_recorded_while_another_process_has_its_turn_to_claim_under_an_operators_limit(stage, run_once):
    stage.user.execute("update engine.workflow set max_in_flight = 5 where name = 'sampling'")
    (row,) = stage.add()

    def run_while_another_claims(_row):
        stage.user.execute("begin; select from engine.lock where name = 'workflow sampling' for update")
        return Found()

    stage.workflow.function = run_while_another_claims
    run_once(stage.url, stage.workflow)

    assert stage.row(row).status == "Done"


def test_a_claim_tells_whether_claims_come_in_turns(stage):
    without_a_limit = stage.claim()
    stage.user.execute("update engine.workflow set per_minute = 5 where name = 'sampling'")
    with_a_limit = stage.claim()

    assert (without_a_limit.in_turns, with_a_limit.in_turns) == (False, True)
