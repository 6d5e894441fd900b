"""`python -m tests.sample_worker` or `dramatiq tests.sample_worker`: a real worker process for the sample workflow.

SAMPLE_LIMITS holds keyword arguments for the declaration as JSON; durations are in seconds.
"""

import json
import os
from datetime import timedelta

import dramatiq
from dramatiq import Worker

from app.broker import make_broker
from app.config import load_settings
from app.logs import configure_logging
from app.process import Process
from tests.samples import sample_workflow

DURATIONS = ("time_limit", "rescue_after")

settings = load_settings()
configure_logging(settings)
limits = json.loads(os.environ.get("SAMPLE_LIMITS", "{}"))
limits = {name: timedelta(seconds=value) if name in DURATIONS else value for name, value in limits.items()}
process = Process(settings, [sample_workflow(**limits)])
broker = make_broker(settings, [process])
dramatiq.set_broker(broker)
process.bind(broker)

if __name__ == "__main__":
    raise SystemExit(process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100)))
