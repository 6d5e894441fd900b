"""Spans to an OpenTelemetry collector by OTLP over HTTP. Imported only when SCRAPERSKY_TRACES is set.

Spans are made when an attempt has ended: no context is carried through the engine, and a dead worker leaves none open.
They are sent by a thread of their own; a collector that is away costs spans, never rows.
"""

import os
import socket
import time

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from actors._workflow import Workflow
from app import VERSION
from app.logs import redact
from app.traces import Traces, lead_of, trace_id
from db.lifecycle import Claimed
from db.outcomes import Again, Blocked, Failed, Found, Outcome

NANO = 1_000_000_000
PATH = "/v1/traces"
SECONDS_TO_SEND = 5


class OtlpTraces(Traces):
    def __init__(self, endpoint: str) -> None:
        address = endpoint.rstrip("/")
        exporter = OTLPSpanExporter(
            endpoint=address if address.endswith(PATH) else address + PATH, timeout=SECONDS_TO_SEND
        )
        self._processor = BatchSpanProcessor(exporter)
        self._ids = RandomIdGenerator()
        self._scope = InstrumentationScope("scrapersky", VERSION)
        self._resource = Resource.create(
            {
                "service.name": "scrapersky",
                "service.version": VERSION,
                "service.instance.id": f"{socket.gethostname()}:{os.getpid()}",
            }
        )

    def attempted(self, workflow: Workflow, claimed: Claimed, outcome: Outcome, seconds: float) -> None:
        lead = lead_of(workflow, claimed, outcome)
        ended = time.time_ns()
        span = ReadableSpan(
            name=f"process {workflow.name}",
            context=SpanContext(
                trace_id(lead),
                self._ids.generate_span_id(),
                is_remote=False,
                trace_flags=TraceFlags(TraceFlags.SAMPLED),
            ),
            resource=self._resource,
            instrumentation_scope=self._scope,
            kind=SpanKind.CONSUMER,
            attributes={
                "messaging.system": "scrapersky",
                "messaging.operation.type": "process",
                "messaging.destination.name": workflow.name,
                "scrapersky.lead": lead,
                "scrapersky.row": claimed.pk,
                "scrapersky.generation": claimed.generation,
                "scrapersky.attempt": claimed.attempt,
                "scrapersky.waited_seconds": claimed.waited,
                "scrapersky.outcome": type(outcome).__name__.lower(),
            },
            status=_status(outcome),
            start_time=ended - int(seconds * NANO),
            end_time=ended,
        )
        self._processor.on_end(span)

    def close(self) -> None:
        self._processor.shutdown()  # type: ignore[no-untyped-call]


def _status(outcome: Outcome) -> Status:
    match outcome:
        case Found():
            return Status(StatusCode.OK)
        case Again(error=text) | Failed(error=text) | Blocked(reason=text):
            return Status(StatusCode.ERROR, redact(text))
        case _:
            return Status(StatusCode.UNSET)
