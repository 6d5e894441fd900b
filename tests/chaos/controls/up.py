"""`python -m tests.chaos.controls.up`: one worker under a supervisor.

With CHAOS_ENGINE=trustful the supervisor never asks whether a living process still works.
"""

import os

from app.config import load_settings
from app.counting import counting_together
from app.logs import configure_logging
from app.supervisor import Child, Supervisor
from app.sweeper import Sweeper
from db.connections import open_pool
from tests.chaos.controls.broken import TrustfulSupervisor
from tests.chaos.controls.traces import traced_workflow


def main() -> int:
    settings = load_settings()
    configure_logging(settings)
    kind = TrustfulSupervisor if os.environ.pop("CHAOS_ENGINE", "") == "trustful" else Supervisor
    pool = open_pool(settings.database_url, size=2, name="supervisor", timeout=1)
    try:
        sweeper = Sweeper(pool, [traced_workflow()], settings)
        return kind([Child("worker 1", ["tests.chaos.controls.worker"])], dict(os.environ), sweeper).run()
    finally:
        pool.close()


if __name__ == "__main__":
    with counting_together():
        raise SystemExit(main())
