"""Counts what leaves the machine: fetches of workflows, calls of the Places API. Who makes them knows no metrics."""

from typing import Any, Final

from actors.errors import Busy, Denied, FetchError, NotThere, ServerFault, TooSlow, Unreachable, Unusable
from actors.fetch.answer import Answer
from actors.fetch.places import LARGEST_ANSWER, POSITION_MASK, Ask
from app import metrics

RESULTS: Final[dict[type[FetchError], str]] = {
    Unreachable: "unreachable",
    TooSlow: "too_slow",
    ServerFault: "server_fault",
    Busy: "busy",
    Denied: "denied",
    NotThere: "not_there",
    Unusable: "unusable",
    FetchError: "unusable",
}

# Google's list price of the first tier for the fields that are asked for: Text Search Enterprise, Text Search Pro and
# Place Details Enterprise, US dollars for a thousand calls in 2025. What is refused costs nothing.
PRICES: Final = {"search": 35, "locate": 32, "details": 20}

_TOO_MANY: Final = 429


class FetchCounts:
    """Watches the web of one workflow's run."""

    def __init__(self, workflow: str) -> None:
        self.workflow = workflow

    def __call__(self, error: FetchError | None) -> None:
        if error is None:
            metrics.fetches.labels(self.workflow, "ok").inc()
            return
        result = next(word for kind, word in RESULTS.items() if isinstance(error, kind))
        metrics.fetches.labels(self.workflow, result).inc()
        if reason := blocked_by(error):
            metrics.blocks.labels(self.workflow, reason).inc()


def blocked_by(error: FetchError) -> str | None:
    """Who refused: our own guard and manners by the error's kind, or the site by its answer. None: it merely failed."""
    if isinstance(error, Busy):
        return "busy"
    if isinstance(error, Denied) and error.status is not None:
        return "forbidden"
    return error.kind if isinstance(error, Denied | Unusable) and error.kind in metrics.BLOCKS else None


def count_calls(ask: Ask) -> Ask:
    """The same door to the Places API, with a counter in it."""

    def counted(
        method: str, url: str, *, headers: dict[str, str], json: Any = None, most: int = LARGEST_ANSWER
    ) -> Answer:
        kind = question(method, headers)
        try:
            answer = ask(method, url, headers=headers, json=json, most=most)
        except FetchError:
            metrics.places_calls.labels(kind, "unreachable").inc()
            raise
        result = answer_class(answer.status)
        metrics.places_calls.labels(kind, result).inc()
        if result == "ok":
            metrics.places_cost.labels(kind).inc(PRICES[kind])
        return answer

    return counted


def question(method: str, headers: dict[str, str]) -> str:
    if method == "GET":
        return "details"
    return "locate" if headers["X-Goog-FieldMask"] == POSITION_MASK else "search"


def answer_class(status: int) -> str:
    if status == _TOO_MANY:
        return "quota"
    return {2: "ok", 4: "refused"}.get(status // 100, "fault")
