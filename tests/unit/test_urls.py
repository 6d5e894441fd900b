import ada_url
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.urls import LONGEST_URL, Url, parse_url, website_url


def test_a_url_comes_apart_into_its_parts():
    url = parse_url("HTTPS://WWW.Example.COM:8443/a/../Menu?day=1#top")

    assert url == Url(
        href="https://www.example.com:8443/Menu?day=1#top",
        scheme="https",
        host="www.example.com",
        port=8443,
        path="/Menu",
        query="day=1",
        is_ip_address=False,
    )


def test_a_port_that_is_the_schemes_own_is_left_out():
    url = parse_url("https://example.com:443/")

    assert url is not None
    assert url.port is None
    assert url.href == "https://example.com/"


def test_a_relative_reference_is_resolved_against_its_base():
    url = parse_url("../kontakt?x=1", base="https://example.com/de/start/")

    assert url is not None
    assert url.href == "https://example.com/de/kontakt?x=1"


@pytest.mark.parametrize(
    "text",
    [
        "http://user:secret@example.com/a@b:c?d@e#f@g",
        "https://example.com:8443",
        "https://example.com/?#",
        "https://example.com/#a?b/c",
        "https://example.com?a/b:80",
        "https://[2001:db8::1]",
        "https://@[2001:db8::1]:8443/x",
        "http://0x7f.1:80",
        "http://1.2.3.4.",
        "http://a.1b/",
        "http://bücher.example.:81//",
    ],
)
def test_the_parts_of_a_web_address_are_those_that_the_library_names(text):
    named = ada_url.URL(text)

    url = parse_url(text)

    assert url == Url(
        href=named.href,
        scheme=named.protocol.removesuffix(":"),
        host=named.hostname,
        port=int(named.port) if named.port else None,
        path=named.pathname,
        query=named.search.removeprefix("?"),
        is_ip_address=named.host_type != ada_url.HostType.DEFAULT,
    )


def test_a_relative_reference_at_an_address_is_at_that_address():
    url = parse_url("kontakt", base="http://192.0.2.7/de/")

    assert url is not None
    assert url.is_ip_address


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("../kontakt", None),
        ("kontakt", "no base"),
        ("https://", None),
        ("https://a b/", None),
        ("https://a\ud800/", None),
    ],
)
def test_what_a_browser_can_not_resolve_is_none(text, base):
    assert parse_url(text, base) is None


@pytest.mark.parametrize("host", ["0x7f.1", "2130706433", "①②⑦.⓪.⓪.①", "127.0.0.1."])
def test_a_disguised_address_shows_itself(host):
    url = parse_url(f"http://{host}/")

    assert url is not None
    assert url.host == "127.0.0.1"
    assert url.is_ip_address


@pytest.mark.parametrize(
    ("typed", "href"),
    [
        ("example.com", "https://example.com/"),
        ("www.example.com/path", "https://www.example.com/path"),
        ("//example.com", "https://example.com/"),
        ("example.com:8080", "https://example.com:8080/"),
        ("HTTP://EXAMPLE.COM:8080", "http://example.com:8080/"),
        ("http:example.com", "http://example.com/"),
        ("  https://example.com/\t\r\n", "https://example.com/"),
        ("\ufeff\u200ehttps://example.com\u00a0", "https://example.com/"),
        ("straße.de/über", "https://xn--strae-oqa.de/%C3%BCber"),
        ("example.com?next=http://other.com/", "https://example.com/?next=http://other.com/"),
        ("example.com/@acme", "https://example.com/@acme"),
        ("https.example.com", "https://https.example.com/"),
        ("192.0.2.7:8080", "https://192.0.2.7:8080/"),
        ("[2001:db8::7]", "https://[2001:db8::7]/"),
    ],
)
def test_a_website_field_becomes_the_address_that_was_meant(typed, href):
    url = website_url(typed)

    assert url is not None
    assert url.href == href


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("https://bank.com@evil.com/", "evil.com"),
        ("https://bank.com:443@evil.com/", "evil.com"),
        ("http://bank.com\\@evil.com/", "bank.com"),
        ("https://evil.com#@bank.com", "evil.com"),
        ("https://evil.com?@bank.com", "evil.com"),
    ],
)
def test_a_disguised_host_is_the_one_that_a_browser_would_visit(typed, host):
    url = website_url(typed)

    assert url is not None
    assert url.host == host


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "mailto:info@example.com",
        "info@example.com",
        "@cafe.berlin",
        "javascript:alert(1)",
        "JavaScript:alert('www.example.com')",
        "ftp://example.com",
        "file:///etc/hosts",
        "tel:+49301234",
        "data:text/html,hello",
        "https://",
        "https://https://example.com",
        "n/a",
        "none",
        "localhost",
        "localhost.",
        "http://intranet/start",
        "www.example.com or www.example.org",
        "https://example.com/our menu",
        "exam\tple.com",
        "example.com/\u2028x",
        "\x00example.com",
        "example.com\x00",
        "example.com/\x07",
        "example.com/\x85",
        "example.com:99999",
        "https://exa<mple.com",
    ],
)
def test_what_is_no_web_address_is_none(typed):
    assert website_url(typed) is None


def test_an_address_longer_than_browsers_take_is_none():
    start = "https://example.com/"
    longest = start + "a" * (LONGEST_URL - len(start))

    assert website_url(longest) is not None
    assert website_url(longest + "a") is None


@settings(deadline=None)
@given(st.text() | st.text(alphabet="aZ0.:/\\@?#[]%-_ \t\x00é。\ud800"))
def test_no_text_is_too_strange_to_be_read(text):
    for url in (parse_url(text), parse_url(text, "https://example.com/"), website_url(text)):
        assert url is None or parse_url(url.href) == url
