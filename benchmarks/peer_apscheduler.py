"""The loop that ScraperSky had before: `peer_apscheduler URL ROWS status`.

APScheduler calls a function on an interval, one at a time. It selects a batch of queued rows, marks them Processing and
commits; then it takes them one after the other: load the row, do the work, write Done, commit. In production the batch
was 20 rows and the interval one minute or more, which is a limit of 20 rows a minute however fast the machine is. Here
a tick follows at once upon the last one and takes 1,000 rows, so that only the loop itself is measured.
"""

import signal
import threading

import sqlalchemy
from apscheduler.schedulers.background import BackgroundScheduler
from sqlalchemy.orm import Session

from benchmarks.noop import Wide
from benchmarks.peer_worker import Handled, arguments, wait_for_the_word

BATCH = 1_000


def tick(engine: sqlalchemy.Engine, handled: Handled) -> None:
    with Session(engine) as session:
        queued = sqlalchemy.select(Wide.id).where(Wide.status == "Queued").order_by(Wide.created_at).limit(BATCH)
        ids = list(session.scalars(queued))
        session.execute(sqlalchemy.update(Wide).where(Wide.id.in_(ids)).values(status="Processing"))
        session.commit()
    for identity in ids:
        with Session(engine) as session:
            session.get_one(Wide, identity).status = "Done"
            session.commit()
        handled.one_more()


def main() -> None:
    url, _, _ = arguments()
    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    handled, scheduler, stopped = Handled(), BackgroundScheduler(), threading.Event()

    def ticks() -> None:
        while not stopped.is_set():
            tick(engine, handled)

    wait_for_the_word()
    scheduler.add_job(ticks, max_instances=1)
    scheduler.start()
    signal.sigwait({signal.SIGTERM})
    stopped.set()
    scheduler.shutdown()


main()
