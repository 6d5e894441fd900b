"""What nobody caught: uncaught errors of the process and its threads, and warnings. They are logged, and so masked."""

import logging
import sys
import threading
from types import TracebackType

log = logging.getLogger(__name__)


def log_the_unexpected() -> None:
    """Python prints these to stderr by itself, as they are."""
    logging.captureWarnings(capture=True)
    # Where somebody has a hook already, as `no_thread_dies_alone`, it is stricter.
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _process_failed
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _end_failed
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _thread_failed


def _process_failed(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    log.critical("process.failed", exc_info=(kind, error, trace), extra={"fields": {}})


def _thread_failed(failed: threading.ExceptHookArgs) -> None:
    if issubclass(failed.exc_type, SystemExit):
        return
    thread = failed.thread.name if failed.thread else "?"
    log.error("thread.failed", exc_info=failed.exc_value, extra={"fields": {"thread": thread}})


def _end_failed(failed: "sys.UnraisableHookArgs") -> None:
    """Something that is thrown away, or a callback, had nobody to tell."""
    fields = {"said": failed.err_msg or "ignored", "where": getattr(failed.object, "__qualname__", None)}
    log.error("error.ignored", exc_info=failed.exc_value, extra={"fields": fields})
