"""The dashboard without a server: Flask's own client on a database of the test, and a reader of what it answers."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from selectolax.lexbor import LexborHTMLParser
from werkzeug.test import TestResponse

from actors.registry import WORKFLOWS
from app.config import Settings
from app.web.site import create_site
from db.connections import open_pool

TOKEN = "a-long-token-for-tests"  # noqa: S105 - opens nothing but this test


class Visitor:
    """Somebody at a browser: follows redirects, fills in forms, reads text."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(path, follow_redirects=True, buffered=True, **options)

    def text(self, path: str) -> str:
        """What a person reads there."""
        return text_of(self.get(path))

    def sign_in(self, name: str = "ada") -> None:
        answer = self.client.post("/sign-in", data={"name": name, "token": TOKEN, "to": "/"})
        assert answer.status_code == 302, answer.text

    def form_token(self) -> str:
        found = re.search(r'name="form_token" value="([^"]+)"', self.client.get("/workers").text)
        assert found
        return found[1]

    def post(self, path: str, **fields: str) -> TestResponse:
        """As a form of the dashboard would."""
        return self.client.post(path, data={"form_token": self.form_token(), **fields}, follow_redirects=True)


@contextmanager
def site_on(url: str, **settings: Any) -> Iterator[Flask]:
    pool = open_pool(url, size=3, name="dashboard")
    try:
        yield create_site(Settings(database_url=url, **settings), pool, WORKFLOWS)
    finally:
        pool.close()


@contextmanager
def visitor_of(url: str, **settings: Any) -> Iterator[Visitor]:
    with site_on(url, **settings) as site:
        yield Visitor(site.test_client())


def text_of(answer: TestResponse) -> str:
    body = LexborHTMLParser(answer.text).body
    assert body is not None
    return " ".join(body.text(separator=" ").split())
