"""Dramatiq over RabbitMQ: `peer_dramatiq URL ROWS (install|fill|noop|status)`, the broker's URL in RABBITMQ_URL.

Messages wait in RabbitMQ; `status` writes Done to the business row, each in a transaction of its own. Eight threads in
a process, as Dramatiq has them by default.
"""

import os
import signal
import threading

import dramatiq
import psycopg
from dramatiq.brokers.rabbitmq import RabbitmqBroker
from psycopg_pool import ConnectionPool

from benchmarks.peer_worker import DONE, RESET, Handled, arguments, wait_for_the_word

THREADS = 8


def main() -> None:
    url, rows, step = arguments()
    broker = RabbitmqBroker(url=os.environ["RABBITMQ_URL"])
    dramatiq.set_broker(broker)
    working = step in {"noop", "status"}
    pool = ConnectionPool(url, min_size=THREADS, kwargs={"autocommit": True}) if step == "status" else None
    handled = Handled() if working else None
    alone = threading.Lock()

    @dramatiq.actor(queue_name="work")
    def work(row: str) -> None:
        if pool:
            with pool.connection() as connection:
                connection.execute(f"{DONE} %s", [row])
        with alone:
            handled.one_more()

    if step == "fill":
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(RESET)
            ids = connection.execute("select id from wide limit %s", [rows]).fetchall()
        broker.flush_all()
        for (row,) in ids:
            work.send(str(row))
    if working:
        # Messages are taken as soon as a worker is there, so it is made after the word.
        wait_for_the_word()
        worker = dramatiq.Worker(broker, worker_threads=THREADS)
        worker.start()
        signal.sigwait({signal.SIGTERM})
        worker.stop()


main()
