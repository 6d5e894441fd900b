"""What the user's transaction does by itself when a status becomes queued."""

import pytest
from psycopg.errors import CheckViolation

from tests.trigger_support import jobs, priorities, submissions

pytest_plugins = ["tests.trigger_fixtures"]


def test_an_update_to_queued_makes_one_job_of_the_first_generation(samples):
    samples.execute("update samples set status = 'Queued' where name = 'ann'")

    assert jobs(samples) == [("ann", 1)]


def test_an_insert_of_a_queued_row_makes_a_job(samples):
    samples.execute("insert into samples (name, status) values ('cid', 'Queued'), ('dan', 'Done'), ('eve', null)")

    assert jobs(samples) == [("cid", 1)]


def test_both_branches_of_an_upsert_make_jobs(samples, bells):
    samples.execute(
        "insert into samples (name, status) values ('ann', 'Queued'), ('cid', 'Queued') "
        "on conflict (name) do update set status = excluded.status"
    )

    assert jobs(samples) == [("ann", 1), ("cid", 1)]
    assert bells() == ["sampling"]


def test_both_branches_of_a_merge_make_jobs(samples, bells):
    samples.execute(
        "merge into samples using (values ('ann'), ('cid')) as wanted (name) on samples.name = wanted.name "
        "when matched then update set status = 'Queued' "
        "when not matched then insert (name, status) values (wanted.name, 'Queued')"
    )

    assert jobs(samples) == [("ann", 1), ("cid", 1)]
    assert bells() == ["sampling"]


def test_copy_makes_jobs(samples, bells):
    with samples.cursor().copy("copy samples (name, status) from stdin") as copy:
        copy.write_row(("cid", "Queued"))
        copy.write_row(("dan", None))
        copy.write_row(("eve", "Queued"))

    assert jobs(samples) == [("cid", 1), ("eve", 1)]
    assert bells() == ["sampling"]


def test_a_thousand_rows_are_a_thousand_jobs_one_submission_and_one_bell(samples, bells):
    samples.execute("insert into samples (name) select 'row ' || number from generate_series(1, 998) as number")

    samples.execute("update samples set status = 'Queued'")

    assert samples.execute("select count(*), min(generation), max(generation) from engine.job").fetchone() == (
        1000,
        1,
        1,
    )
    assert submissions(samples) == [("sampling", 1000)]
    assert bells() == ["sampling"]


def test_several_statements_of_one_transaction_ring_once(samples, bells):
    with samples.transaction():
        samples.execute("update samples set status = 'Queued' where name = 'ann'")
        samples.execute("update samples set status = 'Queued' where name = 'bob'")

    assert submissions(samples) == [("sampling", 1), ("sampling", 1)]
    assert bells() == ["sampling"]


def test_queued_to_queued_is_no_submission(samples, bells):
    samples.execute("update samples set status = 'Queued' where name = 'ann'")
    samples.execute("update samples set status = 'Queued' where name = 'ann'")
    samples.execute("update samples set status = 'Queued'")

    assert jobs(samples) == [("ann", 1), ("bob", 1)]
    assert submissions(samples) == [("sampling", 1), ("sampling", 1)]
    assert bells() == ["sampling", "sampling"]


def test_an_update_of_other_columns_does_nothing(samples, bells):
    samples.execute("update samples set status = 'Queued' where name = 'ann'")

    samples.execute("update samples set note = 'seen', urgency = 9")

    assert jobs(samples) == [("ann", 1)]
    assert submissions(samples) == [("sampling", 1)]
    assert bells() == ["sampling"]


def test_a_key_that_changes_while_the_row_is_queued_or_becomes_it_makes_a_job_of_the_new_key(samples):
    samples.execute("update samples set status = 'Queued' where name = 'ann'")

    samples.execute("update samples set id = gen_random_uuid(), status = 'Queued'")

    assert jobs(samples) == [("ann", 1), ("bob", 1)]
    assert submissions(samples) == [("sampling", 1), ("sampling", 2)]


def test_a_key_that_is_handed_to_another_row_makes_a_job_for_the_row_that_is_queued(samples):
    samples.execute("update samples set status = 'Queued' where name = 'ann'")
    (key,) = samples.execute("select id from samples where name = 'bob'").fetchone()
    samples.execute("delete from engine.job")

    samples.execute("update samples set id = gen_random_uuid() where name = 'bob'")
    samples.execute("update samples set id = %s where name = 'ann'", [key])

    assert jobs(samples) == [("ann", 1)]


