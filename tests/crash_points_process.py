"""`python -m tests.crash_points_process`: forks a worker or a sweeper for each line that it reads, with a trap in it.

A line is JSON: the role, the name of the point and how often it is passed before it kills. The answer is the child's
process id, and its exit status when it has ended. (A fork takes milliseconds, an interpreter a second.)
"""

import json
import logging
import os
import sys
import time
import traceback
from typing import Any
from uuid import uuid4

import psycopg
from dramatiq import Worker
from psycopg import Connection

from actors._workflow import Workflow
from app.broker import make_broker
from app.config import Settings, load_settings
from app.process import Process
from app.sweeper import Sweeper
from db.connections import open_pool
from tests.crash_points import set_trap
from tests.crash_points_rows import KILLS, crash_workflow

PAUSE_SECONDS = 0.03


def main() -> None:
    settings = load_settings()
    logging.basicConfig(level=logging.ERROR)
    workflow = crash_workflow(settings.database_url, polite=bool(os.environ.get("CRASH_POLITELY")))
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become(order, settings, workflow)
        print(pid, flush=True)  # noqa: T201 - the answer
        print(os.waitpid(pid, 0)[1], flush=True)  # noqa: T201 - the answer


def become(order: dict[str, Any], settings: Settings, workflow: Workflow) -> None:
    """A process that never comes back from here."""
    try:
        set_trap(workflow, order["point"], order["times"])
        if order["role"] == "worker":
            work(settings, workflow)
        else:
            sweep(settings, workflow, patient=order["point"].startswith("liveness.b"))
    except BaseException:  # noqa: BLE001 - a child must not go on as its parent
        traceback.print_exc()
        os._exit(2)
    os._exit(0)


def work(settings: Settings, workflow: Workflow) -> None:
    process = Process(settings, [workflow])
    broker = make_broker(settings, [process])
    process.bind(broker)
    process.run(Worker(broker, worker_threads=settings.threads, worker_timeout=100))


def sweep(settings: Settings, workflow: Workflow, *, patient: bool) -> None:
    """Make a mess, clean it up; again. Patient: with a lease to wait for."""
    sweeper = Sweeper(open_pool(settings.database_url, size=2, name="sweeper"), [workflow], settings)
    supervisor = str(uuid4())
    with psycopg.connect(settings.database_url, autocommit=True) as user:
        for number in range(KILLS):
            make_a_mess(user, number, supervisor)
            if patient:
                make_a_loss(user, f"silent {number}", supervisor, 1)
                while not sweeper.watch():
                    time.sleep(PAUSE_SECONDS)
            sweeper.bury_child(supervisor, os.getpid())
            sweeper.sweep(workflow.name)
            sweeper.retention.prune()


def make_a_mess(user: Connection[Any], number: int, supervisor: str) -> None:
    """One of everything that a sweep repairs."""
    make_a_loss(user, f"child {number}", supervisor, os.getpid())
    insert = "insert into samples (name, status) values (%s, %s)"
    user.execute(insert, [f"orphan {number}", "Processing"])
    user.execute(insert, [f"forgotten {number}", "Queued"])
    user.execute("update samples set status = 'Skipped' where name = %s", [f"forgotten {number}"])
    with user.transaction():
        user.execute("set local session_replication_role = replica")
        user.execute(insert, [f"missed {number}", "Queued"])


def make_a_loss(user: Connection[Any], name: str, supervisor: str, pid: int) -> None:
    """A row that a worker has claimed who says nothing any more."""
    worker = uuid4()
    user.execute(
        "insert into engine.worker (id, supervisor, host, pid, version) values (%s, %s, 'here', %s, 'test')",
        [worker, supervisor, pid],
    )
    user.execute("insert into samples (name, status) values (%s, 'Queued')", [name])
    user.execute(
        "update engine.job set token = gen_random_uuid(), worker_id = %s, attempt = 1, started_at = now() "
        "where pk = (select id::text from samples where name = %s)",
        [worker, name],
    )
    user.execute("update samples set status = 'Processing' where name = %s", [name])


if __name__ == "__main__":
    main()
