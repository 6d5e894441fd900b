"""`python -m tests.unruly_worker`: a sample worker whose rows may also be `stuck`, `rubbish` or `huge`."""

import secrets
import threading
from datetime import timedelta
from typing import Any, cast

from dramatiq import Worker

from app.broker import make_broker
from app.config import load_settings
from app.logs import configure_logging
from app.process import Process
from db.outcomes import Found
from tests.samples import Finding, SampleRow, act, sample_workflow

LIMITS: dict[str, Any] = {"time_limit": timedelta(seconds=0.5), "rescue_after": timedelta(seconds=2)}


def block_for_ever() -> None:
    """No exception reaches a thread that waits for a lock."""
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def misbehave(row: SampleRow) -> Found:
    match row.action:
        case "stuck":
            block_for_ever()
        case "rubbish":
            return Found(rows=cast("list[Finding]", ["not a row"]))
        case "huge":
            return Found(rows=[Finding(name=secrets.token_hex(10_000))])  # no index takes a key of this size
    return act(row)


def main() -> int:
    settings = load_settings()
    configure_logging(settings)
    workflow = sample_workflow(**LIMITS)
    workflow.run(misbehave)
    process = Process(settings, [workflow])
    broker = make_broker(settings, [process])
    process.bind(broker)
    return process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100))


if __name__ == "__main__":
    raise SystemExit(main())