@pytest.mark.parametrize("word", ["Queud", "queued", "QUEUED", "Queued ", ""])
def test_a_typo_is_an_error_at_the_prompt_and_changes_nothing(samples, word):
    with pytest.raises(CheckViolation, match="status_is_known"):
        samples.execute("update samples set status = %s", [word])

    assert samples.execute("select distinct status from samples").fetchall() == [(None,)]
    assert jobs(samples) == []
    assert submissions(samples) == []


@pytest.mark.parametrize("word", ["Processing", "Done", "Failed", "Skipped", None])
def test_any_other_word_makes_no_job(samples, bells, word):
    samples.execute("update samples set status = %s", [word])

    assert jobs(samples) == []
    assert bells() == []


def test_queueing_again_raises_the_generation_and_forgets_what_went_wrong(samples):
    samples.execute("update samples set status = 'Queued' where name = 'ann'")
    samples.execute("update samples set status = 'Failed' where name = 'ann'")
    samples.execute(
        "update engine.job set dead = true, attempt = 3, lost = 2, last_error = 'broken', run_at = 'infinity'"
    )

    samples.execute("update samples set status = 'Queued' where name = 'ann'")

    state = samples.execute(
        "select generation, dead, attempt, lost, last_error, run_at <= now() from engine.job"
    ).fetchall()
    assert state == [(2, False, 0, 0, None, True)]


def test_a_queued_row_that_was_deleted_and_came_back_is_a_new_generation(samples):
    samples.execute("insert into samples (id, name, status) values (gen_random_uuid(), 'cid', 'Queued')")
    (key,) = samples.execute("delete from samples where name = 'cid' returning id").fetchone()

    samples.execute("insert into samples (id, name, status) values (%s, 'cid', 'Queued')", [key])

    assert jobs(samples) == [("cid", 2)]


def test_a_submission_says_who_asked_from_where_and_for_how_many_rows(samples):
    samples.execute("set application_name = 'night shift'")

    samples.execute("update samples set status = 'Queued'")

    asked = samples.execute(
        "select workflow, rows, role, application_name, submitted_at <= now() from engine.submission"
    )
    assert asked.fetchall() == [("sampling", 2, "scrapersky", "night shift", True)]


def test_a_submission_after_set_role_names_that_role(samples):
    samples.execute("grant select, update on samples to scrapersky_analyst")
    samples.execute("set role scrapersky_analyst")

    samples.execute("update samples set status = 'Queued'")

    samples.execute("reset role")
    assert samples.execute("select role from engine.submission").fetchall() == [("scrapersky_analyst",)]


def test_priority_and_key_reach_the_job(samples):
    samples.execute("insert into samples (name, urgency, host, status) values ('cid', 7, 'one.example', 'Queued')")
    samples.execute("update samples set urgency = -3, host = 'two.example', status = 'Queued' where name = 'ann'")
    samples.execute("update samples set status = 'Queued' where name = 'bob'")

    bob = samples.execute("select 'web:row ' || id from samples where name = 'bob'").fetchone()[0]
    assert priorities(samples) == [("ann", -3, "web:two.example"), ("bob", 0, bob), ("cid", 7, "web:one.example")]


def test_queueing_again_takes_the_new_priority_and_key(samples):
    samples.execute("update samples set urgency = 1, host = 'old.example', status = 'Queued' where name = 'ann'")
    samples.execute("update samples set status = null where name = 'ann'")

    samples.execute("update samples set urgency = 2, host = 'new.example', status = 'Queued' where name = 'ann'")

    assert priorities(samples) == [("ann", 2, "web:new.example")]


def test_what_is_rolled_back_leaves_nothing_and_rings_nothing(samples, bells):
    with samples.transaction(force_rollback=True):
        samples.execute("update samples set status = 'Queued'")
        assert jobs(samples) == [("ann", 1), ("bob", 1)]

    assert jobs(samples) == []
    assert submissions(samples) == []
    assert bells() == []


def test_what_is_rolled_back_to_a_savepoint_leaves_the_rest(samples, bells):
    with samples.transaction():
        samples.execute("update samples set status = 'Queued' where name = 'ann'")
        with samples.transaction(force_rollback=True):
            samples.execute("update samples set status = 'Queued' where name = 'bob'")

    assert jobs(samples) == [("ann", 1)]
    assert submissions(samples) == [("sampling", 1)]
    assert bells() == ["sampling"]
