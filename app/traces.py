"""Optional traces: a span per attempt, and one trace per lead over the stages that know its domain.

Nobody hands a trace from stage to stage: rows are queued by plain SQL. So its id is worked out from the lead itself, by
every process alike. Off, which is the default, nothing is imported and nothing is kept.
"""

from hashlib import blake2b

from actors._workflow import Workflow
from app.config import Settings
from db.lifecycle import Claimed
from db.outcomes import Found, Outcome

TRACE_BYTES = 16


class Traces:
    """Off."""

    def attempted(self, workflow: Workflow, claimed: Claimed, outcome: Outcome, seconds: float) -> None:
        """An attempt that has just ended, and for how long it ran."""

    def close(self) -> None:
        """Send what is left."""


def open_traces(settings: Settings) -> Traces:
    if not settings.traces:
        return Traces()
    from app.otlp import OtlpTraces  # noqa: PLC0415 - an extra that need not be installed

    return OtlpTraces(settings.traces)


def lead_of(workflow: Workflow, claimed: Claimed, outcome: Outcome) -> str:
    """Whom it was about: the domain that the row reads or has found, else the row itself."""
    domain = dict(zip(workflow.columns, claimed.values, strict=True)).get("domain")
    if isinstance(outcome, Found):
        domain = domain or outcome.values.get("domain")
    return str(domain) if domain else f"{workflow.name}/{claimed.pk}"


def trace_id(lead: str) -> int:
    return int.from_bytes(blake2b(lead.encode(), digest_size=TRACE_BYTES).digest(), "big")
