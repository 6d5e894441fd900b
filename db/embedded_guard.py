"""Starts the bundled Postgres again when it ends while a command uses it: killed, out of memory, stopped by hand."""

import logging
import threading
from pathlib import Path
from typing import Self

import psycopg

from db.embedded import EmbeddedPostgres, EmbeddedPostgresError

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
SHORTEST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
DEAD = ("Z", "X")


class Guard:
    """Looks while the block lasts. Several commands may guard one server: its start lock lets them start it in turn."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self.server = server
        self._seen: tuple[str, str] | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name="postgres guard", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _look_on(self) -> None:
        pause = SHORTEST_PAUSE
        while not self._stop.wait(LOOK_SECONDS):
            try:
                if self._runs():
                    pause = SHORTEST_PAUSE
                    continue
                log.error("postgres.ended", extra={"fields": {"data": self.server.data, "then": "it is started again"}})
                self.server.start()
                log.warning("postgres.restarted", extra={"fields": {"data": self.server.data}})
            except (EmbeddedPostgresError, psycopg.Error, OSError) as error:
                fields = {"retry_s": pause, "error": " ".join(str(error).split())}
                log.error("postgres.not_started", extra={"fields": fields})  # noqa: TRY400 - the message says it all
                self._stop.wait(pause)
                pause = min(LONGEST_PAUSE, 2 * pause)

    def _runs(self) -> bool:
        """The server's own check starts a program: only when another process has the number than at the last look."""
        pid = self.server.recorded_process()
        started = pid and _started(pid)
        if pid and started and self._seen == (pid, started):
            return True
        self._seen = (pid, started) if pid and started else None
        return self.server.is_running()


def _started(pid: str) -> str | None:
    """When a living process began, in the kernel's own units; None if there is none, or no way to know."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in DEAD else fields[19]
