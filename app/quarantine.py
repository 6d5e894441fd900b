"""Rows whose worker died may be what killed it: in a process they run one at a time, each judged by itself."""

import threading


class Quarantine:
    """A place for one thread; entering it twice is harmless, and so is leaving it without having been in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside: int | None = None

    def enter(self) -> bool:
        """Whether this thread is in now."""
        me = threading.get_ident()
        with self._lock:
            if self._inside is None:
                self._inside = me
            return self._inside == me

    def leave(self) -> None:
        with self._lock:
            if self._inside == threading.get_ident():
                self._inside = None
