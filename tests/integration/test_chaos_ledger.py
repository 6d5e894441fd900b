"""The ledger of the chaos runs on a real database: its triggers see what the engine and users do, and nothing else."""

import pytest

from tests.chaos.checker import check
from tests.chaos.controls.traces import create_trace_table
from tests.chaos.ledger import Note, install, intend, note_kill, read, write_notes
from tests.lifecycle_support import Stage

pytest_plugins = ["tests.stage_support"]


@pytest.fixture
def watched(stage) -> Stage:
    """A stage with a ledger, whose engine connection has the name of a worker's."""
    create_trace_table(stage.url)
    install(stage.user, effects="traces")
    stage.engine.execute("set application_name = 'scrapersky worker'")
    return stage


def kinds(stage) -> list[tuple[str, str | None, str | None]]:
    return [(entry.kind, entry.before, entry.after) for entry in read(stage.user) if entry.pk]


def queue(stage) -> str:
    with stage.user.transaction():
        (pk,) = stage.add(action="nothing")
        intend(stage.user, pk, "queue")
    return pk


def test_a_row_that_is_queued_claimed_and_completed_leaves_its_whole_history(watched):
    queue(watched)
    watched.run()

    assert kinds(watched) == [
        ("inserted", None, "Queued"),
        ("intent", None, "queue"),
        ("claimed", None, None),
        ("status", "Queued", "Processing"),
        ("ended", None, "gone"),
        ("status", "Processing", "Done"),
    ]
    assert check(read(watched.user)).is_clean


def test_what_was_rolled_back_never_happened(watched):
    with watched.user.transaction(force_rollback=True):
        queue(watched)

    assert kinds(watched) == []


def test_a_user_who_goes_past_the_triggers_is_seen(watched):
    with watched.user.transaction():
        watched.user.execute("set local session_replication_role = replica")
        watched.add()

    assert kinds(watched) == [("inserted", None, "Queued")]
    assert watched.value("select count(*) from engine.job") == 0


def test_a_claim_that_is_given_back_at_once_is_no_claim(watched):
    pk = queue(watched)
    with watched.connect() as other, other.transaction():
        other.execute("select 1 from samples where id::text = %s for update", [pk])
        assert not watched.claim().rows

    verdict = check(read(watched.user), is_quiet=False)

    assert verdict.is_clean, verdict.examples()
    assert verdict.claims == 0


def test_a_claim_that_replaces_another_is_overlapping(watched):
    queue(watched)
    watched.claim()
    watched.engine.execute("update engine.job set token = gen_random_uuid()")

    assert len(check(read(watched.user), is_quiet=False).overlapping) == 1


def test_an_effect_outside_of_a_completion_is_unexpected(watched):
    queue(watched)
    batch = watched.claim()
    query = "insert into traces (run, sample_id, pid, began) values (gen_random_uuid(), %s, 1, now())"
    watched.engine.execute(query, [batch.rows[0].pk])
    watched.record(batch)

    assert len(check(read(watched.user)).unexpected) == 1


def test_what_the_harness_did_and_when_stands_beside_it(watched):
    note_kill(watched.user, 4711)
    write_notes(watched.user, [Note("failure", text="deadlock detected"), Note("refused")])

    verdict = check(read(watched.user))

    assert (verdict.kills, verdict.refused, len(verdict.users_failed)) == (1, 1, 1)
