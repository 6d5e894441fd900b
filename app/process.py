"""What lives in a worker process, and in which order it starts and stops."""

import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import FrameType

from dramatiq import Broker, Middleware, Worker, actor

from actors._workflow import Workflow
from app.broker import Nudger, is_in_process
from app.config import ConfigurationError, Settings
from app.database import listen_url, working_database
from app.deadline import Watchdog
from app.dispatcher import Dispatcher
from app.exposition import serve_beside_dramatiq
from app.giving_up import give_up, no_thread_dies_alone
from app.heart import Heart, NotRegisteredError
from app.in_flight import InFlight
from app.late import LateRecords
from app.listener import Listener
from app.logs import event
from app.privileges import forbid_new_privileges
from app.pulse import Pulse
from app.quarantine import Quarantine
from app.rates import Rates
from app.runner import Runner, Surroundings
from app.supervised import supervisor_pid
from app.tools import Toolbox, parser_pool, web_client
from app.traces import open_traces
from db.connections import Pool, open_pool

log = logging.getLogger(__name__)

PARENT_CHECK_SECONDS = 1.0
NOT_STARTED = 1
REFUSED = 2
TERMINATED = 128 + signal.SIGTERM
# Each workflow may have its share besides what others took before it: more than the limit in flight, for a moment.
MOST_ROW_THREADS = 20_000

# Quotas that end by themselves stay; a reason that is the same stays without a new doorbell.
BLOCK = """
update engine.workflow set blocked_reason = boot.reason
from unnest(%s::text[], %s::text[]) as boot (name, reason)
where workflow.name = boot.name and workflow.blocked_until is null
  and workflow.blocked_reason is distinct from boot.reason
"""


