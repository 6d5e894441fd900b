"""Dramatiq carries nudges: inside the process by default, through Redis or RabbitMQ when BROKER_URL says so."""

import logging
from collections.abc import Iterable

from dramatiq import Broker, Message, Middleware
from dramatiq.brokers.rabbitmq import RabbitmqBroker
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker

from app import metrics
from app.config import Settings
from app.logs import event

log = logging.getLogger(__name__)

# A nudge says "there may be work". More than a few waiting for one workflow say nothing new.
ENOUGH_NUDGES = 16


def make_broker(settings: Settings, middleware: Iterable[Middleware] = ()) -> Broker:
    """Only our own middleware: the row is the only retry authority, and the engine keeps its own time limits."""
    url = settings.broker_url
    chosen = list(middleware)
    if not url:
        return StubBroker(middleware=chosen)
    if url.startswith("redis"):
        return RedisBroker(url=url, middleware=chosen, heartbeat_timeout=60_000)
    logging.getLogger("pika").setLevel(logging.CRITICAL)  # an outage is told by us, in one line
    return RabbitmqBroker(url=url, middleware=chosen)


def is_in_process(broker: Broker) -> bool:
    return isinstance(broker, StubBroker)


class Nudger:
    """Sends nudges. With the broker away the work stays in Postgres, and the next poll nudges again."""

    def __init__(self, broker: Broker, workflows: Iterable[str]) -> None:
        self.broker = broker
        self.workflows = frozenset(workflows)
        for name in self.workflows:
            broker.declare_queue(name)

    def nudge(self, workflow: str) -> bool:
        """True when a nudge is on its way, an earlier one included."""
        try:
            if self._waiting(workflow) < ENOUGH_NUDGES:
                self.broker.enqueue(Message(queue_name=workflow, actor_name=workflow, args=(), kwargs={}, options={}))
        except Exception as error:  # noqa: BLE001 - each client has its own errors, and all mean the same
            event(log, logging.WARNING, "nudge.failed", workflow=workflow, error=str(error))
            metrics.nudges.labels(workflow, "failed").inc()
            if isinstance(self.broker, RabbitmqBroker):
                del self.broker.connection  # a closed channel stays closed: the next nudge opens a new one
            return False
        metrics.nudges.labels(workflow, "sent").inc()
        return True

    def _waiting(self, workflow: str) -> int:
        broker = self.broker
        if isinstance(broker, StubBroker):
            return int(broker.queues[workflow].qsize())
        if isinstance(broker, RedisBroker):
            return int(broker.client.llen(f"{broker.namespace}:{workflow}"))
        if isinstance(broker, RabbitmqBroker):
            return broker.get_queue_message_counts(workflow)[0]
        return 0
