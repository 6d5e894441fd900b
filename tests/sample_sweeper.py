"""`python -m tests.sample_sweeper`: the real sweeper, as a process, for the sample workflow."""

import threading

from app.config import load_settings
from app.logs import configure_logging
from app.supervised import exit_with_parent
from app.sweeper import Sweeper
from db.connections import open_pool
from tests.samples import sample_workflow


def main() -> None:
    settings = load_settings()
    configure_logging(settings)
    stop = threading.Event()
    exit_with_parent(stop.set, settings)
    pool = open_pool(settings.database_url, size=2, name="sweeper")
    Sweeper(pool, [sample_workflow()], settings).run(stop)
    pool.close()


if __name__ == "__main__":
    main()
