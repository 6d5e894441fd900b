"""What worker processes count for the plots, and that a database which is away loses none of it."""

from datetime import timedelta

import pytest

from app.rates import Rates
from db.connections import open_pool

WRITTEN = """
select workflow, sum(completed), sum(retried), sum(failed), sum(other), sum(started), sum(waited_seconds),
       max(longest_wait_seconds), sum(worked_seconds)
from engine.rate group by 1 order by 1
"""


@pytest.fixture
def rates(database):
    pool = open_pool(database, size=1, name="test")
    yield Rates(pool, timedelta(hours=1))
    pool.close()


def count_some(rates):
    rates.started("deep_scan", [1.0, 3.0, -0.5])
    rates.ended("deep_scan", "completed", 2)
    rates.ended("deep_scan", "failed", 1)
    rates.ended("page_curation", "released", 1)
    rates.worked("deep_scan", 0.5)


def test_counts_are_added_up_by_minute_and_workflow(rates, db):
    count_some(rates)
    rates.write()
    count_some(rates)
    rates.write()

    assert db.execute(WRITTEN).fetchall() == [
        ("deep_scan", 4, 0, 2, 0, 6, 8.0, 3.0, 1.0),
        ("page_curation", 0, 0, 0, 2, 0, 0.0, 0.0, 0.0),
    ]
    assert db.execute("select count(*) from engine.rate where minute = date_trunc('minute', minute)").fetchone() >= (2,)


def test_nothing_is_written_when_nothing_happened(rates, db):
    rates.write()
    rates.started("deep_scan", [])
    rates.write()

    assert db.execute(WRITTEN).fetchall() == []


def test_what_can_not_be_written_waits_for_the_next_time(rates, db):
    count_some(rates)
    db.execute("alter table engine.rate rename to rate_elsewhere")
    rates.write()
    db.execute("alter table engine.rate_elsewhere rename to rate")
    rates.ended("deep_scan", "completed", 1)

    rates.write()

    assert [row[:2] for row in db.execute(WRITTEN).fetchall()] == [("deep_scan", 3), ("page_curation", 0)]


def test_the_last_counts_are_written_when_a_process_ends(rates, db):
    rates.start()
    count_some(rates)

    rates.stop()

    assert len(db.execute(WRITTEN).fetchall()) == 2
