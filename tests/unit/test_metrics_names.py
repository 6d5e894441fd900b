"""/metrics answers to names of ours, so that a page elsewhere can not read it through a name of its own."""

import pytest

from app.config import Settings
from app.exposition import for_our_names

SETTINGS = Settings(metrics_host="0.0.0.0", web_names="metrics.acme.example")  # noqa: S104 - no socket is opened


def status_for(host):
    def serve(_, start):
        start("200 OK", [])
        return [b"figures"]

    told = []
    body = b"".join(for_our_names(serve, SETTINGS)({"HTTP_HOST": host}, lambda status, _: told.append(status)))
    return told[0][:3], body


@pytest.mark.parametrize(
    "host", ["127.0.0.1:9464", "[::1]:9464", "localhost", "10.0.0.7", "workers:9464", "metrics.acme.example", ""]
)
def test_an_address_a_name_of_ours_and_one_without_a_dot_are_answered(host):
    assert status_for(host) == ("200", b"figures")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:9464", "127.0.0.1.evil.example", "workers.evil.example"]
)
def test_a_foreign_name_is_refused_with_the_remedy(host):
    status, body = status_for(host)

    assert status == "421"
    assert b"SCRAPERSKY_WEB_NAMES" in body
    assert b"figures" not in body
