"""A runner in this process, without Dramatiq around it. A test file takes it with `pytest_plugins`."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta

import pytest
from dramatiq.brokers.stub import StubBroker

from actors._workflow import Workflow
from actors.fetch.web import WebClient, WebOptions
from app.broker import Nudger
from app.config import Settings
from app.deadline import Watchdog
from app.dispatcher import Dispatcher
from app.heart import Heart
from app.in_flight import InFlight
from app.late import LateRecords
from app.quarantine import Quarantine
from app.rates import Rates
from app.runner import Runner, Surroundings
from app.tools import Toolbox
from app.traces import Traces
from db.connections import open_pool
from tests.sandbox_support import shared_pool
from tests.web_support import MemoryRobots

RunOnce = Callable[..., LateRecords]


@pytest.fixture
def run_once() -> Iterator[RunOnce]:
    """Answer one nudge for a workflow: `run_once(url, workflow, client=…, time_slice=…)`. Returns what it left."""
    with ExitStack() as stack:

        def run(
            url: str,
            workflow: Workflow,
            *,
            client: WebClient | None = None,
            time_slice: float = 5,
            traces: Traces | None = None,
            beat: float = 1,
        ) -> LateRecords:
            pool = open_pool(url, size=2, name="test")
            stack.callback(pool.close)
            heart = Heart(timedelta(seconds=beat))
            heart.start(url)
            stack.callback(heart.stop)
            watchdog = Watchdog()
            watchdog.start()
            stack.callback(watchdog.stop)
            client = client or WebClient(WebOptions(user_agent="Test/1.0"), MemoryRobots())
            around = Surroundings(
                pool=pool,
                heart=heart,
                watchdog=watchdog,
                nudger=Nudger(StubBroker(), [workflow.name]),
                late=LateRecords(pool, heart),
                draining=threading.Event(),
                quarantine=Quarantine(),
                time_slice=timedelta(seconds=time_slice),
                keep_successes=False,
                created_by=None,
                toolbox=Toolbox(Settings(database_url=url), client, shared_pool()),
                rates=Rates(pool, timedelta(seconds=1)),
                traces=traces or Traces(),
            )
            if workflow.politeness is None:
                Runner(workflow, around, threads=1).nudge()
            else:
                rows = stack.enter_context(ThreadPoolExecutor(64))
                dispatcher = Dispatcher(workflow, around, InFlight(64), rows)
                dispatcher.nudge()
                dispatcher.drain()
            return around.late

        yield run
