import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.html import Document
from actors.parse.metadata import read_metadata

URL = "https://www.acme.example/en/"


def read(html, **options):
    return read_metadata(Document(html), URL, **options)


def head(text):
    return f"<html><head>{text}</head><body></body></html>"


def linked_data(*things):
    return f'<script type="application/ld+json">{json.dumps(things)}</script>'


def test_title_description_and_language_are_what_the_page_says():
    html = (
        '<html lang="de-at"><head><title> Acme \n Dental </title><meta name=description content="Good  teeth"></head>'
    )

    found = read(html)

    assert (found.title, found.description, found.language) == ("Acme Dental", "Good teeth", "de-AT")


def test_the_open_graph_speaks_where_the_page_is_silent():
    html = head('<meta property="og:title" content="Acme"><meta property="og:description" content="Teeth">')

    found = read(html)

    assert (found.title, found.description, found.open_graph) == ("Acme", "Teeth", {"title": "Acme"})


@pytest.mark.parametrize(
    ("written", "language"),
    [
        ("en", "en"),
        ("EN_us", "en-US"),
        ("zh-hant", "zh-Hant"),
        ("es-419", "es-419"),
        ("de, en", "de"),
        ("deutsch", None),
        ("", None),
        ("{{lang}}", None),
    ],
)
def test_a_language_is_written_as_the_standard_has_it(written, language):
    assert read(f'<html lang="{written}"></html>').language == language


def test_the_header_names_the_language_when_the_page_does_not():
    assert read("<html></html>", content_language="fr-CA, en").language == "fr-CA"


def test_the_largest_icon_is_the_icon():
    html = head(
        '<link rel="shortcut icon" href="/favicon.ico">'
        '<link rel="icon" sizes="32x32" href="/32.png"><link rel="icon" sizes="192x192" href="/192.png">'
        '<link rel="apple-touch-icon" href="touch.png"><link rel="mask-icon" href="/mask.svg">'
    )

    assert read(html).favicon_url == "https://www.acme.example/192.png"


@pytest.mark.parametrize("href", ["data:image/png;base64,AAAA", "javascript:alert(1)", "", "http://["])
def test_an_icon_that_is_no_web_address_is_none(href):
    assert read(head(f'<link rel="icon" href="{href}">')).favicon_url is None


def test_relative_pictures_are_found_from_the_base_of_the_page():
    html = head('<base href="https://cdn.example/a/"><link rel="icon" href="icon.png">')

    assert read(html).favicon_url == "https://cdn.example/a/icon.png"


@pytest.mark.parametrize(
    ("html", "logo"),
    [
        (linked_data({"@type": "Organization", "logo": "/l.png"}), "https://www.acme.example/l.png"),
        (linked_data({"@type": "Dentist", "logo": {"url": "https://cdn.example/l.png"}}), "https://cdn.example/l.png"),
        (
            '<header><img src="/a.png"><a class="site-logo"><img src="/b.svg"></a></header>',
            "https://www.acme.example/b.svg",
        ),
        ('<img src="/images/acme-logo.png">', "https://www.acme.example/images/acme-logo.png"),
        ('<img class=logo src="data:image/gif;base64,AA" data-src="/late.png">', "https://www.acme.example/late.png"),
        ('<img src="/images/logout.png"><img src="/photo.jpg" alt="Our catalogue">', None),
        ("<img src=/1.jpg>" * 20 + '<img src="/partner-logo.png">', None),
    ],
)
def test_the_logo_is_what_is_called_so(html, logo):
    assert read(html).logo_url == logo


def test_the_organisation_is_the_thing_that_says_most():
    html = linked_data(
        {"@type": "WebSite", "name": "A site"},
        {"@type": "Organization", "name": "Acme"},
        {
            "@type": ["Dentist", "LocalBusiness"],
            "name": "Acme Dental",
            "telephone": "+1 512 555 0134",
            "address": {"@type": "PostalAddress", "streetAddress": "1 Main St", "addressCountry": {"name": "US"}},
        },
    )

    found = read(html).organisation

    assert found == {
        "name": "Acme Dental",
        "type": "Dentist",
        "address": {"streetAddress": "1 Main St", "addressCountry": "US"},
    }


def test_long_texts_are_cut():
    found = read(head(f"<title>{'t' * 1000}</title><meta name=description content='{'d' * 9000}'>"))

    assert (len(found.title), len(found.description)) == (500, 2000)


things = st.recursive(
    st.none() | st.text(max_size=10) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["@type", "logo", "address", "name"]), inner)
    ),
    max_leaves=10,
)


@settings(max_examples=80)
@given(things, st.text(max_size=200))
def test_nothing_that_a_page_says_is_too_odd(thing, text):
    html = linked_data(thing) + text

    assert read(html) == read(html)
