"""Nudges through Redis."""

from dramatiq.brokers.redis import RedisBroker


class Redis(RedisBroker):
    def waiting(self, queue: str) -> int:
        return int(self.client.llen(f"{self.namespace}:{queue}"))
