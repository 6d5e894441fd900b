import socket
from contextlib import closing

import pytest

from actors.errors import Busy, Denied, NotThere, ServerFault, Unreachable, Unusable
from actors.fetch.home_page import LedElsewhere, read_home_page
from actors.sandbox.reader import Reader
from tests.sandbox_support import new_reader, pool_of
from tests.web_support import LocalWeb, Raw, Reply, redirect, web_for

DOMAIN = "acme.com"
CUT_OFF = Raw([b""])


def read(pages, domain=DOMAIN, **options):
    with LocalWeb(pages) as local:
        try:
            return read_home_page(web_for(local, **options), new_reader(), domain)
        finally:
            read.urls = local.urls


def only_with_www(local_resolve):
    def resolve(host, port):
        if not host.startswith("www."):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return local_resolve(host, port)

    return resolve


def test_the_first_address_that_answers_is_the_home_page():
    home = read({"https://acme.com/": "<title>Acme</title>", "https://www.acme.com/": "never asked for"})

    assert (home.url, home.hops, home.reading.metadata.title) == ("https://acme.com/", ("https://acme.com/",), "Acme")
    assert read.urls == ["https://acme.com/"]


@pytest.mark.parametrize(
    ("answers", "tried"),
    [
        ("https://www.acme.com/", 2),
        ("http://acme.com/", 3),
        ("http://www.acme.com/", 4),
    ],
)
def test_the_other_of_www_and_apex_comes_next_and_http_last(answers, tried):
    home = read({answers: "<title>Acme</title>"})

    assert home.url == answers
    assert len(read.urls) == tried


def test_a_builders_customer_is_not_asked_for_a_www():
    with pytest.raises(NotThere):
        read({}, domain="acme.wixsite.com")

    assert read.urls == ["https://acme.wixsite.com/", "http://acme.wixsite.com/"]


def test_a_name_that_does_not_exist_is_asked_for_once():
    with LocalWeb({"http://www.acme.com/": "hello"}) as local:
        home = read_home_page(web_for(local, resolve=only_with_www(local.resolve)), new_reader(), DOMAIN)

    assert home.url == "http://www.acme.com/"
    assert local.urls == ["https://www.acme.com/", "http://www.acme.com/"]


def test_redirects_are_recorded():
    home = read({"https://acme.com/": redirect("https://www.acme.com/de/"), "https://www.acme.com/de/": "hallo"})

    assert home.hops == ("https://acme.com/", "https://www.acme.com/de/")


def test_a_refresh_is_followed_one_level():
    home = read(
        {
            "https://acme.com/": "<meta http-equiv=refresh content='0; url=/start'>",
            "https://acme.com/start": "<meta http-equiv=refresh content='0; url=/more'><title>Start</title>",
        }
    )

    assert home.reading.metadata.title == "Start"
    assert home.hops == ("https://acme.com/", "https://acme.com/start")


def test_a_frame_that_is_not_there_leaves_the_page_itself():
    home = read({"https://acme.com/": "<title>Acme</title><frameset><frame src=gone.htm></frameset>"})

    assert (home.url, home.reading.metadata.title) == ("https://acme.com/", "Acme")


@pytest.mark.parametrize(
    "page",
    [redirect("https://other.com/"), "<frameset><frame src='https://other.com/'></frameset>"],
)
def test_another_domain_that_cannot_be_read_is_named_all_the_same(page):
    home = read({"https://acme.com/": page, "https://other.com/robots.txt": "User-agent: *\nDisallow: /"})

    assert home == LedElsewhere(("https://acme.com/", "https://other.com/"), "robots.txt of other.com forbids /")


def test_an_owner_who_says_no_is_not_asked_in_other_words():
    with pytest.raises(Denied, match="forbids"):
        read({"https://acme.com/robots.txt": "User-agent: *\nDisallow: /", "http://acme.com/": "hello"})

    assert read.urls == []


def test_a_busy_host_is_left_alone():
    with pytest.raises(Busy):
        read({"https://acme.com/": Reply(429), "http://acme.com/": "hello"})

    assert read.urls == ["https://acme.com/"]


@pytest.mark.parametrize(
    ("pages", "error"),
    [
        ({}, NotThere),
        ({"https://www.acme.com/": Reply(500)}, ServerFault),
        ({"https://acme.com/": Reply(403)}, Denied),
        ({"https://acme.com/": CUT_OFF, "https://acme.com/robots.txt": ""}, NotThere),
        ({f"{scheme}://www.acme.com/robots.txt": CUT_OFF for scheme in ("https", "http")}, Unreachable),
    ],
    ids=["nowhere", "one fault", "forbidden", "closed port beside an answer", "one host silent"],
)
def test_when_nothing_answers_the_most_telling_error_is_raised(pages, error):
    with pytest.raises(error):
        read(pages)


def test_a_home_page_that_is_no_page_is_refused():
    with pytest.raises(Unusable, match="application/pdf"):
        read({"https://acme.com/": Reply(200, "%PDF-1.7", {"Content-Type": "application/pdf"})})


def test_a_frameset_brings_its_menus_along():
    home = read(
        {
            "https://acme.com/": "<frameset><frame src=menu.htm><frame src=gone.htm><frame src=start.htm></frameset>",
            "https://acme.com/menu.htm": "<title>Menu</title><a href=/kontakt>Kontakt</a>",
            "https://acme.com/start.htm": "<title>Start</title>",
        }
    )

    assert home.reading.metadata.title == "Start"
    assert [link.url for link in home.reading.links] == ["https://acme.com/start.htm", "https://acme.com/kontakt"]


def test_a_menu_that_the_server_cannot_make_does_not_cost_the_home_page():
    home = read(
        {
            "https://acme.com/": "<frameset><frame src=menu.htm><frame src=start.htm></frameset>",
            "https://acme.com/menu.htm": Reply(500),
            "https://acme.com/start.htm": "<title>Start</title>",
        }
    )

    assert home.reading.metadata.title == "Start"
    assert [link.url for link in home.reading.links] == ["https://acme.com/start.htm"]


def test_a_redirect_into_our_own_network_is_an_error_and_no_alias():
    with pytest.raises(Denied, match=r"169\.254\.169\.254"):
        read({"https://acme.com/": redirect("http://169.254.169.254/latest/meta-data/")})


def test_a_menu_that_is_too_much_for_a_parser_does_not_cost_the_home_page():
    pages = {
        "https://acme.com/": "<frameset><frame src=menu.htm><frame src=start.htm></frameset>",
        "https://acme.com/menu.htm": "".join(f"<a href=/kontakt{number}>Kontakt</a>" for number in range(50_000)),
        "https://acme.com/start.htm": "<title>Start</title>",
    }

    with closing(pool_of(seconds=0.1)) as pool, LocalWeb(pages) as local:
        home = read_home_page(web_for(local), Reader(pool), DOMAIN)

    assert home.reading.metadata.title == "Start"
    assert [failure[1] for failure in pool.watch.failures] == ["time"]
