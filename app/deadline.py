"""Time limits per row. Soft: an exception in the thread. Hard: the process dumps its stacks and gives itself up."""

import faulthandler
import logging
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn, TypeVar

from dramatiq.middleware import Shutdown, TimeLimitExceeded
from dramatiq.threading import Interrupt, raise_thread_exception

from app import metrics
from app.giving_up import GAVE_UP
from app.logs import event

log = logging.getLogger(__name__)

Result = TypeVar("Result")

TICK_SECONDS = 0.1


class Slot:
    """What one thread is running, and until when."""

    def __init__(self) -> None:
        self.thread_id = threading.get_ident()
        self.lock = threading.Lock()
        self.workflow = ""
        self.pk = ""
        self.soft: float | None = None
        self.hard: float | None = None
        self.raised: type[Interrupt] | None = None

    def run(self, call: Callable[[], Result], *, workflow: str, pk: str, limit: float, rescue: float) -> Result:
        """Call it within its limits. An interrupt is raised in here, and never after."""
        now = time.monotonic()
        try:
            try:
                with self.lock:
                    self.workflow, self.pk = workflow, pk
                    self.soft, self.hard = now + limit, now + rescue
                result = call()
            except Interrupt:
                raise
            except BaseException:
                self._settle()
                raise
            self._settle()
            return result
        finally:
            with self.lock:
                self.soft = self.hard = self.raised = None

    def _settle(self) -> None:
        """Nothing new is raised from here on; what was raised already and is still under way strikes here."""
        with self.lock:
            self.soft = self.hard = None
        if self.raised is None:
            return
        patience = time.monotonic() + 1  # a workflow may have swallowed it
        while self.raised is not None and time.monotonic() < patience:
            time.sleep(0.001)

    def interrupt(self, exception: type[Interrupt], at: float = math.inf) -> None:
        """Whatever runs; with `at`, only what is past its soft limit then: the next row may have begun meanwhile."""
        with self.lock:
            if self.soft is not None and self.soft < at and self.raised is None:
                self.raised = exception
                raise_thread_exception(self.thread_id, exception)


class Watchdog:
    """Looks at all slots ten times a second."""

    def __init__(self) -> None:
        self._slots: list[Slot] = []
        self._local = threading.local()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def slot(self) -> Slot:
        """This thread's slot."""
        slot: Slot | None = getattr(self._local, "slot", None)
        if slot is None:
            slot = self._local.slot = Slot()
            self._slots.append(slot)
        return slot

    def interrupt_all(self) -> None:
        """The shutdown can wait no longer: whatever runs is stopped and released."""
        for slot in list(self._slots):
            slot.interrupt(Shutdown)

    def _watch(self) -> None:
        while not self._stop.wait(TICK_SECONDS):
            now = time.monotonic()
            for slot in list(self._slots):
                soft = slot.soft
                if soft is not None and now > soft:
                    slot.interrupt(TimeLimitExceeded, at=now)
                hard = slot.hard
                if hard is not None and now > hard:
                    self._give_up(slot)

    def _give_up(self, slot: Slot) -> NoReturn:
        """A call that can not be interrupted holds the row: dying is the safe way to let go of it."""
        metrics.gave_up.labels("time_limit").inc()
        event(log, logging.CRITICAL, "process.gave_up", workflow=slot.workflow, row=slot.pk)
        faulthandler.dump_traceback(file=sys.__stderr__ or 2)
        os._exit(GAVE_UP)
