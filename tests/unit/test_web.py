"""One page from one host: redirects, statuses, validators, and what is said about each."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_network

import pytest

from actors.errors import Busy, Denied, NotThere, ServerFault, Unreachable, Unusable
from actors.fetch.web import WebOptions
from tests.sandbox_support import new_reader
from tests.web_support import USER_AGENT, LocalWeb, Raw, Reply, client_for, redirect, web_for

HOME = "https://clinic.example/"


def test_a_page_comes_back_with_its_headers_and_says_who_asked():
    with LocalWeb({HOME: Reply(200, "<h1>Hello</h1>", {"ETag": '"1"'})}) as local:
        answer = web_for(local).get(HOME)

    assert (answer.url, answer.status, answer.body) == (HOME, 200, b"<h1>Hello</h1>")
    assert answer.headers["etag"] == '"1"'
    assert {asked.headers["user-agent"] for asked in local.asked} == {USER_AGENT}


def test_redirects_are_followed_and_every_hop_is_recorded():
    pages = {
        "http://clinic.example/": redirect("https://clinic.example/", 301),
        "https://clinic.example/": redirect("//www.clinic.example/home?x=1#top"),
        "https://www.clinic.example/home?x=1": redirect("/über", 308),
        "https://www.clinic.example/%C3%BCber": "here",
    }

    with LocalWeb(pages) as local:
        answer = web_for(local).get("http://clinic.example/#fragment")

    assert answer.body == b"here"
    assert answer.hops == tuple(pages)
    assert local.urls == list(pages)


def test_redirects_in_a_circle_end_as_unusable():
    pages = {HOME: redirect("/a"), f"{HOME}a": redirect("/b"), f"{HOME}b": redirect("/a")}

    with LocalWeb(pages) as local, pytest.raises(Unusable, match="in a circle") as failed:
        web_for(local).get(HOME)

    assert failed.value.kind == "redirects"
    assert len(local.urls) == 3


def test_an_endless_redirect_ends_after_five_hops():
    def onward(asked):
        return redirect(f"{asked.url}x")

    pages = {HOME + "x" * length: onward for length in range(20)}

    with LocalWeb(pages) as local, pytest.raises(Unusable, match="more than 5 redirects") as failed:
        web_for(local).get(HOME)

    assert failed.value.kind == "redirects"
    assert len(local.urls) == 6


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("http://169.254.169.254/latest/meta-data/", "address"),
        ("http://[::ffff:a9fe:a9fe]/", "address"),
        ("http://0x7f.2/", "address"),
        ("http://metadata.google.internal/", "address"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://clinic.example:80/_x", "scheme"),
        ("https://clinic.example:22/", "port"),
    ],
)
def test_a_redirect_to_where_nothing_is_fetched_is_denied(location, kind):
    with LocalWeb({HOME: redirect(location)}) as local, pytest.raises(Denied) as failed:
        web_for(local).get(HOME)

    assert failed.value.kind == kind
    assert local.urls == [HOME]


def test_a_name_that_turns_private_between_two_requests_leads_nowhere():
    leads = iter(["127.0.0.1", "127.0.0.1", "10.0.0.7"])
    # Each answer ends its connection, so each request looks the name up again.
    closing = {"Connection": "close"}
    pages = {
        "http://clinic.example/": Reply(200, "one", closing),
        "http://clinic.example/robots.txt": Reply(404, "", closing),
    }

    with LocalWeb(pages) as local:

        def flips(_host, port):
            return [(next(leads), local.ports[port])]

        web = web_for(local, resolve=flips)
        first = web.get("http://clinic.example/")
        with pytest.raises(Denied, match=r"10\.0\.0\.7 of clinic\.example is private") as failed:
            web.get("http://clinic.example/")

    assert first.body == b"one"
    assert failed.value.kind == "address"


@pytest.mark.parametrize(
    ("status", "expected"),
    [(401, Denied), (403, Denied), (451, Denied), (999, Denied), (404, NotThere), (410, NotThere), (418, NotThere),
     (408, ServerFault), (500, ServerFault), (503, ServerFault), (522, ServerFault), (304, Unusable), (302, Unusable)],
)  # fmt: skip
def test_a_status_says_what_becomes_of_the_row(status, expected):
    with LocalWeb({HOME: Reply(status)}) as local, pytest.raises(expected) as failed:
        web_for(local).get(HOME)

    assert type(failed.value) is expected
    assert (failed.value.status, failed.value.kind, failed.value.url) == (status, f"http_{status}", HOME)
    assert str(failed.value).startswith(f"{HOME}: {status}")


def in_two_minutes():
    return format_datetime(datetime.now(UTC) + timedelta(seconds=120), usegmt=True)


@pytest.mark.parametrize(
    ("status", "header", "least", "most"),
    [
        (429, "90", 90, 90),
        (503, "90", 90, 90),
        (429, None, 60, 60),
        (429, "999999999999999999999", 3600, 3600),
        (429, "0", 5, 5),
        (429, "-1", 60, 60),
        (429, "soon", 60, 60),
        (429, "Mon, 01 Jan 99999999999999999999 00:00:00 GMT", 60, 60),
        (503, "Thu, 01 Jan 1970 00:00:00 GMT", 5, 5),
        (503, in_two_minutes, 60, 120),
    ],
)
def test_a_busy_server_is_left_alone_for_as_long_as_it_asks_within_reason(status, header, least, most):
    value = header() if callable(header) else header
    reply = Reply(status, headers={} if value is None else {"Retry-After": value})

    with LocalWeb({HOME: reply}) as local:
        web = web_for(local)
        with pytest.raises(Busy) as failed:
            web.get(HOME)

    assert least <= failed.value.delay.total_seconds() <= most
    assert web.spare == failed.value.delay.total_seconds()


def test_a_known_page_is_asked_for_only_if_it_has_changed():
    def page(asked):
        return Reply(304) if asked.headers.get("if-none-match") == '"1"' else "new"

    with LocalWeb({HOME: page}) as local:
        web = web_for(local)
        same = web.get(HOME, etag='"1"', last_modified="Thu, 01 Jan 2026 00:00:00 GMT")
        changed = web.get(HOME, etag='"0"')

    assert (same.status, same.body) == (304, b"")
    assert local.asked[1].headers["if-modified-since"] == "Thu, 01 Jan 2026 00:00:00 GMT"
    assert (changed.status, changed.body) == (200, b"new")


def test_a_validator_that_no_header_can_hold_is_an_error_of_ours():
    with LocalWeb({HOME: "x"}) as local, pytest.raises(Unusable):
        web_for(local).get(HOME, etag='"1"\r\nX-Evil: 1')


def test_a_connection_is_kept_for_the_next_run_of_its_host_until_the_client_is_closed():
    lookups = []

    with LocalWeb({HOME: "one"}) as local:

        def counting(host, port):
            lookups.append(host)
            return local.resolve(host, port)

        client = client_for(local, resolve=counting)
        for _ in range(3):
            web = client.open(new_reader())
            web.get(HOME)
            web.close()
        client.close()
        web.get(HOME)
        web.close()

    assert lookups == ["clinic.example", "clinic.example"]


def test_two_runs_at_a_time_never_share_a_connection():
    with LocalWeb({HOME: "one", f"{HOME}two": "two"}) as local:
        client = client_for(local)
        first, second = (local.until_closed(client.open(new_reader())) for _ in range(2))
        with first.stream(HOME, most=1_000) as one, second.stream(f"{HOME}two", most=1_000) as two:
            bodies = b"".join(two), b"".join(one)

    assert bodies == (b"two", b"one")


def test_a_kept_connection_that_the_server_closes_under_us_is_made_anew():
    answers = iter([Raw([b""]), "hello"])

    with LocalWeb({HOME: lambda _: next(answers)}) as local:
        answer = web_for(local).get(HOME)

    assert answer.body == b"hello"


def test_a_server_that_closes_a_new_connection_is_not_asked_again():
    pages = {HOME: Raw([b""]), f"{HOME}robots.txt": Reply(404, "", {"Connection": "close"})}

    with LocalWeb(pages) as local, pytest.raises(Unreachable) as failed:
        web_for(local).get(HOME)

    assert failed.value.kind == "cut_off"
    assert len(local.urls) == 1


def test_nobody_listening_is_unreachable():
    with LocalWeb({}) as local:
        web = web_for(local, trusted=(ip_network("127.0.0.0/8"),), resolve=lambda *_: [("127.0.0.1", 1)])
        with pytest.raises(Unreachable) as failed:
            web.get("http://clinic.example/")

    assert failed.value.kind == "robots_unreachable"
    assert "no connection" in str(failed.value)


def test_while_a_stream_is_open_nothing_else_is_asked():
    with LocalWeb({HOME: "one"}) as local:
        web = web_for(local)
        with web.stream(HOME, most=100), pytest.raises(RuntimeError, match="one thing at a time"):
            web.get(HOME)


def test_an_api_is_asked_without_robots_and_any_status_is_an_answer():
    with LocalWeb({"https://api.example/v1": lambda asked: Reply(429, asked.body)}) as local:
        answer = client_for(local).ask("POST", "https://api.example/v1", headers={"X-Key": "k"}, json={"ü": [1]})

    assert (answer.status, answer.body) == (429, b'{"\\u00fc": [1]}')
    assert [asked.headers["x-key"] for asked in local.asked] == ["k"]


def test_an_api_that_redirects_is_not_followed():
    with LocalWeb({"https://api.example/v1": redirect("https://elsewhere.example/")}) as local:
        answer = client_for(local).ask("GET", "https://api.example/v1", headers={})

    assert answer.status == 302
    assert len(local.asked) == 1


def test_an_api_inside_the_network_is_not_asked():
    with LocalWeb({}) as local, pytest.raises(Denied):
        client_for(local).ask("GET", "http://169.254.169.254/", headers={})


def test_the_password_of_a_proxy_is_not_in_the_options_as_printed():
    options = WebOptions(user_agent="A/1", proxy="http://someone:secret@proxy.example:3128")

    assert "secret" not in repr(options)
