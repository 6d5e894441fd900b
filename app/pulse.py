"""A process shows that its interpreter runs: a byte in a pipe to the supervisor, written by a thread, once a beat.

The thread needs what every other thread of the process needs, so it stops when they do: a call that never releases the
interpreter lock, a stopped process. It needs no database, so an outage says nothing about the process.
Under Dramatiq's own command nobody reads such a pipe: there a C timer, which needs no interpreter, prints the stacks
and ends the process when the thread does not set it again within a lease. A process that was stopped for longer than a
lease (docker pause) ends when it goes on; by then the sweeper has given its rows back.
"""

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
from datetime import timedelta

NAME = "SCRAPERSKY_PULSE"
MOST_BYTES = 65_536


class PulseReader:
    """The supervisor's end of one child's pipe."""

    def __init__(self) -> None:
        self.beats = 0
        self._reader, self.writer = os.pipe()
        for descriptor in (self._reader, self.writer):
            os.set_blocking(descriptor, False)

    def environment(self, beat: timedelta) -> dict[str, str]:
        """What the child has to know."""
        return {NAME: f"{self.writer} {beat.total_seconds():g}"}

    def let_go(self) -> None:
        """The child has its own copy of this end."""
        os.close(self.writer)

    def count(self) -> int:
        """How often the child has beaten; 0 until it has begun."""
        with contextlib.suppress(BlockingIOError):
            self.beats += len(os.read(self._reader, MOST_BYTES))
        return self.beats

    def close(self) -> None:
        os.close(self._reader)


class Pulse:
    """The child's end."""

    def __init__(self, beat: timedelta, lease: timedelta) -> None:
        self.beat = beat.total_seconds()
        self.lease = lease.total_seconds()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name="pulse", daemon=True)
        self._writer: int | None = None
        self._is_alone = NAME not in os.environ and multiprocessing.parent_process() is not None

    def start(self) -> None:
        if NAME in os.environ:
            writer, beat = os.environ[NAME].split()
            self._writer, self.beat = int(writer), float(beat)
            os.set_inheritable(self._writer, False)
        # The supervisor, or an operator, asks for the stacks of all threads: kill -QUIT.
        faulthandler.register(signal.SIGQUIT, file=sys.__stderr__ or 2, all_threads=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        faulthandler.unregister(signal.SIGQUIT)
        if self._is_alone:
            faulthandler.cancel_dump_traceback_later()

    def _beat_on(self) -> None:
        while True:
            self._show()
            if self._stop.wait(self.beat):
                return

    def _show(self) -> None:
        if self._is_alone:
            faulthandler.dump_traceback_later(self.lease, exit=True, file=sys.__stderr__ or 2)
        elif self._writer is not None:
            with contextlib.suppress(BlockingIOError, BrokenPipeError):  # the supervisor is stopped, or gone
                os.write(self._writer, b".")
