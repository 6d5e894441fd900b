"""Who may see the dashboard and change things there: host names, tokens, sessions and forms."""

import pytest

from app.config import ConfigurationError, Settings, load_settings
from app.web.address import check_exposure
from app.web.gate import WRONG_FROM_ALL
from tests.dashboard_support import TOKEN, text_of, visitor_of
from tests.shared_database import shared_database

PAUSED = "select paused, paused_reason from engine.workflow where name = 'deep_scan'"


@pytest.fixture(scope="module")
def database(server, template):
    """One for all: nothing here may change anything."""
    with shared_database(server, template, "dashboard_gate") as url:
        yield url


@pytest.fixture
def visitor(database):
    with visitor_of(database) as visitor:
        yield visitor


@pytest.fixture
def guarded(database):
    with visitor_of(database, web_token=TOKEN) as visitor:
        yield visitor


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "a@b"])
def test_a_foreign_name_for_this_machine_is_refused(visitor, name):
    answer = visitor.get("/", headers={"Host": name})

    assert answer.status_code in {400, 421}
    assert "deep_scan" not in answer.text


@pytest.mark.parametrize(
    "name", ["localhost", "localhost:9465", "127.0.0.1:9465", "[::1]:9465", "192.168.1.7", "LOCALHOST."]
)
def test_a_name_of_this_machine_is_answered(visitor, name):
    assert visitor.get("/", headers={"Host": name}).status_code == 200


def test_a_name_from_the_settings_is_answered(database):
    with visitor_of(database, web_names="leads.example") as visitor:
        assert visitor.get("/", headers={"Host": "leads.example:80"}).status_code == 200


