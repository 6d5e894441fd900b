"""`python -m tests.sample_up`: what `scrapersky up` does, with sample workers: a real supervisor over real processes.

SAMPLE_WORKER names another module for the workers.
"""

import os

from app.config import load_settings
from app.counting import counting_together
from app.logs import configure_logging
from app.supervisor import Child, Supervisor
from app.sweeper import Sweeper
from db.connections import open_pool
from tests.samples import sample_workflow


def main() -> int:
    settings = load_settings()
    configure_logging(settings)
    worker = os.environ.get("SAMPLE_WORKER", "tests.sample_worker")
    children = [Child(f"worker {number + 1}", [worker]) for number in range(settings.processes)]
    children.append(Child("sweeper", ["tests.sample_sweeper"]))
    pool = open_pool(settings.database_url, size=2, name="supervisor", timeout=1)
    try:
        return Supervisor(children, dict(os.environ), Sweeper(pool, [sample_workflow()], settings)).run()
    finally:
        pool.close()


if __name__ == "__main__":
    with counting_together():
        raise SystemExit(main())
