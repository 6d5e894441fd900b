"""A bad certificate is named; a public page is read in spite of it, an API is not asked."""

import ssl
from datetime import UTC, datetime, timedelta

import pytest
import trustme

from actors.errors import Unreachable, Unusable
from tests.web_support import LocalWeb, authority, client_for, redirect, server_context, web_for

HOME = "https://clinic.example/"


def context_with(leaf):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    leaf.configure_cert(context)
    return context


def expired(name):
    long_ago = datetime.now(UTC) - timedelta(days=400)
    return context_with(authority().issue_cert(name, not_before=long_ago, not_after=long_ago + timedelta(days=90)))


def from_the_future(name):
    return context_with(authority().issue_cert(name, not_before=datetime.now(UTC) + timedelta(days=1)))


def for_another_name(_):
    return server_context("hoster.example")


def from_nobody(name):
    return context_with(trustme.CA().issue_cert(name))


BAD = [
    (expired, "tls_expired"),
    (from_the_future, "tls_expired"),
    (for_another_name, "tls_name"),
    (from_nobody, "tls_chain"),
]


@pytest.mark.parametrize(("certificate_for", "kind"), BAD)
def test_a_page_with_a_bad_certificate_is_read_and_says_so(certificate_for, kind):
    with LocalWeb({HOME: "hello"}, certificate_for=certificate_for) as local:
        web = web_for(local)
        answer = web.get(HOME)
        with web.stream(HOME, most=1000) as stream:
            body = b"".join(stream)

    assert (answer.body, answer.tls_problem) == (b"hello", kind)
    assert (body, stream.tls_problem) == (b"hello", kind)


@pytest.mark.parametrize(("certificate_for", "kind"), BAD)
def test_an_api_with_a_bad_certificate_never_hears_the_key(certificate_for, kind):
    with (
        LocalWeb({HOME: "hello"}, certificate_for=certificate_for) as local,
        pytest.raises(Unusable, match="the certificate") as failed,
    ):
        client_for(local).ask("GET", HOME, headers={"X-Key": "secret"})

    assert failed.value.kind == kind
    assert local.asked == []


def test_a_problem_on_the_way_is_told_at_the_end():
    def certificate_for(name):
        return for_another_name(name) if name == "old.example" else server_context(name)

    pages = {"https://old.example/": redirect(HOME), HOME: "hello"}

    with LocalWeb(pages, certificate_for=certificate_for) as local:
        web = web_for(local)
        through, straight = web.get("https://old.example/"), web.get(HOME)

    assert through.tls_problem == "tls_name"
    assert straight.tls_problem is None


def test_a_server_that_agrees_to_no_tls_is_unreachable():
    with LocalWeb({}, certificate_for=lambda _: None) as local, pytest.raises(Unreachable, match="TLS") as failed:
        client_for(local).ask("GET", HOME, headers={})

    assert failed.value.kind == "tls_handshake"


@pytest.mark.parametrize(
    "name", ["a_b.clinic.example", "-x.clinic.example", "xn--strae-oqa.example", f"{'a' * 63}.example"]
)
def test_a_name_that_dns_would_frown_upon_is_no_crash(name):
    with LocalWeb({f"https://{name}/": "hello"}, certificate_for=for_another_name) as local:
        answer = web_for(local).get(f"https://{name}/")

    assert answer.body == b"hello"
