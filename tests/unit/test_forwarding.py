from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.parse.forwarding import forwarded_to
from actors.parse.html import Document

URL = "https://acme.example/"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/home.html", "https://acme.example/home.html"),
        ("0;URL='https://www.acme.example/de/'", "https://www.acme.example/de/"),
        ('5 ; Url = "start.php"', "https://acme.example/start.php"),
        ("0,/x", "https://acme.example/x"),
        ("0.5; url=/x#top", "https://acme.example/x"),
        ("0", None),
        ("300; url=/x", None),
        ("0; url=https://acme.example/#here", None),
        ("0; url=javascript:alert(1)", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_page_that_refreshes_at_once_sends_its_reader_on(content, target):
    html = f'<meta http-equiv="Refresh" content="{escape(content)}">'

    assert forwarded_to(Document(html), URL) == target


@pytest.mark.parametrize(
    ("frames", "target"),
    [
        ('<frame src="menu.htm" name="menu"><frame src="start.htm" name="right">', "https://acme.example/start.htm"),
        ('<frame src="a.htm" name="main"><frame src="b.htm" name="footer">', "https://acme.example/a.htm"),
        ('<frame src="https://other.example/">', "https://other.example/"),
        ("<frame>", None),
    ],
)
def test_a_frameset_is_read_through_the_frame_with_the_content(frames, target):
    assert forwarded_to(Document(f"<html><frameset>{frames}</frameset></html>"), URL) == target


def test_an_ordinary_page_sends_nobody_on():
    html = '<p>Hello</p><iframe src="https://maps.example/"></iframe>'

    assert forwarded_to(Document(html), URL) is None


@given(st.text(max_size=60))
def test_no_refresh_is_too_odd(content):
    forwarded_to(Document(f'<meta http-equiv="refresh" content="{content}">'), URL)
