"""The cookie of a session, where it counts and how it ends; and requests that another site makes the browser send."""

import pytest

from tests.dashboard_support import TOKEN, text_of, visitor_of


@pytest.fixture
def guarded(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        yield visitor


def test_a_copy_of_the_cookie_opens_nothing_after_signing_out_and_other_sessions_go_on(database, guarded):
    guarded.sign_in()
    copied = guarded.client.get_cookie("scrapersky").value
    with visitor_of(database, web_token=TOKEN) as elsewhere:
        elsewhere.sign_in("eve")
        guarded.post("/sign-out")

        assert elsewhere.get("/").request.path == "/"
        elsewhere.client.set_cookie("scrapersky", copied)
        assert elsewhere.get("/").request.path == "/sign-in"
    with visitor_of(database, web_token=TOKEN) as restarted:
        restarted.client.set_cookie("scrapersky", copied)
        assert restarted.get("/").request.path == "/sign-in"


@pytest.mark.parametrize(
    ("settings", "proto", "is_secure"),
    [
        ({}, "https", False),
        ({"web_proxies": "10.0.0.7"}, "https", True),
        ({"web_proxies": "10.0.0.7"}, "http", False),
        ({"web_proxies": "10.0.0.8"}, "https", False),
        ({"web_tls": "true"}, "http", True),
    ],
)
def test_the_cookie_is_for_tls_alone_where_browsers_come_by_tls(database, settings, proto, is_secure):
    with visitor_of(database, web_token=TOKEN, **settings) as visitor:
        answer = visitor.client.post(
            "/sign-in",
            data={"token": TOKEN},
            headers={"X-Forwarded-Proto": proto},
            environ_overrides={"REMOTE_ADDR": "10.0.0.7"},
        )

    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-scrapersky=" if is_secure else "scrapersky=")
    assert ("Secure" in cookie, "HttpOnly" in cookie, "SameSite=Strict" in cookie) == (is_secure, True, True)
    assert "Path=/" in cookie
    assert "Domain" not in cookie


def test_a_cookie_that_was_planted_without_tls_opens_nothing_by_tls(database, guarded):
    guarded.sign_in()
    planted = guarded.client.get_cookie("scrapersky").value

    with visitor_of(database, web_token=TOKEN, web_tls="true") as visitor:
        visitor.client.set_cookie("scrapersky", planted)

        assert visitor.get("/").request.path == "/sign-in"


@pytest.mark.parametrize(
    ("page", "status"), [("http://evil.example/", 403), ("http://localhost/contacts", 200), (None, 200)]
)
def test_over_plain_http_the_page_that_asks_for_an_export_is_known_by_its_address(database, page, status):
    with visitor_of(database) as visitor:
        answer = visitor.get("/contacts/export?format=csv", headers={"Referer": page} if page else {})

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("site", "status"), [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200), (None, 200)]
)
def test_a_page_of_another_site_can_not_start_an_export_and_a_bookmark_can(database, site, status):
    with visitor_of(database) as visitor:
        headers = {"Sec-Fetch-Site": site} if site else {}
        answer = visitor.get("/contacts/export?format=csv", headers=headers)

    assert answer.status_code == status
    if status == 403:
        assert "open Contacts here" in text_of(answer)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[broken"}, 403),
        ({"Referer": "http://evil.example/localhost"}, 403),
        ({"Origin": "http://localhost:9465", "Referer": "http://evil.example/"}, 403),
        ({"Origin": "http://localhost:9465", "Referer": "http://localhost:9465/workers"}, 302),
        ({}, 302),
    ],
)
def test_without_sec_fetch_site_a_form_is_ours_by_its_origin(guarded, headers, status):
    """As over plain HTTP."""
    guarded.sign_in()
    fields = {"form_token": guarded.form_token()}

    assert guarded.client.post("/workflows/deep_scan/pause", data=fields, headers=headers).status_code == status
