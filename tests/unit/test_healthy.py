"""The check of containers: it believes what the service says of itself."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from app.healthy import what_is_wrong


@contextmanager
def answering(status: int, body: str) -> Iterator[str]:
    """A service on a free port; its number is what comes back."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield str(server.server_port)
        server.shutdown()


@pytest.mark.parametrize(
    ("page", "wanted", "wrong"),
    [
        ("# HELP x\nscrapersky_database_up 1.0\n", [], None),
        ("scrapersky_database_up 0.0\n", [], "scrapersky_database_up: not 1"),
        ("another 1.0\n", [], "scrapersky_database_up: not 1"),
        ('other{a="b c"} 7\nscrapersky_listener_connected 2.0\n', ["scrapersky_listener_connected"], None),
    ],
)
def test_a_service_is_well_when_the_named_gauges_are_up(page, wanted, wrong, monkeypatch):
    with answering(200, page) as port:
        monkeypatch.setenv("SCRAPERSKY_METRICS_PORT", port)

        assert what_is_wrong(wanted) == wrong


@pytest.mark.parametrize(("status", "wrong"), [(200, None), (503, "/readyz answers 503")])
def test_the_dashboard_is_well_when_it_says_so(status, wrong, monkeypatch):
    with answering(status, "") as port:
        monkeypatch.setenv("SCRAPERSKY_WEB_PORT", port)

        assert what_is_wrong(["web"]) == wrong


def test_who_does_not_answer_is_not_well(monkeypatch):
    with answering(200, "") as port:
        pass
    monkeypatch.setenv("SCRAPERSKY_METRICS_PORT", port)

    assert "no answer" in (what_is_wrong([]) or "")
