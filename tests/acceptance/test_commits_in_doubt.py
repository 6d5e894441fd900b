"""A connection is lost at a COMMIT of a worker, and nobody tells the worker whether it happened."""

import pytest

from tests.chaos.commit_proxy import CLAIM, FAILURE, RECORD, WAYS, CommitProxy
from tests.process_support import wait_for_workers, wait_until

NOTHING_LEFT = """
select not exists (select 1 from engine.job)
   and not exists (select 1 from samples where status in ('Queued', 'Processing'))
"""


@pytest.fixture
def proxy(server):
    with CommitProxy(server.sockets / ".s.PGSQL.5432") as proxy:
        yield proxy
        assert not proxy.wanted, "the commit never came"
        assert sum(proxy.done.values()) == 1


@pytest.fixture(autouse=True)
def worker(samples, proxy, user, run):
    """A worker whose every connection leads through the proxy."""
    started = run("tests.sample_worker", DATABASE_URL=proxy.url(samples), SCRAPERSKY_LOG_LEVEL="DEBUG")
    wait_for_workers(user, started)
    return started


def limit(user, **limits):
    for name, value in limits.items():
        user.execute(f"update engine.workflow set {name} = %s where name = 'sampling'", [value])


def is_finished(user):
    return user.execute(NOTHING_LEFT).fetchone() == (True,)


@pytest.mark.parametrize("way", WAYS)
def test_a_claim_in_doubt_is_given_back_while_its_worker_lives(user, rows, ledger, proxy, way):
    limit(user, max_in_flight=1, per_day=3)
    proxy.doubt(way, CLAIM)

    for name in rows.add_many("row", 3):
        rows.queue(name)
    wait_until(lambda: is_finished(user))

    assert rows.count("Done") == 3  # none of the budget leaked either
    assert all(len(ledger.lines(f"row-{number}")) == 2 for number in (1, 2, 3))  # began and ended, once


@pytest.mark.parametrize("way", WAYS)
def test_a_record_in_doubt_is_brought_again_and_not_called_late(rows, ledger, proxy, worker, way):
    limit(rows.connection, max_in_flight=1)  # so that the next claim comes in a transaction of its own
    proxy.doubt(way, RECORD)

    rows.add("row")
    rows.queue("row")
    wait_until(lambda: is_finished(rows.connection))

    wait_until(lambda: "row.completed" in worker.output())
    assert (rows.status("row"), rows.findings("row"), len(ledger.lines("row"))) == ("Done", 1, 2)
    assert "row.stale" not in worker.output()


@pytest.mark.parametrize("way", WAYS)
def test_a_record_with_a_claim_in_doubt_ends_its_rows_once_and_gives_the_claim_back(rows, ledger, proxy, worker, way):
    names = rows.add_many("row", 300, "sleep 0.002")
    proxy.doubt(way, RECORD, CLAIM)

    rows.queue(*names)
    wait_until(lambda: is_finished(rows.connection))

    assert rows.count("Done") == len(names)
    assert all(len(ledger.lines(name)) == 2 for name in names)  # began and ended, once
    assert "row.stale" not in worker.output()


@pytest.mark.parametrize("way", WAYS)
def test_a_failure_in_doubt_is_one_attempt(user, rows, proxy, worker, way):
    proxy.doubt(way, FAILURE)

    rows.add("row", "fail")
    rows.queue("row")
    wait_until(lambda: rows.status("row") == "Failed")

    history = user.execute("select attempt, outcome from engine.attempt order by id").fetchall()
    assert history == [(1, "retried"), (2, "retried"), (3, "failed")]
    assert "row.stale" not in worker.output()