class Process(Middleware):
    """Dramatiq calls the hooks; the actors call the runners."""

    def __init__(
        self,
        settings: Settings,
        workflows: Sequence[Workflow],
        internal: Sequence[Workflow] = (),
        *,
        become_ordinary: Callable[[], None] = lambda: None,
    ) -> None:
        """Before the first row, and with everything opened that only root may open, `become_ordinary` is called."""
        self.become_ordinary = become_ordinary
        self.settings = settings
        self.workflows = workflows
        self.internal = internal
        self.told_to_stop = threading.Event()
        self.draining = threading.Event()
        self.runners: dict[str, Runner] = {}
        self.names = [workflow.name for workflow in (*workflows, *internal)]
        self.heart = Heart(settings.beat, self._on_drain, self.names)
        self.parsers = parser_pool(settings)
        self._exit = contextlib.ExitStack()
        self._steering = threading.Lock()
        self._watchdog = Watchdog()

    @property
    def forks(self) -> list[Callable[[], int]]:
        """What `dramatiq app.worker` runs beside its workers."""
        return [serve_beside_dramatiq] if self.settings.metrics_port else []

    def bind(self, broker: Broker) -> None:
        """An actor and a queue per workflow. The message carries nothing: it only says that there may be work."""
        for workflow in (*self.workflows, *self.internal):
            actor(actor_name=workflow.name, queue_name=workflow.name, broker=broker)(self._nudged(workflow.name))

    def _nudged(self, name: str) -> Callable[[], None]:
        def nudged() -> None:
            try:
                self.runners[name].nudge()
            except BaseException as error:  # noqa: BLE001 - Dramatiq would swallow it, and claimed rows would stay so
                give_up(threading.current_thread().name, error)

        return nudged

    def before_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Dramatiq would swallow an error here and go on without us: better no process than an idle one."""
        self._worker = worker
        try:
            self._boot(broker)
        except NotRegisteredError:
            event(log, logging.INFO, "worker.stopped", worker=self.heart.id)
            os._exit(TERMINATED)
        except ConfigurationError as error:
            event(log, logging.CRITICAL, "worker.refused", error=str(error))
            self._exit.close()
            os._exit(REFUSED)
        except Exception:
            log.exception("worker.not_started")
            os._exit(NOT_STARTED)

    def _boot(self, broker: Broker) -> None:
        settings, stack = self.settings, self._exit
        forbid_new_privileges()
        pulse = Pulse(settings.beat, settings.lease)
        pulse.start()
        stack.callback(pulse.stop)
        stack.enter_context(no_thread_dies_alone())
        url = stack.enter_context(working_database(settings))
        pool = open_pool(url, size=min(settings.threads, 4) + 1, name="worker")
        stack.callback(pool.close)
        rates = Rates(pool, settings.beat)
        rates.start()
        stack.callback(rates.stop)
        heart = self.heart
        heart.start(url, self.told_to_stop)
        stack.callback(heart.stop)
        self._watchdog.start()
        stack.callback(self._watchdog.stop)
        late = LateRecords(pool, heart)
        late.start()
        stack.callback(late.stop)
        nudger = Nudger(broker, self.names)
        nudger.start()
        stack.callback(nudger.stop)
        client = stack.enter_context(web_client(settings, pool))
        toolbox = stack.enter_context(Toolbox(settings, client, self.parsers))
        self.become_ordinary()
        self._block(toolbox, pool)
        traces = open_traces(settings)
        stack.callback(traces.close)
        around = Surroundings(
            pool,
            heart,
            self._watchdog,
            nudger,
            late,
            self.draining,
            Quarantine(),
            settings.time_slice,
            settings.keep_successes,
            settings.system_user_id,
            toolbox,
            rates=rates,
            traces=traces,
        )
        self.runners = self._make_runners(around)
        # Nobody plots a canary: its counts are not written.
        unseen = replace(around, rates=Rates(pool, settings.beat))
        self.runners |= {flow.name: Runner(flow, unseen, threads=1) for flow in self.internal}
        if is_in_process(broker):
            listener = Listener(settings, listen_url(settings, url), pool, nudger)
            listener.start()
            stack.callback(listener.stop)
        event(log, logging.INFO, "worker.started", worker=heart.id, threads=settings.threads)

    def _make_runners(self, around: Surroundings) -> dict[str, Runner]:
        """Polite workflows run in threads of their own, as many as it takes; the others in Dramatiq's."""
        in_flight = InFlight(self.settings.max_in_flight)
        rows = ThreadPoolExecutor(MOST_ROW_THREADS, thread_name_prefix="row")
        self._exit.callback(rows.shutdown)
        prompt = [flow for flow in self.workflows if flow.politeness is None]
        # No workflow may take the last threads: one full of slow rows must not stop the others.
        share = max(1, self.settings.threads - (len(prompt) - 1))
        runners = {flow.name: Runner(flow, around, threads=share) for flow in prompt}
        for flow in self.workflows:
            if flow.politeness is not None:
                dispatcher = Dispatcher(flow, around, in_flight, rows)
                dispatcher.start()
                self._exit.callback(dispatcher.stop)
                runners[flow.name] = dispatcher
        return runners

    def _block(self, toolbox: Toolbox, pool: Pool) -> None:
        """Stop what can not succeed with these settings; what was stopped for such a reason gets another chance."""
        for workflow in self.workflows:
            toolbox.check(workflow)
        missing = {workflow.name: toolbox.missing(workflow) for workflow in self.workflows}
        with pool.connection() as connection:
            connection.execute(BLOCK, [list(missing), list(missing.values())])
        for name, reason in missing.items():
            if reason:
                event(log, logging.INFO, "workflow.blocked", workflow=name, reason=reason)

    def _on_drain(self, wanted: bool) -> None:  # noqa: FBT001 - the heart calls it
        """An operator's word: what runs finishes, nothing is claimed and no nudge is taken, until it is taken back."""
        event(log, logging.INFO, "worker.drains" if wanted else "worker.claims_again", worker=self.heart.id)
        self._steer_consumers()
        if wanted or self.heart.draining:
            self.draining.set()
            return
        self.draining.clear()
        if self.heart.draining:  # a shutdown began meanwhile
            self.draining.set()
        for name, runner in self.runners.items():
            runner.around.nudger.nudge(name)

    def after_worker_boot(self, _broker: Broker, _worker: Worker) -> None:
        """The consumers are there only now, and the order to drain may have come before."""
        self._steer_consumers()

    def _steer_consumers(self) -> None:
        with self._steering:
            for consumer in list(self._worker.consumers.values()):
                consumer.pause() if self.heart.drain_wanted else consumer.resume()

    def before_worker_shutdown(self, _broker: Broker, _worker: Worker) -> None:
        """Stop claiming; what runs may finish within the drain time, then it is interrupted and released."""
        self.heart.draining = True
        self.draining.set()
        timer = threading.Timer(self.settings.drain.total_seconds(), self._watchdog.interrupt_all)
        timer.daemon = True
        timer.start()
        self._exit.callback(timer.cancel)

    def after_worker_shutdown(self, _broker: Broker, _worker: Worker) -> None:
        self._exit.close()
        event(log, logging.INFO, "worker.stopped", worker=self.heart.id)

    def run(self, worker: Worker) -> int:
        """Boot the worker and wait for a signal, or for the parent to disappear."""
        stop = self.told_to_stop

        def on_signal(number: int, _frame: FrameType | None) -> None:
            if stop.is_set() or not self.heart.is_registered:  # twice, or still waiting for the database
                os._exit(128 + number)
            stop.set()

        signal.signal(signal.SIGTERM, on_signal)
        signal.signal(signal.SIGINT, on_signal)
        parent = supervisor_pid()
        worker.start()
        while not stop.wait(PARENT_CHECK_SECONDS):
            if os.getppid() != parent:
                event(log, logging.WARNING, "supervisor.lost")
                break
        grace = self.settings.drain.total_seconds() + 10
        farewell = threading.Timer(grace + 1, self._leave)
        farewell.daemon = True
        farewell.start()
        worker.stop(timeout=round(grace * 1000))
        worker.broker.close()
        return 0

    def _leave(self) -> None:
        """A broker that hangs does not let go of its connections; all rows are recorded or released by now."""
        event(log, logging.WARNING, "worker.left", worker=self.heart.id)
        self._exit.close()
        os._exit(0)
