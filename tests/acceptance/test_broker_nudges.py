"""Nudges may be lost, and listeners may die; neither costs a row, and nobody piles nudges up."""

from app.broker import ENOUGH_NUDGES
from tests.broker_support import QUEUE, System, over_a_broker_outside
from tests.process_support import stays
from tests.server_support import wait_until

pytest_plugins = ["tests.broker_fixtures"]


@over_a_broker_outside
def test_a_nudge_that_is_lost_is_sent_again_by_the_poll(system: System) -> None:
    system.listener()
    system.wait_for_listeners(1)
    system.submit(1)
    wait_until(lambda: system.outside.waiting(QUEUE), 60, "the nudge is in the queue")

    system.outside.flush()
    system.worker()

    system.wait_for_workers(1)
    system.wait_for_completed(1, timeout=60)


@over_a_broker_outside
def test_rows_queued_while_no_listener_runs_complete_after_its_return(system: System) -> None:
    listener = system.listener()
    assert listener is not None
    system.worker()
    system.wait_for_workers(1)
    system.wait_for_listeners(1)
    listener.kill()
    system.wait_for_listeners(0)

    system.submit(100)
    system.listener()

    system.wait_for_completed(100, timeout=60)
    system.assert_each_ran_once(100)


@over_a_broker_outside
def test_nudges_do_not_pile_up_while_no_worker_runs(system: System) -> None:
    system.listener()
    system.wait_for_listeners(1)
    system.add(500)
    longest = 0

    for _ in range(500):
        system.queue(1)
    for _ in range(20):
        wait_until(lambda: system.outside.waiting(QUEUE), 60, "a nudge is in the queue")
        longest = max(longest, system.outside.waiting(QUEUE))

    assert 1 <= longest <= 2 * ENOUGH_NUDGES  # RabbitMQ counts what has just been sent a little late
    system.worker()
    system.wait_for_completed(500, timeout=60)
    system.assert_each_ran_once(500)


DRAINED_AT_BIRTH = """
create function drain_at_birth() returns trigger language plpgsql as
$$ begin new.drain_wanted := true; return new; end $$;
create trigger drain_at_birth before insert on engine.worker for each row execute function drain_at_birth();
"""


@over_a_broker_outside
def test_a_worker_that_is_drained_while_it_starts_takes_no_nudge(system: System) -> None:
    """The order comes with the first beat, long before Dramatiq has its consumers."""
    system.db.execute(DRAINED_AT_BIRTH)
    system.settings["SCRAPERSKY_BEAT_SECONDS"] = "0.05"
    system.listener()
    worker = system.worker()
    wait_until(lambda: "worker.started" in worker.log and "worker.drains" in worker.log, 60, "the worker drains")

    system.submit(20)

    wait_until(lambda: stays(lambda: system.outside.waiting(QUEUE) > 0, 1), 60, "nobody takes the nudges")


@over_a_broker_outside
def test_a_drained_worker_leaves_the_nudges_to_the_others(system: System) -> None:
    system.listener()
    system.worker()
    system.wait_for_workers(1)
    system.wait_for_listeners(1)
    system.db.execute("update engine.worker set drain_wanted = true")
    wait_until(lambda: system.one("select bool_and(draining) from engine.worker"), 60, "the worker drains")

    system.submit(20)
    wait_until(lambda: stays(lambda: system.outside.waiting(QUEUE) > 0, 1), 60, "nobody takes the nudges")
    system.worker()

    system.wait_for_completed(20, timeout=60)
    system.assert_each_ran_once(20)
