"""Rows of polite workflows: many in flight at a time, recorded in groups, none forgotten."""

import threading
from datetime import timedelta

import pytest

from actors._workflow import Found, Politeness
from actors.errors import HostResting
from tests.chaos.commit_proxy import RECORD, WAYS, CommitProxy
from tests.lifecycle_support import wait_until

pytest_plugins = ["tests.stage_support", "tests.runner_support"]

HOSTS = 24


@pytest.fixture
def stage(stage_with):
    return stage_with(politeness=Politeness(column="host", group="web", spacing=timedelta(0)))


def add_hosts(stage, number=HOSTS, **columns):
    return [row for host in range(number) for row in stage.add(host=f"host {host}.example", **columns)]


def test_rows_of_many_hosts_are_in_flight_at_the_same_time(stage, run_once):
    together = threading.Barrier(HOSTS, timeout=60)
    stage.workflow.function = lambda _row: together.wait() is not None and Found()
    rows = add_hosts(stage)

    run_once(stage.url, stage.workflow)

    assert set(stage.statuses(rows)) == {"Done"}


def test_rows_that_end_together_are_recorded_in_one_transaction(stage, run_once):
    together = threading.Barrier(HOSTS, timeout=60)
    stage.workflow.function = lambda _row: together.wait() is not None and Found()
    add_hosts(stage)

    run_once(stage.url, stage.workflow)

    assert stage.value("select count(distinct xmin::text) from samples where status = 'Done'") <= 3


def test_a_row_whose_host_must_be_spared_comes_again_after_the_pause_and_burns_no_attempt(stage, run_once):
    (row,) = stage.add(host="smile.example")

    def rest(_row):
        raise HostResting("smile.example", seconds=3600)

    stage.workflow.function = rest
    run_once(stage.url, stage.workflow)

    job = stage.job(row)
    assert (stage.row(row).status, stage.row(row).error, job.attempt) == ("Queued", None, 0)
    assert stage.value("select run_at > now() + interval '50 minutes' from engine.job")
    assert stage.value("select count(*) from engine.attempt") == 0


def test_a_row_that_a_user_has_locked_is_recorded_later_while_the_others_of_its_claim_are_done(stage, run_once):
    rows = add_hosts(stage, 3)
    locking = stage.connect()
    locking.execute("begin")
    locked = rows[0]

    def work(row):
        if str(row.id) == locked:
            locking.execute("select from samples where id = %s for update", [row.id])
        return Found()

    stage.workflow.function = work
    late = run_once(stage.url, stage.workflow)
    meanwhile = stage.statuses(rows)
    locking.execute("commit")
    late.bring()

    assert (meanwhile[0], set(meanwhile[1:])) == ("Processing", {"Done"})
    assert set(stage.statuses(rows)) == {"Done"}
    assert stage.value("select count(*) from engine.job") == 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("commit", ["select head.ctid", RECORD])
def test_a_commit_in_doubt_leaves_no_row_in_processing_and_runs_none_twice(stage, run_once, server, way, commit):
    rows, runs = add_hosts(stage, 5), []
    stage.workflow.function = lambda row: runs.append(row.id) or Found()

    with CommitProxy(server.sockets / ".s.PGSQL.5432") as proxy:
        proxy.doubt(way, commit)
        late = run_once(proxy.url(stage.url), stage.workflow, beat=0.05)
        wait_until(lambda: not proxy.wanted)
        wait_until(lambda: late.release_unheld() and "Processing" not in stage.statuses(rows))
    run_once(stage.url, stage.workflow)

    assert set(stage.statuses(rows)) == {"Done"}
    assert len(runs) == len(set(runs)) == 5


def test_rows_that_may_have_killed_their_worker_run_one_at_a_time_while_others_run_beside_them(stage, run_once):
    suspects, others = add_hosts(stage, 2), [row for n in range(5) for row in stage.add(host=f"calm {n}.example")]
    stage.set_job(suspects, "lost = 1")
    second_suspect, done, at_once = threading.Event(), threading.Semaphore(0), []

    def work(row):
        if str(row.id) in suspects:
            at_once.append(row.id)
            if len(at_once) == 1:
                for _ in others:
                    assert done.acquire(timeout=60)
                assert not second_suspect.wait(1.0), "two of them ran at a time"
            second_suspect.set()
        done.release()
        return Found()

    stage.workflow.function = work
    for _ in range(2):  # the second may begin after the first is recorded
        run_once(stage.url, stage.workflow)

    assert set(stage.statuses([*suspects, *others])) == {"Done"}
    assert sorted(map(str, at_once)) == sorted(suspects)
