"""Nudges through RabbitMQ."""

from dramatiq import Broker
from dramatiq.brokers.rabbitmq import RabbitmqBroker, _RabbitmqConsumer


class RabbitMQ(RabbitmqBroker):
    @property
    def consumer_class(self) -> type[_RabbitmqConsumer]:
        return RabbitMQConsumer

    def waiting(self, queue: str) -> int:
        """RabbitMQ closes connections that were silent for long, and Dramatiq replaces those only when it enqueues."""
        try:
            return self.get_queue_message_counts(queue)[0]
        except Exception:  # noqa: BLE001 - whatever it was, a new connection tells
            del self.connection
            return self.get_queue_message_counts(queue)[0]


class RabbitMQConsumer(_RabbitmqConsumer):
    """Is told when its queue is deleted.

    RabbitMQ 3 otherwise moves the consumer to a queue of the same name that somebody makes right after, does not always
    succeed, and tells nobody: a consumer that seems to live and never hears again. RabbitMQ 4 always tells.
    """

    def __init__(self, broker: Broker, queue_name: str, prefetch: int, timeout: int) -> None:
        super().__init__(broker, queue_name, prefetch, timeout)  # type: ignore[no-untyped-call]
        # Dramatiq's own iterator has asked the server for nothing yet: pika does so at the first message.
        self.iterator = self.channel.consume(
            queue_name, inactivity_timeout=timeout / 1000, arguments={"x-cancel-on-ha-failover": True}
        )
