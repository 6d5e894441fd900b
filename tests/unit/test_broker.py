"""Which broker a URL chooses, and what a nudge is."""

import pytest
from dramatiq import Broker
from dramatiq.brokers.rabbitmq import RabbitmqBroker
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from prometheus_client import REGISTRY

from app.broker import ENOUGH_NUDGES, Nudger, is_in_process, make_broker
from app.config import Settings

URLS = {
    "": StubBroker,
    "redis://localhost:6379/0": RedisBroker,
    "rediss://user:secret@localhost/1": RedisBroker,
    "amqp://guest:guest@localhost:5672/": RabbitmqBroker,
    "amqps://user:secret@localhost/": RabbitmqBroker,
}


class NoServer(Broker):
    """Outside of the process, and never asked."""

    def declare_queue(self, queue_name: str) -> None:
        self.queues[queue_name] = None


@pytest.mark.parametrize(("url", "kind"), URLS.items())
def test_the_url_chooses_the_broker(url: str, kind: type[Broker]) -> None:
    broker = make_broker(Settings(broker_url=url))

    assert isinstance(broker, kind)
    assert is_in_process(broker) is (url == "")


@pytest.mark.parametrize("url", URLS)
def test_a_broker_neither_retries_nor_limits_nor_ages_messages(url: str) -> None:
    """The row is the only retry authority, so Dramatiq's own middleware stays out."""
    assert make_broker(Settings(broker_url=url)).middleware == []


def test_a_nudge_says_nothing_but_that_there_may_be_work() -> None:
    broker = StubBroker(middleware=[])

    Nudger(broker, ["deep_scan"]).nudge("deep_scan")

    message = next(broker.consume("deep_scan"))
    assert message is not None
    assert (message.queue_name, message.actor_name, message.args, message.kwargs) == ("deep_scan", "deep_scan", (), {})


def test_nudges_of_one_workflow_do_not_pile_up_and_keep_none_of_another_out() -> None:
    broker = StubBroker(middleware=[])
    nudger = Nudger(broker, ["deep_scan", "domain_extraction"])

    for _ in range(10 * ENOUGH_NUDGES):
        nudger.nudge("deep_scan")
    nudger.nudge("domain_extraction")

    assert broker.queues["deep_scan"].qsize() == ENOUGH_NUDGES
    assert broker.queues["domain_extraction"].qsize() == 1


def counted(workflow: str) -> dict[str, float]:
    labels = [{"workflow": workflow, "result": result} for result in ("sent", "folded", "failed")]
    return {one["result"]: REGISTRY.get_sample_value("scrapersky_nudges_total", one) or 0.0 for one in labels}


def test_only_nudges_that_were_sent_are_counted_as_sent() -> None:
    """A name of its own: the counts are those of the whole process."""
    nudger = Nudger(StubBroker(middleware=[]), ["counted_at_once"])

    for _ in range(ENOUGH_NUDGES + 3):
        nudger.nudge("counted_at_once")

    assert counted("counted_at_once") == {"sent": ENOUGH_NUDGES, "folded": 3, "failed": 0}


def test_nudges_that_wait_for_a_slow_broker_are_folded_too() -> None:
    """Not started: its thread stands for one that still speaks with the broker."""
    nudger = Nudger(NoServer(middleware=[]), ["counted_later"])

    for _ in range(ENOUGH_NUDGES + 2):
        nudger.nudge("counted_later")

    assert counted("counted_later") == {"sent": 0, "folded": 2, "failed": 0}
