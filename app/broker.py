"""Dramatiq carries nudges: inside the process by default, through Redis or RabbitMQ when BROKER_URL says so."""

import logging
import threading
from collections import Counter
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from dramatiq import Broker, Message, Middleware
from dramatiq.brokers.stub import StubBroker

from app import metrics
from app.config import Settings
from app.logs import event

log = logging.getLogger(__name__)

# A nudge says "there may be work". More than a few waiting for one workflow say nothing new.
ENOUGH_NUDGES = 16
STOP_SECONDS = 2.0


def make_broker(settings: Settings, middleware: Iterable[Middleware] = ()) -> Broker:
    """Only our own middleware: the row is the only retry authority, and the engine keeps its own time limits.

    The client of a broker is imported when that broker is meant: they take a quarter of a worker's start.
    """
    url = settings.broker_url
    chosen = list(middleware)
    if not url:
        return StubBroker(middleware=chosen)
    if url.startswith("redis"):
        from app.redis_broker import Redis  # noqa: PLC0415 - see above

        return Redis(url=url, middleware=chosen, heartbeat_timeout=60_000)  # type: ignore[no-untyped-call]
    from app.rabbitmq_broker import RabbitMQ  # noqa: PLC0415 - see above

    return RabbitMQ(url=url, middleware=chosen)


@runtime_checkable
class BrokerOutside(Protocol):
    def waiting(self, queue: str) -> int:
        """How many messages wait in a queue."""
        ...


def is_in_process(broker: Broker) -> bool:
    return isinstance(broker, StubBroker)


class Nudger:
    """Sends nudges. With the broker away the work stays in Postgres, and the next poll nudges again.

    A broker outside is spoken to by one thread alone: one that hangs holds up neither the listener nor a claimed row.
    """

    def __init__(self, broker: Broker, workflows: Iterable[str]) -> None:
        self.broker = broker
        self.workflows = frozenset(workflows)
        self._wanted: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._rung = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._send_on, name="nudger", daemon=True)
        for name in self.workflows:
            broker.declare_queue(name)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._rung.set()
        self._thread.join(STOP_SECONDS)

    def nudge(self, workflow: str) -> None:
        """Returns at once."""
        if is_in_process(self.broker):
            self._send(workflow)
            return
        with self._lock:
            is_enough = self._wanted[workflow] >= ENOUGH_NUDGES
            self._wanted[workflow] += not is_enough
        if is_enough:
            metrics.nudges.labels(workflow, "folded").inc()
        self._rung.set()

    def _send_on(self) -> None:
        while self._rung.wait() and not self._stop.is_set():
            self._rung.clear()
            with self._lock:
                wanted, self._wanted = self._wanted, Counter()
            for workflow in wanted.elements():
                self._send(workflow)

    def _send(self, workflow: str) -> None:
        try:
            is_enough = self._waiting(workflow) >= ENOUGH_NUDGES
            if not is_enough:
                self.broker.enqueue(Message(queue_name=workflow, actor_name=workflow, args=(), kwargs={}, options={}))
        except Exception as error:  # noqa: BLE001 - each client has its own errors, and all mean the same
            event(log, logging.WARNING, "nudge.failed", workflow=workflow, error=str(error) or repr(error))
            metrics.nudges.labels(workflow, "failed").inc()
        else:
            metrics.nudges.labels(workflow, "folded" if is_enough else "sent").inc()

    def _waiting(self, workflow: str) -> int:
        broker = self.broker
        if isinstance(broker, StubBroker):
            return int(broker.queues[workflow].qsize())
        return broker.waiting(workflow) if isinstance(broker, BrokerOutside) else 0
