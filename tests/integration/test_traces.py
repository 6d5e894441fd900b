"""Traces: the stages of one lead meet in one trace at a real OTLP receiver."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from actors.domain_extraction import domain_extraction
from actors.domain_metadata import domain_metadata
from app.config import ConfigurationError, load_settings
from app.traces import Traces, open_traces, trace_id
from tests.web_support import LocalWeb, client_for

pytest_plugins = ["tests.runner_support"]


class Collector(ThreadingHTTPServer):
    """Takes spans as an OpenTelemetry collector does, and keeps them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.spans: list[Span] = []
        self.paths: set[str] = set()


class _Receiver(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            self.server.spans += [span for scope in resource.scope_spans for span in scope.spans]
        self.server.paths.add(self.path)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def traces_to(url: str) -> Traces:
    return open_traces(load_settings({"SCRAPERSKY_TRACES": url}, env_file=None))


def attributes(span: Span) -> dict[str, str]:
    return {one.key: one.value.string_value or str(one.value.int_value) for one in span.attributes}


def test_two_stages_of_one_lead_are_spans_of_one_trace(db, database, run_once, collector):
    traces = traces_to(collector.url)
    db.execute(
        "insert into local_businesses (business_name, website_url, domain_extraction_status) "
        "values ('Clinic', 'https://www.clinic.com/?key=hidden', 'Queued')"
    )

    run_once(database, domain_extraction, traces=traces)
    with LocalWeb({"https://clinic.com/": "<title>The clinic</title>"}) as local:
        run_once(database, domain_metadata, client=client_for(local), traces=traces)
    traces.close()

    first, second = collector.spans
    assert collector.paths == {"/v1/traces"}
    assert (first.name, second.name) == ("process domain_extraction", "process domain_metadata")
    assert first.trace_id == second.trace_id == trace_id("clinic.com").to_bytes(16, "big")
    assert first.span_id != second.span_id
    assert {first.kind, second.kind} == {Span.SpanKind.SPAN_KIND_CONSUMER}
    assert first.start_time_unix_nano <= first.end_time_unix_nano <= second.end_time_unix_nano
    told = attributes(second)
    assert (told["scrapersky.lead"], told["scrapersky.outcome"], told["scrapersky.attempt"]) == (
        "clinic.com",
        "found",
        "1",
    )
    assert "hidden" not in str(collector.spans)


def test_an_attempt_that_fails_says_why_without_secrets(db, database, run_once, collector):
    traces = traces_to(f"{collector.url}/v1/traces")
    db.execute("insert into domains (domain, status) values ('nobody.com', 'pending')")

    with LocalWeb({}) as local:
        run_once(database, domain_metadata, client=client_for(local), traces=traces)
    traces.close()

    (span,) = collector.spans
    assert span.status.code == span.status.STATUS_CODE_ERROR
    assert span.status.message
    assert attributes(span)["scrapersky.outcome"] in {"again", "failed"}


def test_a_collector_that_is_away_costs_no_row(db, database, run_once):
    traces = traces_to("http://127.0.0.1:9")
    db.execute(
        "insert into local_businesses (business_name, website_url, domain_extraction_status) "
        "values ('Clinic', 'https://www.clinic.com/', 'Queued')"
    )

    run_once(database, domain_extraction, traces=traces)
    traces.close()

    assert db.execute("select domain_extraction_status from local_businesses").fetchone() == ("Completed",)


def test_traces_are_off_by_default_and_then_import_nothing():
    # The client of Redis imports parts of OpenTelemetry for itself where they are installed.
    program = (
        "import sys, app.process; print([name for name in sys.modules if 'exporter' in name or name == 'app.otlp'])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
    assert type(traces_to("")) is Traces


@pytest.mark.parametrize("url", ["collector:4318", "http://me:hidden@collector", "grpc://collector:4317"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ConfigurationError, match="SCRAPERSKY_TRACES: expected http://host:4318") as refusal:
        traces_to(url)

    assert "hidden" not in str(refusal.value)
