"""While many commit at once a listener is awake and nobody rings: their rows are worked on all the same."""

import os
import signal
import threading
from contextlib import contextmanager

import psycopg
import pytest

from tests.process_support import wait_for_workers, wait_until

# So rare that within a test no poll of a sleeping listener brings a row.
HARDLY_EVER = "3600"
AWAKE = """
select listener.pid from engine.lease join engine.listener on listener.id = lease.holder
where lease.awake and clock_timestamp() between lease.renewed_at and lease.expires_at
"""
# Commits of one row each, without a way to the client and back between them.
COMMITS = """
do $$ begin
    for number in 1..50 loop
        insert into samples (name, action, status) values (gen_random_uuid()::text, 'find', 'Queued');
        commit;
    end loop;
end $$
"""


@pytest.fixture
def crowd(samples):
    """A function that lets rows come in, hundreds a second, for as long as its block lasts."""

    @contextmanager
    def coming_in():
        enough = threading.Event()

        def commit_on():
            with psycopg.connect(samples, autocommit=True) as connection:
                while not enough.is_set():
                    connection.execute(COMMITS)

        thread = threading.Thread(target=commit_on)
        thread.start()
        try:
            yield
        finally:
            enough.set()
            thread.join()

    return coming_in


def awake(user):
    return [pid for (pid,) in user.execute(AWAKE).fetchall()]


def all_done(user):
    return user.execute("select count(*) filter (where status <> 'Done') = 0 from samples").fetchone() == (True,)


def test_a_listener_wakes_while_many_commit_and_sleeps_when_they_have_gone(user, run, crowd):
    worker = run("tests.sample_worker", SCRAPERSKY_POLL_SECONDS=HARDLY_EVER)
    wait_for_workers(user, worker)

    with crowd():
        assert wait_until(lambda: awake(user)) == [worker.pid]

    wait_until(lambda: all_done(user))
    wait_until(lambda: user.execute("select holder from engine.lease").fetchone() == (None,))


def test_rows_that_came_in_silence_are_done_when_the_listener_was_killed(user, run, crowd):
    system = run("tests.sample_up", SCRAPERSKY_PROCESSES="2", SCRAPERSKY_POLL_SECONDS=HARDLY_EVER)

    with crowd():
        for _ in range(3):
            (pid,) = wait_until(lambda: awake(user))
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda gone=pid: gone not in awake(user))

    wait_until(lambda: all_done(user))
    assert system.process.poll() is None


def test_a_row_that_a_transaction_wrote_while_the_listener_was_awake_is_found_when_it_commits(
    user, samples, run, crowd
):
    worker = run("tests.sample_worker", SCRAPERSKY_POLL_SECONDS=HARDLY_EVER)
    wait_for_workers(user, worker)

    with psycopg.connect(samples) as slow:
        with crowd():
            wait_until(lambda: awake(user))
            slow.execute("insert into samples (name, action, status) values ('slow', 'find', 'Queued')")
        wait_until(lambda: not awake(user))
        wait_until(lambda: all_done(user))
        slow.commit()

    wait_until(lambda: all_done(user))
