"""The user may write any status at any time, delete rows and hold locks; the engine gives way."""

import psycopg
import pytest

from tests.process_support import Ledger, stays, wait_for_workers, wait_until


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return Ledger(tmp_path_factory.mktemp("ledger") / "ledger")


@pytest.fixture(scope="module")
def worker(shared_samples, ledger, shared_processes):
    worker = shared_processes.start(
        "tests.sample_worker", DATABASE_URL=shared_samples, SAMPLE_LEDGER=str(ledger.path), SCRAPERSKY_THREADS="2"
    )
    with psycopg.connect(shared_samples, autocommit=True) as connection:
        wait_for_workers(connection, worker)
    return worker


@pytest.fixture
def samples(worker, ledger, shared_samples):
    """Without the rows and runs of earlier tests."""
    ledger.clear()
    with psycopg.connect(shared_samples, autocommit=True) as connection:
        connection.execute("truncate samples, findings, engine.job")
    return shared_samples


def began(ledger, name):
    return [pid for what, pid in ledger.lines(name) if what == "began"]


def test_a_row_that_is_queued_again_while_it_runs_runs_again_when_the_first_run_has_ended(worker, rows, ledger, gate):
    rows.add("a", f"gate {gate}", status="Queued")
    wait_until(lambda: began(ledger, "a"))

    rows.queue("a")
    waits_for_its_first_run = stays(lambda: len(began(ledger, "a")) == 1 and rows.status("a") == "Queued", 1)
    gate.touch()
    rows.wait_for("Done", "a")

    assert waits_for_its_first_run
    assert [what for what, _ in ledger.lines("a")] == ["began", "ended", "began", "ended"]
    assert rows.findings("a") == 1


def test_a_row_that_is_queued_ten_times_while_it_runs_runs_once_more(worker, rows, ledger, gate):
    rows.add("a", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "a")

    for _ in range(10):
        rows.set("Skipped", "a")
        rows.queue("a")
    gate.touch()
    rows.wait_for("Done", "a")

    assert stays(lambda: len(began(ledger, "a")) == 2, 0.5)


def test_a_row_that_is_withdrawn_while_queued_is_never_run(worker, rows, ledger):
    rows.pause(paused=True)
    rows.add("a", status="Queued")
    rows.add("b", status="Queued")

    rows.set("Skipped", "a")
    rows.pause(paused=False)
    rows.wait_for("Done", "b")

    assert rows.status("a") == "Skipped"
    assert began(ledger, "a") == []
    wait_until(lambda: rows.job("a") is None)


def test_the_result_of_a_row_that_is_cancelled_while_it_runs_is_discarded(worker, rows, ledger, gate):
    rows.add("a", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "a")

    rows.set("Skipped", "a")
    gate.touch()
    wait_until(lambda: rows.job("a") is None)

    assert rows.status("a") == "Skipped"
    assert rows.row("a").note is None
    assert rows.findings("a") == 0


def test_a_row_that_is_deleted_while_it_runs_leaves_nothing_behind(worker, rows, user, gate):
    rows.add("a", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "a")

    user.execute("delete from samples where name = 'a'")
    gate.touch()
    wait_until(lambda: user.execute("select count(*) from engine.job").fetchone() == (0,))
    rows.add("b", status="Queued")
    rows.wait_for("Done", "b")

    assert rows.findings("a") == 0


def test_a_row_that_a_user_holds_locked_finishes_after_the_commit_and_others_do_not_wait(worker, rows, samples, gate):
    rows.add("locked", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "locked")

    with psycopg.connect(samples) as other:
        other.execute("update samples set urgency = 7 where name = 'locked'")
        gate.touch()
        rows.add_many("other", 20)
        rows.queue(*[f"other-{number + 1}" for number in range(20)])
        rows.wait_for("Done", *[f"other-{number + 1}" for number in range(20)])
        while_it_was_locked = rows.status("locked")
    rows.wait_for("Done", "locked")

    assert while_it_was_locked == "Processing"
    assert rows.row("locked").urgency == 7
    assert rows.findings("locked") == 1


def test_a_queued_row_that_a_user_holds_locked_starts_after_the_commit_and_others_do_not_wait(worker, rows, samples):
    rows.pause(paused=True)
    rows.add("locked", status="Queued")

    with psycopg.connect(samples) as other:
        other.execute("select from samples where name = 'locked' for update")
        rows.pause(paused=False)
        rows.add_many("other", 20)
        rows.queue(*[f"other-{number + 1}" for number in range(20)])
        rows.wait_for("Done", *[f"other-{number + 1}" for number in range(20)])
        while_it_was_locked = rows.status("locked")
    rows.wait_for("Done", "locked")

    assert while_it_was_locked == "Queued"


def test_a_row_that_is_cancelled_in_an_open_transaction_keeps_the_users_word(worker, rows, samples, gate):
    rows.add("a", f"gate {gate}", status="Queued")
    rows.wait_for("Processing", "a")

    with psycopg.connect(samples) as other:
        other.execute("update samples set status = 'Skipped' where name = 'a'")
        gate.touch()
        wait_until(lambda: "record.locked" in worker.output())
    wait_until(lambda: rows.job("a") is None)

    assert rows.status("a") == "Skipped"
    assert rows.findings("a") == 0