def test_health_is_told_whatever_the_name(visitor):
    assert visitor.get("/livez", headers={"Host": "evil.example"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/livez", "/static/dashboard.css", "/nowhere"])
def test_every_answer_forbids_what_the_dashboard_does_not_need(visitor, path):
    headers = visitor.get(path).headers

    assert headers["Content-Security-Policy"].startswith("default-src 'self'; script-src 'self'; style-src 'self'")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"  # with less, our own forms have the origin `null`
    assert "unsafe" not in headers["Content-Security-Policy"]


def test_no_page_has_a_style_or_a_script_in_it(visitor):
    for path in ("/", "/workflows/deep_scan", "/workers", "/search?q=x", "/nowhere"):
        page = visitor.get(path).text
        assert " style=" not in page
        assert "<style" not in page
        assert "<script>" not in page
        assert " on" + "click=" not in page


def test_without_a_token_nobody_changes_anything(visitor, db):
    answer = visitor.client.post("/workflows/deep_scan/pause", data={"reason": "x"})

    assert answer.status_code == 403
    assert "SCRAPERSKY_WEB_TOKEN" in text_of(answer)
    assert '<form method="post"' not in visitor.get("/workflows/deep_scan").text
    assert db.execute(PAUSED).fetchone() == (False, None)


@pytest.mark.parametrize("path", ["/", "/workflows/deep_scan", "/search?q=1", "/workers"])
def test_with_a_token_nothing_is_shown_before_signing_in(guarded, path):
    answer = guarded.get(path)

    assert answer.request.path == "/sign-in"
    assert "deep_scan" not in answer.text.replace("to=/workflows/deep_scan", "").replace("/workflows/deep_scan", "")


def test_live_parts_are_refused_before_signing_in(guarded):
    assert guarded.get("/", headers={"HX-Request": "true"}).status_code == 401


def test_the_right_token_opens_and_leads_to_where_one_wanted_to_go(guarded):
    answer = guarded.client.post("/sign-in", data={"token": TOKEN, "name": "Ada  L.", "to": "/workers?x=1"})

    assert answer.headers["Location"] == "/workers?x=1"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert "Ada L." in guarded.text("/")


@pytest.mark.parametrize("to", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", ""])
def test_signing_in_leads_nowhere_else(guarded, to):
    answer = guarded.client.post("/sign-in", data={"token": TOKEN, "to": to})

    assert answer.headers["Location"] == "/"


def test_a_wrong_token_is_refused_and_guessing_is_slowed_down(guarded):
    wrong = [guarded.client.post("/sign-in", data={"token": f"wrong {n}"}).status_code for n in range(7)]

    assert wrong == [401] * 5 + [429] * 2
    assert guarded.client.post("/sign-in", data={"token": TOKEN}).status_code == 429


def test_who_guesses_locks_nobody_out_who_comes_from_elsewhere(guarded):
    for number in range(7):
        guess(guarded, f"wrong {number}", "192.0.2.1")

    assert guess(guarded, TOKEN, "192.0.2.1") == 429
    assert guess(guarded, TOKEN, "192.0.2.2") == 302


def test_guesses_from_everywhere_together_have_a_ceiling(guarded):
    wrong = [guess(guarded, "wrong", f"198.51.{n // 250}.{n % 250}") for n in range(WRONG_FROM_ALL + 1)]

    assert wrong == [401] * WRONG_FROM_ALL + [429]


def guess(visitor, token, address, forwarded_for=None):
    headers = {"X-Forwarded-For": forwarded_for} if forwarded_for else {}
    return visitor.client.post(
        "/sign-in", data={"token": token}, headers=headers, environ_overrides={"REMOTE_ADDR": address}
    ).status_code


@pytest.fixture
def behind_proxies(database):
    with visitor_of(database, web_token=TOKEN, web_proxies="10.244.0.0/16, 192.0.2.7, fd00::/8") as visitor:
        yield visitor


@pytest.mark.parametrize("proxy", ["10.244.3.4", "::ffff:10.244.3.4", "192.0.2.7", "fd00::1"])
def test_behind_a_proxy_of_ours_who_guesses_locks_nobody_else_out(behind_proxies, proxy):
    for number in range(7):
        guess(behind_proxies, f"wrong {number}", proxy, "203.0.113.1")

    assert guess(behind_proxies, TOKEN, proxy, "203.0.113.1") == 429
    assert guess(behind_proxies, TOKEN, proxy, "203.0.113.2, 10.244.9.9") == 302


def test_who_writes_addresses_into_the_header_is_still_one(behind_proxies):
    """Our proxy puts the address that it sees at the end."""
    wrong = [guess(behind_proxies, "wrong", "10.244.3.4", f"198.51.100.{n}, 203.0.113.1") for n in range(6)]

    assert wrong == [401] * 5 + [429]


@pytest.mark.parametrize("said", ["unknown", "198.51.100.{}:80, unknown", ""])
def test_a_proxy_of_ours_that_names_no_address_stands_for_whom_it_brings(behind_proxies, said):
    wrong = [guess(behind_proxies, "wrong", "10.244.3.4", said.format(n)) for n in range(6)]

    assert wrong == [401] * 5 + [429]


def test_nobody_but_our_proxies_is_believed(behind_proxies, guarded):
    for visitor in (behind_proxies, guarded):
        wrong = [guess(visitor, "wrong", "192.0.2.8", f"198.51.100.{n}") for n in range(6)]

        assert wrong == [401] * 5 + [429]


@pytest.mark.parametrize("value", ["proxy.example", "10.0.0.7:80", "10.0.0.7/8", "10.0.0.7;10.0.0.8", ","])
def test_a_proxy_that_is_no_address_and_no_network_is_refused(value):
    with pytest.raises(ConfigurationError) as refusal:
        load_settings({"SCRAPERSKY_WEB_PROXIES": value}, None)

    assert str(refusal.value).startswith("SCRAPERSKY_WEB_PROXIES: expected addresses or networks, such as 10.0.0.7 or ")


def test_a_forged_session_is_none(guarded):
    guarded.client.set_cookie("scrapersky", "eyJvcGVyYXRvciI6ImFkYSJ9.aRkxYw.forged")

    assert guarded.get("/").request.path == "/sign-in"


def test_a_session_ends_with_the_token(database, guarded):
    guarded.sign_in()
    cookie = guarded.client.get_cookie("scrapersky").value

    with visitor_of(database, web_token=TOKEN + " changed") as other:
        other.client.set_cookie("scrapersky", cookie)
        assert other.get("/").request.path == "/sign-in"
    with visitor_of(database, web_token=TOKEN) as restarted:
        restarted.client.set_cookie("scrapersky", cookie)
        assert restarted.get("/").request.path == "/"


@pytest.mark.parametrize("form_token", [None, "", "guessed"])
def test_a_form_without_the_token_of_the_session_changes_nothing(guarded, db, form_token):
    guarded.sign_in()
    fields = {} if form_token is None else {"form_token": form_token}

    answer = guarded.client.post("/workflows/deep_scan/pause", data=fields)

    assert answer.status_code == 403
    assert db.execute(PAUSED).fetchone() == (False, None)


def test_a_form_that_another_site_sends_changes_nothing(guarded, db):
    guarded.sign_in()
    fields = {"form_token": guarded.form_token()}

    answer = guarded.client.post("/workflows/deep_scan/pause", data=fields, headers={"Sec-Fetch-Site": "cross-site"})

    assert answer.status_code == 403
    assert db.execute(PAUSED).fetchone() == (False, None)


def test_nothing_changes_by_following_a_link(guarded):
    guarded.sign_in()

    for action in ("pause", "resume", "limits", "requeue", "cancel", "run-now"):
        assert guarded.get(f"/workflows/deep_scan/{action}").status_code in {404, 405}


def test_signing_out_closes_the_session(guarded):
    guarded.sign_in()
    guarded.post("/sign-out")

    assert guarded.get("/").request.path == "/sign-in"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "leads.example"])  # noqa: S104 - must be refused
def test_beyond_this_host_a_token_is_needed(host):
    with pytest.raises(ConfigurationError, match="SCRAPERSKY_WEB_TOKEN"):
        check_exposure(Settings(web_host=host))

    check_exposure(Settings(web_host=host, web_token=TOKEN))
    check_exposure(Settings(web_host=host, web_port=0))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_on_this_host_no_token_is_needed(host):
    check_exposure(Settings(web_host=host))


@pytest.mark.parametrize(
    "path",
    [
        "/curate/domains?older=2024-01-01T00:00:00%2B23:59~00000000-0000-4000-8000-000000000000",
        "/curate/domains?newer=0001-01-01T00:00:00%2B14:00~00000000-0000-4000-8000-000000000000",
        "/curate/businesses?min_rating=1e-999999",
        "/contacts?older=9999-12-31T23:59:59-14:00~00000000-0000-4000-8000-000000000000",
    ],
)
def test_times_and_numbers_at_the_edge_of_the_world_are_answered(visitor, path):
    assert visitor.get(path).status_code == 200


@pytest.mark.parametrize(
    "path", ["/search?q=a%00b", "/workflows/deep_scan/failed?pk=%00", "/curate/domains?domain=%00"]
)
def test_a_character_that_no_text_has_is_refused(visitor, path):
    assert visitor.get(path).status_code == 400


def test_a_wrong_token_does_not_cost_the_name(guarded):
    answer = guarded.client.post("/sign-in", data={"name": 'Ada "A" <b>', "token": "wrong", "to": "/"})

    assert answer.status_code == 401
    assert 'value="Ada &#34;A&#34; &lt;b&gt;"' in answer.text


def test_without_a_token_every_page_says_why_it_is_read_only(visitor):
    assert "Read-only, because SCRAPERSKY_WEB_TOKEN is not set" in visitor.text("/workers")
