"""Everything goes out through the proxy when there is one, and what the proxy cannot do is told apart."""

from base64 import b64encode

import pytest

from actors.errors import Denied, NotThere, Unreachable
from tests.web_support import LocalWeb, Reply, client_for, redirect, web_for

HTTP, HTTPS = "http://clinic.example/", "https://clinic.example/"


def nowhere(host, port):
    raise AssertionError(f"{host}:{port} was looked up here, not by the proxy")


def through(local, credentials=""):
    return {"proxy": f"http://{credentials}127.0.0.1:{local.ports[80]}", "resolve": nowhere, "trusted": ()}


def test_pages_of_both_schemes_come_through_the_proxy():
    pages = {HTTP: redirect(HTTPS), HTTPS: "hello"}

    with LocalWeb(pages) as local:
        answer = web_for(local, **through(local)).get(HTTP)

    assert answer.body == b"hello"
    assert answer.hops == (HTTP, HTTPS)
    assert [asked.url for asked in local.asked if asked.method == "CONNECT"] == ["clinic.example:443"]


def test_an_api_is_asked_through_the_proxy():
    with LocalWeb({HTTPS: lambda asked: Reply(200, asked.body)}) as local:
        answer = client_for(local, **through(local)).ask("POST", HTTPS, headers={}, json=[1])

    assert answer.body == b"[1]"


@pytest.mark.parametrize("url", [HTTP, HTTPS])
def test_the_password_goes_to_the_proxy_only(url):
    with LocalWeb({url: "hello"}) as local:
        web_for(local, **through(local, "someone:p%40ss@")).get(url)

    said = [asked.headers.get("proxy-authorization") for asked in local.asked]
    expected = "Basic " + b64encode(b"someone:p@ss").decode()
    assert said == ([expected, expected] if url == HTTP else [expected, None, None])


@pytest.mark.parametrize(
    ("url", "asked_as"), [(HTTP, "http://clinic.example/robots.txt"), (HTTPS, "clinic.example:443")]
)
def test_a_host_that_the_proxy_does_not_know_is_not_there(url, asked_as):
    unknown = Reply(502, "", {"X-ScraperSky-Proxy": "dns"})

    with LocalWeb({asked_as: unknown}) as local, pytest.raises(NotThere) as failed:
        web_for(local, **through(local)).get(url)

    assert failed.value.kind == "dns"


@pytest.mark.parametrize(
    ("status", "expected"), [(502, Unreachable), (504, Unreachable), (407, Unreachable), (403, Denied)]
)
def test_a_proxy_that_refuses_is_told_from_a_site_that_does(status, expected):
    with (
        LocalWeb({"clinic.example:443": Reply(status)}) as local,
        pytest.raises(expected, match=f"proxy answered {status}") as failed,
    ):
        client_for(local, **through(local)).ask("GET", HTTPS, headers={})

    assert failed.value.kind == "proxy"


def test_a_proxy_that_is_not_there_is_said_without_its_password():
    proxy = "http://someone:secret@127.0.0.1:1"

    with LocalWeb({}) as local, pytest.raises(Unreachable, match="the proxy cannot be reached") as failed:
        client_for(local, proxy=proxy).ask("GET", HTTPS, headers={})

    assert failed.value.kind == "proxy"
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "http://localhost/", "http://2130706433/", "https://[::1]/"]
)
def test_the_proxy_is_not_asked_for_what_lies_inside(url):
    with LocalWeb({}) as local, pytest.raises(Denied):
        web_for(local, **through(local)).get(url)

    assert local.asked == []


def test_a_proxy_of_another_kind_is_refused_at_the_start():
    with LocalWeb({}) as local, pytest.raises(ValueError, match="not socks5://"):
        client_for(local, proxy="socks5://127.0.0.1:1080")
