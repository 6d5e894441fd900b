"""Counts and logs what happens in parser processes. Who runs them knows no metrics."""

import logging
import os
import signal
from urllib.parse import urlsplit

from app import metrics
from app.logs import event

log = logging.getLogger(__name__)


class ParserWatch:
    """Watches the parser processes of one worker process."""

    def __init__(self) -> None:
        self._has_told_what_is_missing = False
        self._is_leaving = False

    def started(self, missing: list[str]) -> None:
        metrics.parsers_started.inc()
        if missing and not self._has_told_what_is_missing:
            self._has_told_what_is_missing = True
            event(log, logging.WARNING, "parser.unguarded", missing=", ".join(missing), hint="this kernel lacks them")

    def read(self, reader: str, seconds: float) -> None:
        metrics.documents.labels(reader).observe(seconds)

    def failed(self, reader: str, limit: str, url: str, words: str) -> None:
        metrics.parse_failures.labels(limit).inc()
        event(log, logging.WARNING, "document.refused", document=reader, limit=limit, host=_host(url), reason=words)

    def unavailable(self, words: str) -> None:
        """Without parsers this process is of no use; the one that takes its place may start them."""
        event(log, logging.CRITICAL, "parsers.unavailable", error=words)
        if not self._is_leaving:
            self._is_leaving = True
            os.kill(os.getpid(), signal.SIGTERM)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "?"
    except ValueError:
        return "?"
