"""A broker may be away, restarted, emptied or hanging: the work stays in Postgres and goes on when it is back."""

import re
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import islice

import pytest

from app.broker import make_broker
from app.config import Settings
from app.rabbitmq_broker import RabbitMQ as RabbitMQBroker
from tests.broker_support import QUEUE, System, over_a_broker_outside, over_rabbitmq
from tests.process_support import free_port
from tests.server_support import RabbitMQ, wait_until

pytest_plugins = ["tests.broker_fixtures"]

# Dramatiq's consumers try again every 3 seconds, and bring an unsent acknowledgement every 5.
RETURN_SECONDS = 90.0


@over_a_broker_outside
def test_a_broker_that_is_killed_under_load_costs_no_row(system: System) -> None:
    system.ready(workers=2)
    system.add(3000)

    system.queue(1000)
    system.outside.kill()
    system.queue(1000)
    system.outside.start()
    system.queue(1000)

    system.wait_for_completed(3000, RETURN_SECONDS)
    system.assert_each_ran_once(3000)
    assert all(process.lives for process in system.running)


@pytest.mark.slow
@over_a_broker_outside
def test_a_broker_that_comes_back_without_its_data_is_nudged_again(system: System) -> None:
    system.listener()
    system.submit(100)
    wait_until(lambda: system.outside.waiting(QUEUE) >= 3, 60, "nudges by the doorbell and by the poll")

    system.outside.kill()
    system.outside.wipe()
    system.outside.start()

    wait_until(lambda: system.outside.waiting(QUEUE), 60, "a nudge in the new queue")
    system.worker()
    system.wait_for_completed(100, RETURN_SECONDS)
    system.assert_each_ran_once(100)


@pytest.mark.slow
@over_a_broker_outside
def test_workers_find_the_queues_of_a_broker_that_lost_its_data(system: System) -> None:
    workers = system.ready(workers=2)
    system.submit(1)
    system.wait_for_completed(1, timeout=60)

    system.outside.kill()
    system.outside.wipe()
    system.outside.start()
    system.submit(1000)

    system.wait_for_completed(1001, RETURN_SECONDS)
    system.assert_each_ran_once(1001)
    assert all(worker.lives for worker in workers)


@over_a_broker_outside
def test_rows_queued_while_the_broker_is_away_wait_for_its_return(system: System) -> None:
    system.outside.kill()
    system.ready()
    listener = system.running[0]

    system.submit(100)
    wait_until(lambda: listener.log.count("nudge.failed") >= 3, 30, "the listener says that the broker is away")
    assert system.completed() == 0
    system.outside.start()

    system.wait_for_completed(100, RETURN_SECONDS)
    system.assert_each_ran_once(100)
    expected = re.compile("privileges.dropped|listener.started|nudge.failed")
    assert [line for line in listener.log.splitlines() if not expected.search(line)] == []


@over_a_broker_outside
def test_a_broker_that_is_emptied_while_rows_run_costs_no_row(system: System) -> None:
    system.ready(workers=2)
    system.add(5000)

    for _ in range(5):
        system.queue(1000)
        system.outside.flush()

    system.wait_for_completed(5000, RETURN_SECONDS)
    system.assert_each_ran_once(5000)
    assert all(process.lives for process in system.running)


@pytest.mark.slow
@over_a_broker_outside
def test_a_worker_can_be_stopped_while_the_broker_is_away(system: System) -> None:
    worker, other = system.ready(workers=2)
    system.submit(1)
    system.wait_for_completed(1, timeout=60)

    system.outside.kill()
    try:
        assert worker.stop(timeout=15) == 0
        system.wait_for_workers(1)
    finally:
        system.outside.start()

    assert other.lives


@pytest.mark.slow
@over_a_broker_outside
def test_a_worker_can_be_stopped_while_the_broker_hangs(system: System) -> None:
    worker, other = system.ready(workers=2)
    system.submit(1)
    system.wait_for_completed(1, timeout=60)

    with system.outside.frozen():
        assert worker.stop(timeout=30) == 0
        system.wait_for_workers(1)

    assert other.lives


@over_a_broker_outside
def test_a_listener_goes_on_reading_while_the_broker_hangs(system: System) -> None:
    """One that stops reading its socket holds up the notifications, and the VACUUM, of the whole database."""
    system.settings["SCRAPERSKY_METRICS_PORT"] = str(port := free_port())
    system.listener()
    system.wait_for_listeners(1)
    system.submit(1)
    wait_until(lambda: system.outside.waiting(QUEUE), 60, "the first nudge")

    with system.outside.frozen():
        for _ in range(5):
            more = doorbells(port) + 1
            system.db.execute("select pg_notify('engine', %s)", [QUEUE])
            wait_until(partial(heard_at_least, port, more), 60, "the next doorbell is heard")


def doorbells(port: int) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("scrapersky_doorbells_total"))


def heard_at_least(port: int, count: float) -> bool:
    return doorbells(port) >= count


@pytest.mark.slow
@over_a_broker_outside
def test_a_broker_that_hangs_keeps_no_row_in_processing(system: System) -> None:
    workers = system.ready(workers=1)
    system.add(20_000)
    system.queue(20_000)
    wait_until(system.completed, 60, "the first rows")

    with system.outside.frozen():
        wait_until(lambda: not system.one("select count(*) from engine.running"), 60, "the worker finishes its batches")

    system.wait_for_completed(20_000, timeout=60)
    assert all(worker.lives for worker in workers)


@over_rabbitmq
def test_a_consumer_is_told_when_its_queue_is_deleted_and_made_again(system: System) -> None:
    """RabbitMQ moves it to the new queue in silence otherwise, and now and then loses it on the way."""
    broker = make_broker(Settings(broker_url=system.outside.url))
    assert isinstance(broker, RabbitMQBroker)
    stopped = threading.Event()

    def make_again() -> None:
        while not stopped.is_set():
            broker.waiting(QUEUE)

    with closing(broker), ThreadPoolExecutor() as others:
        made = [others.submit(make_again) for _ in range(2)]
        try:
            told = [is_told(broker) for _ in range(20)]
        finally:
            stopped.set()
    assert all(told)
    assert [one.result() for one in made] == [None, None]


def is_told(broker: RabbitMQBroker) -> bool:
    broker.waiting(QUEUE)
    with closing(broker.consume(QUEUE, timeout=50)) as consumer:
        next(consumer)
        broker.channel.queue_delete(QUEUE)
        return len(list(islice(consumer, 40))) < 40


@pytest.mark.slow
@over_rabbitmq
def test_connections_that_rabbitmq_closes_for_silence_are_opened_again(system: System) -> None:
    rabbitmq = system.outside
    assert isinstance(rabbitmq, RabbitMQ)
    system.settings["BROKER_URL"] = f"{rabbitmq.url}?heartbeat=1"
    log_start = len(rabbitmq.log.read_text())
    system.listener()
    system.submit(1)
    wait_until(lambda: rabbitmq.waiting(QUEUE) >= 3, 60, "nudges by the doorbell and by the poll")

    system.db.execute("update engine.workflow set paused = true")
    wait_until(lambda: not rabbitmq.open_connections(log_start), 60, "RabbitMQ closes the silent connections")
    rabbitmq.flush()
    system.db.execute("update engine.workflow set paused = false")

    wait_until(lambda: rabbitmq.waiting(QUEUE), 60, "a nudge over a new connection")
