"""What a child process knows of its supervisor."""

import os
import threading
import time
from collections.abc import Callable

from app.config import Settings
from app.pulse import Pulse


def is_child() -> bool:
    return "SCRAPERSKY_SUPERVISOR" in os.environ


def supervisor_pid() -> int:
    """Told by the supervisor: when it dies while we start, our parent is already somebody else."""
    return int(os.environ.get("SCRAPERSKY_SUPERVISOR_PID") or os.getppid())


def exit_with_parent(stop: Callable[[], None], settings: Settings) -> None:
    """For children that are not workers: show the supervisor that we live; when it is gone, go too."""
    if not is_child():
        return
    Pulse(settings.beat, settings.lease).start()
    parent = supervisor_pid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        stop()

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
