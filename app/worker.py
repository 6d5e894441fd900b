"""The worker process. `dramatiq app.worker` runs it, and so does `scrapersky work`.

Importing this module binds every workflow of the registry to the broker, an actor and a queue each.
Everything that lives (connections, threads) starts when Dramatiq boots the worker, and stops with it.
"""

from functools import partial

import dramatiq
from dramatiq import Broker, Worker

from actors.registry import INTERNAL
from app.broker import make_broker
from app.config import load_settings
from app.logs import configure_logging
from app.privileges import drop_privileges
from app.process import Process
from app.workflows import load_workflows

settings = load_settings()
configure_logging(settings)
become_ordinary = partial(drop_privileges, settings)
process = Process(settings, load_workflows(settings), INTERNAL, become_ordinary=become_ordinary)
process.parsers.start()
broker: Broker = make_broker(settings, [process])
dramatiq.set_broker(broker)
process.bind(broker)


def main() -> int:
    """One worker process without Dramatiq's own master: the supervisor starts this and watches over it."""
    return process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100))


if __name__ == "__main__":
    raise SystemExit(main())
