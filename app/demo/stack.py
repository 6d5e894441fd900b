"""`scrapersky up` as a process of its own, with settings that lead it into the demo world and nowhere else."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.config import NAMES, SUFFIXES
from app.secret_files import FILE_NAMES

KEY = "demo-key"
STOP_SECONDS = 40
LAST_LINES = 15
HURRIED = {
    "AUTO_SELECT": "places,businesses,sitemaps,pages",
    "GOOGLE_MAPS_API_KEY": KEY,
    "SCRAPERSKY_BACKOFF_SECONDS": "0.5",
    "SCRAPERSKY_CRAWL_PAUSE_SECONDS": "0.05",
    "SCRAPERSKY_DRAIN_SECONDS": "2",
    "SCRAPERSKY_FETCH_SECONDS": "5",
    "SCRAPERSKY_METRICS_PORT": "0",
    "SCRAPERSKY_POLL_SECONDS": "0.2",
    "SCRAPERSKY_PROCESSES": "2",
    "SCRAPERSKY_THREADS": "16",
    "SCRAPERSKY_USER_AGENT": "ScraperSkyDemo/1.0 (+https://scrapersky.example/bot)",
}


class StackError(RuntimeError):
    """The message says how it ended and what it said last."""


class Stack:
    def __init__(self, home: Path, proxy: str, certificates: Path, settings: Mapping[str, str]) -> None:
        self.log = home / "up.log"
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "app.cli", "up"],
                env={
                    **_inherited(),
                    **HURRIED,
                    "SCRAPERSKY_HOME": str(home),
                    "SCRAPERSKY_PROXY": proxy,
                    "SCRAPERSKY_CA_FILE": str(certificates),
                    **settings,
                },
                cwd=home,  # where no .env lies that could name another database
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # Ctrl-C is ours to pass on
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def check(self) -> None:
        """Raise when it has ended."""
        code = self._process.poll()
        if code is not None:
            last = "\n".join(self.log.read_text(errors="replace").splitlines()[-LAST_LINES:])
            raise StackError(f"scrapersky up ended with code {code}; {self.log} ends with:\n{last}")

    def stop(self) -> None:
        """Let it drain, and insist when that takes too long."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGTERM)  # the second one stops at once
            self._process.wait()


@contextmanager
def running_stack(home: Path, proxy: str, certificates: Path, settings: Mapping[str, str]) -> Iterator[Stack]:
    stack = Stack(home, proxy, certificates, settings)
    try:
        yield stack
    finally:
        stack.stop()


def _inherited() -> dict[str, str]:
    """The environment without any setting of ours: a real key or database has no business in the demo."""
    settings = (*NAMES, *FILE_NAMES)
    return {
        name: value
        for name, value in os.environ.items()
        if name not in settings and not name.startswith(tuple(SUFFIXES))
    }
