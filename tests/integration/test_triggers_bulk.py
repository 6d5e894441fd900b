"""Statements of so many rows that their jobs are not looked for one by one."""

import pytest

from tests.trigger_support import submissions

pytest_plugins = ["tests.trigger_fixtures"]


@pytest.fixture
def crowd(samples):
    """Two rows, and 2,000 more."""
    samples.execute("insert into samples (name) select 'row ' || number from generate_series(1, 2000) as number")
    return samples


def test_one_job_among_thousands_is_found_and_raised_by_the_statement_that_queues_them_all(crowd, bells):
    crowd.execute("update samples set status = 'Queued' where name = 'row 1999'")
    crowd.execute("update samples set status = 'Failed' where name = 'row 1999'")
    crowd.execute("update engine.job set dead = true, attempt = 3")

    crowd.execute("update samples set status = 'Queued'")

    counted = crowd.execute("select generation, dead, attempt, count(*) from engine.job group by 1, 2, 3 order by 1")
    assert counted.fetchall() == [(1, False, 0, 2001), (2, False, 0, 1)]
    assert submissions(crowd) == [("sampling", 1), ("sampling", 2002)]
    assert bells() == ["sampling", "sampling"]


def test_rows_that_wait_already_are_left_alone_by_a_statement_that_queues_thousands(crowd):
    crowd.execute("update samples set status = 'Queued' where name in ('ann', 'row 7')")
    crowd.execute("update engine.job set attempt = 2, run_at = 'infinity'")

    crowd.execute("update samples set status = 'Queued'")
    crowd.execute("update samples set note = 'seen'")

    counted = crowd.execute("select generation, attempt, count(*) from engine.job group by 1, 2 order by 1, 2")
    assert counted.fetchall() == [(1, 0, 2000), (1, 2, 2)]
    assert submissions(crowd) == [("sampling", 2), ("sampling", 2000)]


def test_thousands_of_rows_that_come_back_in_one_insert_are_a_new_generation(crowd):
    crowd.execute("update samples set status = 'Queued' where name = 'row 1999'")
    crowd.execute("create temporary table kept as select * from samples")
    crowd.execute("delete from samples")

    crowd.execute("insert into samples (id, name, urgency, host, status) select id, name, 3, name, 'Queued' from kept")

    assert (
        crowd.execute("select pk from engine.job where generation = 2").fetchall()
        == crowd.execute("select id::text from samples where name = 'row 1999'").fetchall()
    )
    assert crowd.execute("select count(*), min(priority), max(priority) from engine.job").fetchone() == (2002, 3, 3)


def test_thousands_of_rows_keep_their_priority_and_key(crowd):
    crowd.execute("update samples set urgency = 4, host = name, status = 'Queued'")

    kept = crowd.execute("select count(*) from engine.job join samples on id::text = pk where key = 'web:' || name")
    assert kept.fetchone() == (2002,)
