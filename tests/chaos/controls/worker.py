"""`python -m tests.chaos.controls.worker`: a worker process for rows that leave traces.

CHAOS_ENGINE names a broken recorder; without it everything is the real engine's.
"""

import os

import dramatiq
from dramatiq import Worker

from app.broker import make_broker
from app.config import load_settings
from app.logs import configure_logging
from app.process import Process
from tests.chaos.controls.broken import BrokenProcess
from tests.chaos.controls.traces import traced_workflow


def main() -> int:
    settings = load_settings()
    configure_logging(settings)
    kind = BrokenProcess if os.environ.get("CHAOS_ENGINE") else Process
    process = kind(settings, [traced_workflow()])
    broker = make_broker(settings, [process])
    dramatiq.set_broker(broker)
    process.bind(broker)
    return process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100))


if __name__ == "__main__":
    raise SystemExit(main())
